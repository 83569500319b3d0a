/* Steps that search by any metric: the k nearest nodes and those within a distance, for one query. */
#ifndef BI_KDTREE_STEPS_METRIC_QUERY_H
#define BI_KDTREE_STEPS_METRIC_QUERY_H

#include "kdtree/steps/metric.h"
#include "kdtree/steps/query.h"

/* Converts element k of queries to double, wrapped into its period. */
struct bi_kdtree_place_queries {
    struct bi_kdtree_rows rows;
    bosc_dtype dtype;
    int32_t dim;
    const double *periods;
    double *to;
};

BI_FN void bi_step_place_queries(const struct bi_kdtree_place_queries *a, int64_t k)
{
    const int64_t i = k / a->dim;
    const int32_t c = (int32_t)(k - i * a->dim);
    const double x = bosc_kdtree_number(a->rows.data, i * a->rows.stride + c, a->dtype);
    a->to[k] = a->periods && a->periods[c] > 0 ? bi_kdtree_wrap(x, a->periods[c]) : x;
}

/* Coordinate c of every node. */
struct bi_kdtree_coordinates {
    bosc_kdtree_view view;
    int32_t c;
    double *to;
};

BI_FN void bi_step_coordinates(const struct bi_kdtree_coordinates *a, int64_t i)
{
    a->to[i] = bosc_kdtree_coordinate(&a->view, i, a->c);
}

/* Lowers *id to the smallest id of a node outside the periods. */
struct bi_kdtree_outside {
    bosc_kdtree_view view;
    const double *periods;
    int64_t *id;
};

BI_FN void bi_step_outside(const struct bi_kdtree_outside *a, int64_t i)
{
    bool outside = false;
    for (int32_t c = 0; c < a->view.dim; c++) {
        const double x = bosc_kdtree_coordinate(&a->view, i, c);
        outside |= a->periods[c] > 0 && !(x >= 0 && x <= a->periods[c]);
    }
    if (outside) bi_atomic_min_i64(a->id, (int64_t)bosc_kdtree_id(&a->view, i));
}

/* A search. Query i is queries[i * dim ...], and has the number numbers[i]. */
struct bi_kdtree_metric_search {
    bosc_kdtree_view view;
    struct bi_kdtree_metric metric;
    const double *queries;
    const uint32_t *numbers; /* NULL: i */
    const double *bounds;    /* the largest distance that counts is bounds[number * bound_step]; NULL: see limit */
    int64_t bound_step;
    double limit;             /* without bounds, the largest measure that counts */
    bool exclude_self, later; /* id `number` does not count; only larger ids count */
    int64_t k;
    int64_t *counts;
    const int64_t *offsets;
    void *ids;
    double *distances;
    bool wide_ids;
    struct bi_kdtree_split_axes axes;
    int64_t *bad;        /* lowered to the smallest query whose row has the wrong length */
    bool limits_in_rows; /* k nearest: the limit is the first distance in the row of the query, before the search */
};

BI_FN int64_t bi_kdtree_query_number(const struct bi_kdtree_metric_search *a, int64_t i)
{
    return a->numbers ? (int64_t)a->numbers[i] : i;
}

BI_FN double bi_kdtree_query_limit(const struct bi_kdtree_metric_search *a, int64_t number)
{
    return a->bounds ? bi_kdtree_measure_of(&a->metric, a->bounds[number * a->bound_step]) : a->limit;
}

/* True if the options of the query admit a node as a result. */
BI_FN bool bi_kdtree_query_admits(const struct bi_kdtree_metric_search *a, int64_t number, uint32_t id)
{
    return !(a->exclude_self && (int64_t)id == number) && !(a->later && (int64_t)id <= number);
}

/* Converts measures to distances. */
BI_FN void bi_kdtree_convert_measures(const struct bi_kdtree_metric *m, double *distances, int64_t count)
{
    for (int64_t e = 0; e < count; e++) distances[e] = bi_kdtree_distance_of_measure(m, distances[e]);
}

