/* Answers of a plain Euclidean search that hold in a periodic box too. */
#ifndef BI_KDTREE_STEPS_INSIDE_H
#define BI_KDTREE_STEPS_INSIDE_H

#include "kdtree/steps/metric_query.h"

/* Writes the k nearest of query i, and marks it in `rest` unless they are certainly those of the periodic box: no image
 * of a point across a border is nearer than the border. */
struct bi_kdtree_inside {
    struct bi_kdtree_metric_search search; /* the periodic one */
    struct bi_kdtree_rows rows;            /* the caller's queries; data NULL: those of the search */
    int64_t found;                         /* neighbours of each query in the plain answer */
    const void *ids;                       /* its ids, as search.wide_ids */
    const void *squares;                   /* float for F32, else double */
    const uint32_t *nodes;                 /* F32: of ids */
    double error;                          /* F32: the relative error of a square; else 0 */
    uint8_t *rest;
};

/* True if no image of a point is within a squared distance. 2^-50 and 2^-40 exceed the rounding of gaps and sums. */
BI_FN bool bi_kdtree_is_inside(const struct bi_kdtree_inside *a, int64_t number, const double *q, double square)
{
    bool inside = true;
    for (int32_t c = 0; c < a->search.view.dim; c++) {
        const double period = a->search.metric.periods[c];
        const double border = (q[c] < period - q[c] ? q[c] : period - q[c]) - 0x1p-50 * period;
        if (period > 0) inside &= border > 0 && border * border * (1 - 0x1p-40) > square;
        if (a->rows.data) /* a query beyond the box was searched where it is, not where it was moved to */
            inside &= bosc_kdtree_number(a->rows.data, number * a->rows.stride + c, a->search.view.dtype) == q[c];
    }
    return inside;
}

BI_FN void bi_step_inside(const struct bi_kdtree_inside *a, int64_t i)
{
    const struct bi_kdtree_metric_search *s = &a->search;
    const int64_t number = bi_kdtree_query_number(s, i), from = number * a->found;
    const double *q = s->queries + i * s->view.dim;
    const bool single = a->error > 0;
    const struct bi_row_out plain = {
        (void *)(uintptr_t)a->ids, (void *)(uintptr_t)a->squares, from, s->wide_ids, single, false};
    const struct bi_row_out out = {s->ids, s->distances, number * s->k, s->wide_ids, false, false};
    double last = 0, next = BI_INFINITY;
    int64_t count = 0;
    /* 1. Collect the first k neighbours, and the square of the next one. Squares of floats are computed in double. */
    for (int64_t e = 0; e < a->found; e++) {
        const uint32_t id = bi_row_id(&plain, e);
        if (id == BI_KDTREE_NONE || !bi_kdtree_query_admits(s, number, id)) continue;
        if (count == s->k) {
            next = bi_row_dist2(&plain, e);
            break;
        }
        last = bi_row_dist2(&plain, e);
        const double measure = single ? bi_kdtree_measure(&s->metric, &s->view, a->nodes[id], q) : last;
        bi_kdtree_heap_up(&out, count++, measure, id, false);
    }
    bi_kdtree_heap_sort(&out, count, false);
    /* 2. Floats that nearly tie, or underflow, do not decide the order of their points. */
    bool decided = count == s->k;
    if (single) decided &= last > 0x1p-100 && next * (1 - a->error) > last * (1 + a->error);
    if (decided) decided = bi_kdtree_is_inside(a, number, q, bi_row_dist2(&out, s->k - 1));
    a->rest[i] = !decided;
    /* 3. For the periodic search the k-th of these points limits the k-th distance. */
    if (decided)
        bi_kdtree_convert_measures(&s->metric, s->distances + out.at, s->k);
    else
        s->distances[out.at] = count == s->k ? s->distances[out.at + s->k - 1] : BI_INFINITY;
}

#endif
