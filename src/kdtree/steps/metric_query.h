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
    const double *bounds;    /* the largest distance that counts is bounds[number * bound_step]; NULL: any */
    int64_t bound_step;
    bool exclude_self, later; /* id `number` does not count; only larger ids count */
    int64_t k;
    int64_t *counts;
    const int64_t *offsets;
    void *ids;
    double *distances;
    bool wide_ids;
    int64_t *bad; /* lowered to the smallest query whose row has the wrong length */
};

BI_FN int64_t bi_kdtree_query_number(const struct bi_kdtree_metric_search *a, int64_t i)
{
    return a->numbers ? (int64_t)a->numbers[i] : i;
}

BI_FN double bi_kdtree_query_limit(const struct bi_kdtree_metric_search *a, int64_t number)
{
    return a->bounds ? bi_kdtree_measure_of(&a->metric, a->bounds[number * a->bound_step]) : BI_INFINITY;
}

/* True if the options of the query admit a node as a result. */
BI_FN bool bi_kdtree_query_admits(const struct bi_kdtree_metric_search *a, int64_t number, uint32_t id)
{
    return !(a->exclude_self && (int64_t)id == number) && !(a->later && (int64_t)id <= number);
}

/* Converts measures to distances. */
BI_FN void bi_kdtree_convert_measures(const struct bi_kdtree_metric *m, double *distances, int64_t count)
{
    for (int64_t e = 0; e < count; e++) distances[e] = bi_kdtree_distance_of(m, distances[e]);
}

BI_FN void bi_step_query_knn(const struct bi_kdtree_metric_search *a, int64_t i)
{
    const int64_t number = bi_kdtree_query_number(a, i);
    const double *q = a->queries + i * a->view.dim;
    const struct bi_row_out out = {a->ids, a->distances, number * a->k, a->wide_ids, false, false};
    struct bi_kdtree_metric_walk walk;
    struct bi_kdtree_range run;
    double limit = bi_kdtree_query_limit(a, number);
    int64_t count = 0;
    /* Collect the k nearest in a max-heap in the output row; once it is full, its root is the limit. Then sort it. */
    bi_kdtree_metric_walk_begin(&walk, &a->view, &a->metric, q, NULL);
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

/* values[i] = its square root. */
struct bi_kdtree_roots {
    double *values;
};

BI_FN void bi_step_roots(const struct bi_kdtree_roots *a, int64_t i) { a->values[i] = bi_sqrt(a->values[i]); }

#endif