BI_FN void bi_step_query_knn(const struct bi_kdtree_metric_search *a, int64_t i)
{
    const int64_t number = bi_kdtree_query_number(a, i);
    const double *q = a->queries + i * a->view.dim;
    const struct bi_row_out out = {a->ids, a->distances, number * a->k, a->wide_ids, false, false};
    struct bi_kdtree_metric_walk walk;
    struct bi_kdtree_range run;
    double limit = a->limits_in_rows ? a->distances[number * a->k] : bi_kdtree_query_limit(a, number);
    int64_t count = 0;
    /* Collect the k nearest in a max-heap in the output row; once it is full, its root is the limit. Then sort it. */
    bi_kdtree_metric_walk_begin(&walk, &a->view, &a->metric, q, NULL);
    bi_kdtree_metric_walk_skip_flat(&walk, &a->axes);
    while (run = bi_kdtree_metric_walk_next(&walk, limit), run.begin < run.end)
        for (int64_t node = run.begin; node < run.end; node++) {
            const double d = bi_kdtree_measure(&a->metric, &a->view, node, q);
            if (!(d <= limit)) continue;
            const uint32_t id = bosc_kdtree_id(&a->view, node);
            if (!bi_kdtree_query_admits(a, number, id)) continue;
            if (count < a->k)
                bi_kdtree_heap_up(&out, count++, d, id, false);
            else if (!bi_kdtree_out_after(&out, d, id, 0, false))
                bi_kdtree_heap_down(&out, count, d, id, false);
            if (count == a->k) limit = bi_row_dist2(&out, 0);
        }
    bi_kdtree_heap_sort(&out, count, false);
    for (int64_t e = count; e < a->k; e++) bi_row_set(&out, e, BI_INFINITY, BI_KDTREE_NONE);
    bi_kdtree_convert_measures(&a->metric, a->distances + out.at, count);
}

BI_FN void bi_step_query_count(const struct bi_kdtree_metric_search *a, int64_t i)
{
    const int64_t number = bi_kdtree_query_number(a, i);
    const double *q = a->queries + i * a->view.dim, limit = bi_kdtree_query_limit(a, number);
    struct bi_kdtree_metric_walk walk;
    struct bi_kdtree_range run;
    int64_t count = 0;
    bi_kdtree_metric_walk_begin(&walk, &a->view, &a->metric, q, NULL);
    bi_kdtree_metric_walk_skip_flat(&walk, &a->axes);
    while (run = bi_kdtree_metric_walk_next(&walk, limit), run.begin < run.end)
        for (int64_t node = run.begin; node < run.end; node++)
            if (bi_kdtree_measure(&a->metric, &a->view, node, q) <= limit)
                count += bi_kdtree_query_admits(a, number, bosc_kdtree_id(&a->view, node));
    a->counts[number] = count;
}

BI_FN void bi_step_query_fill(const struct bi_kdtree_metric_search *a, int64_t i)
{
    const int64_t number = bi_kdtree_query_number(a, i);
    const double *q = a->queries + i * a->view.dim, limit = bi_kdtree_query_limit(a, number);
    const struct bi_row_out out = {a->ids, a->distances, a->offsets[number], a->wide_ids, false, false};
    const int64_t capacity = a->offsets[number + 1] - a->offsets[number];
    struct bi_kdtree_metric_walk walk;
    struct bi_kdtree_range run;
    int64_t count = 0;
    bi_kdtree_metric_walk_begin(&walk, &a->view, &a->metric, q, NULL);
    bi_kdtree_metric_walk_skip_flat(&walk, &a->axes);
    while (run = bi_kdtree_metric_walk_next(&walk, limit), run.begin < run.end)
        for (int64_t node = run.begin; node < run.end; node++) {
            const double d = bi_kdtree_measure(&a->metric, &a->view, node, q);
            if (!(d <= limit)) continue;
            const uint32_t id = bosc_kdtree_id(&a->view, node);
            if (!bi_kdtree_query_admits(a, number, id)) continue;
            if (count < capacity) bi_row_set(&out, count, d, id);
            count++;
        }
    if (count != capacity) {
        bi_atomic_min_i64(a->bad, number);
        return;
    }
    bi_row_sort(&out, count);
    if (a->distances) bi_kdtree_convert_measures(&a->metric, a->distances + out.at, count);
}

