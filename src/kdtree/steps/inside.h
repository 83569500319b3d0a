/* Answers of a plain Euclidean search that hold in a periodic box too. */
#ifndef BI_KDTREE_STEPS_INSIDE_H
#define BI_KDTREE_STEPS_INSIDE_H

#include "kdtree/steps/metric_query.h"

/* Dimensions of these searches, by the rows that bosc_compact moves; and neighbours, by CUDA's kernels for few. */
enum { BI_KDTREE_INSIDE_DIM = 16, BI_KDTREE_INSIDE_NEIGHBOURS = 30 };

/* Queries between a prefetch and its use; other distances are not measured. */
enum { BI_KDTREE_AHEAD = 4 };

/* Writes the k nearest of query i, and marks it in `rest` unless they are certainly those of the periodic box: no image
 * of a point across a border is nearer than the border. */
struct bi_kdtree_inside {
    struct bi_kdtree_metric_search search; /* the periodic one */
    struct bi_kdtree_rows rows;            /* the caller's queries; data NULL: those of the search */
    int64_t query_count;
    int64_t found;       /* neighbours of each query in the plain answer */
    const void *ids;     /* its ids, as search.wide_ids */
    const void *squares; /* float for F32, else double */
    const void *points;  /* by id, of the tree's type; of F64 not in bi_step_inside */
    double error;        /* F32: the relative error of a square; else 0 */
    uint8_t *rest;
};

/* True if q is a query from beyond the box, wrapped into it: the plain search was around the query as it was given. */
BI_FN bool bi_kdtree_is_moved(const struct bi_kdtree_inside *a, int64_t number, const double *q)
{
    bool moved = false;
    for (int32_t c = 0; a->rows.data && c < a->search.view.dim; c++)
        moved |= bosc_kdtree_number(a->rows.data, number * a->rows.stride + c, a->search.view.dtype) != q[c];
    return moved;
}

/* True if no image of a point is within a squared distance. 2^-50 and 2^-40 exceed the rounding of gaps and sums. */
BI_FN bool bi_kdtree_is_inside(const struct bi_kdtree_inside *a, int64_t number, const double *q, double square)
{
    bool inside = true;
    for (int32_t c = 0; c < a->search.view.dim; c++) {
        const double period = a->search.metric.periods[c];
        const double border = (q[c] < period - q[c] ? q[c] : period - q[c]) - 0x1p-50 * period;
        if (period > 0) inside &= border > 0 && border * border * (1 - 0x1p-40) > square;
    }
    return inside && !bi_kdtree_is_moved(a, number, q);
}

/* The nearest points so far: ascending by (measure, id). Plain answers come nearly in this order, so that insertions
 * move few of them; the heap of query.h would sift each to its root. */
struct bi_kdtree_nearest_row {
    int32_t count, k;
    uint32_t ids[BI_KDTREE_INSIDE_NEIGHBOURS];
    double measures[BI_KDTREE_INSIDE_NEIGHBOURS];
};

/* Inserts a point if it is among the k nearest: cheap for points in nearly ascending order. */
BI_FN void bi_kdtree_insert_nearest(struct bi_kdtree_nearest_row *r, double measure, uint32_t id)
{
    int32_t at = r->count;
    while (at > 0 && (measure < r->measures[at - 1] || (measure == r->measures[at - 1] && id < r->ids[at - 1]))) at--;
    if (at == r->k) return;
    if (r->count < r->k) r->count++;
    for (int32_t e = r->count - 1; e > at; e--) {
        r->measures[e] = r->measures[e - 1];
        r->ids[e] = r->ids[e - 1];
    }
    r->measures[at] = measure;
    r->ids[at] = id;
}

/* Writes the row of a query: its answer if decided; else the k-th measure as the limit of another search. */
BI_FN void bi_kdtree_write_nearest(const struct bi_kdtree_metric_search *s, int64_t number, bool decided,
                                   const struct bi_kdtree_nearest_row *r)
{
    const struct bi_row_out out = {s->ids, s->distances, number * s->k, s->wide_ids, false, false};
    for (int32_t e = 0; e < r->count && decided; e++)
        bi_row_set(&out, e, bi_kdtree_distance_of_measure(&s->metric, r->measures[e]), r->ids[e]);
    if (!decided) s->distances[out.at] = r->count == r->k ? r->measures[r->k - 1] : BI_INFINITY;
}

/* Returns the periodic square of the distance of a point, by the operations of bi_kdtree_measure. */
BI_FN double bi_kdtree_square_in_box(const struct bi_kdtree_inside *a, uint32_t id, const double *q)
{
    const struct bi_kdtree_metric_search *s = &a->search;
    const int64_t at = (int64_t)id * s->view.dim;
    double sum = 0;
    for (int32_t c = 0; c < s->view.dim; c++) {
        const double x = a->error > 0 ? (double)((const float *)a->points)[at + c]
                                      : ((const double *)a->points)[at + c],
                     gap = bi_kdtree_gap(&s->metric, c, q[c], x);
        sum += gap * gap;
    }
    return sum;
}

/* Prefetches the points found for query i on the CPU. A device hides the latency by its threads. */
BI_FN void bi_kdtree_prefetch_points(const struct bi_kdtree_inside *a, const struct bi_row_out *plain, int64_t i)
{
#ifndef __CUDA_ARCH__
    if (i >= a->query_count) return;
    for (int64_t e = 0; e < a->found; e++) {
        const uint32_t id = bi_row_id(plain, a->found * BI_KDTREE_AHEAD + e);
        if (id != BI_KDTREE_NONE) __builtin_prefetch((const float *)a->points + (int64_t)id * a->search.view.dim);
    }
#endif
}

BI_FN void bi_step_inside(const struct bi_kdtree_inside *a, int64_t i)
{
    const struct bi_kdtree_metric_search *s = &a->search;
    const double *q = s->queries + i * s->view.dim;
    const bool single = a->error > 0;
    const struct bi_row_out plain = {
        (void *)(uintptr_t)a->ids, (void *)(uintptr_t)a->squares, i * a->found, s->wide_ids, single, false};
    struct bi_kdtree_nearest_row nearest;
    double last = 0, next = BI_INFINITY;
    nearest.count = 0;
    nearest.k = (int32_t)s->k;
    if (single) bi_kdtree_prefetch_points(a, &plain, i + BI_KDTREE_AHEAD);
    /* 1. Collect the first k neighbours, and the square of the next one. Squares of floats are computed in double. */
    for (int64_t e = 0; e < a->found; e++) {
        const uint32_t id = bi_row_id(&plain, e);
        if (id == BI_KDTREE_NONE || !bi_kdtree_query_admits(s, i, id)) continue;
        if (nearest.count == s->k) {
            next = bi_row_dist2(&plain, e);
            break;
        }
        last = bi_row_dist2(&plain, e);
        bi_kdtree_insert_nearest(&nearest, single ? bi_kdtree_square_in_box(a, id, q) : last, id);
    }
    /* 2. Floats that nearly tie, or underflow, do not decide the order of their points. */
    bool decided = nearest.count == s->k;
    if (single) decided &= last > 0x1p-100 && next * (1 - a->error) > last * (1 + a->error);
    if (decided) decided = bi_kdtree_is_inside(a, i, q, nearest.measures[s->k - 1]);
    a->rest[i] = !decided;
    bi_kdtree_write_nearest(s, i, decided, &nearest);
}

#endif