/* values[i] = the root of squares[i], or of values[i] where there are no squares. */
struct bi_kdtree_roots {
    double *values;
    const float *squares; /* may be NULL */
};

BI_FN void bi_step_roots(const struct bi_kdtree_roots *a, int64_t i)
{
    a->values[i] = bi_sqrt(a->squares ? (double)a->squares[i] : a->values[i]);
}

/* Copies the k + 1 neighbours of query i without the id i; without the last one if that id is none of them. */
struct bi_kdtree_skip_self {
    int64_t k;
    const void *ids;
    const void *measures; /* float if `single`, else double; NULL: none */
    bool single, squared; /* squared: the roots are copied */
    bool wide_ids;
    void *to_ids;
    double *to_distances;
};

BI_FN void bi_step_skip_self(const struct bi_kdtree_skip_self *a, int64_t i)
{
    const int64_t from = i * (a->k + 1), to = i * a->k;
    int64_t skipped = 0;
    for (int64_t e = 0; e < a->k; e++) {
        const int64_t at = from + e;
        if (skipped == 0)
            skipped = a->wide_ids ? ((const int64_t *)a->ids)[at] == i : (int64_t)((const uint32_t *)a->ids)[at] == i;
        if (a->wide_ids)
            ((int64_t *)a->to_ids)[to + e] = ((const int64_t *)a->ids)[at + skipped];
        else
            ((uint32_t *)a->to_ids)[to + e] = ((const uint32_t *)a->ids)[at + skipped];
        if (!a->measures) continue;
        const double x = a->single ? (double)((const float *)a->measures)[at + skipped]
                                   : ((const double *)a->measures)[at + skipped];
        a->to_distances[to + e] = a->squared ? bi_sqrt(x) : x;
    }
}

/* Checks the entries of query i in the answer of a search that is not ordinary, and writes their squared distances.
 * Lowers *bad to the first entry whose distance, or squared distance if there is dist2, is out of range. */
struct bi_kdtree_check_entries {
    struct bi_kdtree_metric_search search; /* with its answer: distances, and ids */
    struct bi_kdtree_metric squares;
    const uint32_t *nodes; /* of ids */
    void *dist2;           /* float for F32, else double; NULL: none */
    bool small;            /* refuses squares below the least normal number, unless the distance is 0 */
    int64_t *bad;
};

/* True if no coordinate of a node or a query is infinite. */
BI_FN bool bi_kdtree_are_finite(const bosc_kdtree_view *v, int64_t node, const double *q)
{
    bool finite = true;
    for (int32_t c = 0; c < v->dim; c++) {
        const double x = bosc_kdtree_coordinate(v, node, c);
        finite &= x - x == 0 && q[c] - q[c] == 0;
    }
    return finite;
}

BI_FN void bi_step_check_entries(const struct bi_kdtree_check_entries *a, int64_t i)
{
    const struct bi_kdtree_metric_search *s = &a->search;
    const int64_t number = bi_kdtree_query_number(s, i), begin = s->offsets ? s->offsets[number] : number * s->k,
                  end = s->offsets ? s->offsets[number + 1] : begin + s->k;
    const bool single = s->view.dtype == BOSC_F32;
    const struct bi_row_out out = {s->ids, s->distances, 0, s->wide_ids, false, false};
    const double *q = s->queries + i * s->view.dim, least = single ? 0x1p-126 : 0x1p-1022;
    for (int64_t e = begin; e < end; e++) {
        const uint32_t id = bi_row_id(&out, e);
        double measure = s->distances[e];
        bool small = false;
        if (id != BI_KDTREE_NONE && a->dist2) {
            measure = bi_kdtree_measure(&a->squares, &s->view, a->nodes[id], q);
            small = a->small && measure < least && s->distances[e] > 0;
        }
        if (id != BI_KDTREE_NONE &&
            (small || (measure == BI_INFINITY && bi_kdtree_are_finite(&s->view, a->nodes[id], q))))
            bi_atomic_min_i64(a->bad, e);
        if (!a->dist2) continue;
        if (single)
            ((float *)a->dist2)[e] = (float)measure;
        else
            ((double *)a->dist2)[e] = measure;
    }
}

#endif
