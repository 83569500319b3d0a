/* Steps that search around queries. */
#ifndef BI_CLOUDS_STEPS_QUERY_H
#define BI_CLOUDS_STEPS_QUERY_H

#include "base/atomic.h"
#include "clouds/steps/walk.h"
#include "core/csr_row_out.h"

/* Queries of all clouds, and the search around each. */
struct bi_clouds_query {
    struct bi_clouds_view view;
    struct bi_clouds_rows rows; /* of the batch's own points: those of the view */
    const int64_t *offsets;     /* (cloud_count + 1) */
    const int64_t *batch;       /* of the caller, in place of offsets until they are made of it */
    const uint32_t *order;      /* row i is query order[i]; NULL: i */
    bool self, exclude_self;    /* the rows are the points of the view; each skips its own id */
    double r2;                  /* only points within it */
    int64_t k;
    int64_t *counts;
    const int64_t *row_offsets;
    void *ids, *dist2;
    bool ids_64bit;
    int64_t *bad;        /* smallest query whose row does not have the expected length */
    uint32_t *long_rows; /* long rows, to be sorted later: see bi_row_list_long */
};

/* The number of the query in row i. */
BI_FN int64_t bi_clouds_query_index(const struct bi_clouds_query *a, int64_t i)
{
    return a->order ? (int64_t)a->order[i] : i;
}

/* The coordinates of row i. */
BI_FN const void *bi_clouds_query_row(const struct bi_clouds_query *a, int64_t i)
{
    return (const char *)a->rows.data + i * a->rows.stride * (int64_t)(a->rows.is_f64 ? sizeof(double) : sizeof(float));
}

/* A walk in a cloud from row i; without leaves if the cloud has no points. */
BI_FN struct bi_clouds_walk bi_clouds_query_walk_in(const struct bi_clouds_query *a, const struct bi_clouds_view *v,
                                                    int64_t cloud, int64_t i, const void *q)
{
    struct bi_clouds_walk w = bi_clouds_walk_of(v, cloud);
    if (a->self)
        w.path = (i - w.offset) >> BI_CLOUDS_LEAF_BITS;
    else if (w.n > 0)
        bi_clouds_locate(v, &w, q);
    return w;
}

/* The same in the cloud of row i. */
BI_FN struct bi_clouds_walk bi_clouds_query_walk(const struct bi_clouds_query *a, const struct bi_clouds_view *v,
                                                 int64_t i, const void *q)
{
    const int64_t number = a->self ? i : bi_clouds_query_index(a, i);
    const int64_t cloud = bi_clouds_cloud_of(a->self ? v->offsets : a->offsets, v->cloud_count, number);
    return bi_clouds_query_walk_in(a, v, cloud, i, q);
}

/* The id that the query in row i skips: none, or its own. */
BI_FN uint32_t bi_clouds_skipped_id(const struct bi_clouds_query *a, int64_t i)
{
    return a->exclude_self ? (uint32_t)bi_clouds_query_index(a, i) : UINT32_MAX;
}

BI_FN void bi_clouds_count_within(const struct bi_clouds_query *a, const struct bi_clouds_view *v, int64_t i)
{
    const void *q = bi_clouds_query_row(a, i);
    const uint32_t skipped = bi_clouds_skipped_id(a, i);
    struct bi_clouds_walk w = bi_clouds_query_walk(a, v, i, q);
    int64_t count = 0, p, end;
    while (bi_clouds_walk_next(v, &w, q, a->r2, UINT32_MAX, &p, &end))
        for (; p < end; p++) count += bi_clouds_dist2(v, p, q) <= a->r2 && v->ids[p] != skipped;
    a->counts[bi_clouds_query_index(a, i)] = count;
}

BI_FN void bi_step_radius_count(const struct bi_clouds_query *a, int64_t i)
{
    BI_CLOUDS_WITH_VIEW(a->view, view, bi_clouds_count_within(a, &view, i));
}

BI_FN void bi_clouds_fill_within(const struct bi_clouds_query *a, const struct bi_clouds_view *v, int64_t i)
{
    const void *q = bi_clouds_query_row(a, i);
    const int64_t number = bi_clouds_query_index(a, i), at = a->row_offsets[number];
    const int64_t capacity = a->row_offsets[number + 1] - at;
    const uint32_t skipped = bi_clouds_skipped_id(a, i);
    const struct bi_row_out out = {a->ids, a->dist2, at, a->ids_64bit, !v->is_f64, false};
    struct bi_clouds_walk w = bi_clouds_query_walk(a, v, i, q);
    int64_t count = 0, p, end;
    while (bi_clouds_walk_next(v, &w, q, a->r2, UINT32_MAX, &p, &end))
        for (; p < end; p++) {
            const double d = bi_clouds_dist2(v, p, q);
            if (!(d <= a->r2) || v->ids[p] == skipped) continue;
            if (count < capacity) bi_row_set(&out, count, d, v->ids[p]);
            count++;
        }
    if (count != capacity)
        bi_atomic_min_i64(a->bad, number);
    else if (!bi_row_list_long(a->long_rows, number, count))
        bi_row_sort(&out, count);
}

/* The number of the query of each entry of the rows: of k entries each if there are no offsets. */
struct bi_clouds_edge_queries {
    const int64_t *row_offsets;
    int64_t k;
    int64_t *queries;
};

BI_FN void bi_step_edge_queries(const struct bi_clouds_edge_queries *a, int64_t i)
{
    const int64_t begin = a->row_offsets ? a->row_offsets[i] : i * a->k;
    const int64_t end = a->row_offsets ? a->row_offsets[i + 1] : begin + a->k;
    for (int64_t e = begin; e < end; e++) a->queries[e] = i;
}

BI_FN void bi_step_radius_fill(const struct bi_clouds_query *a, int64_t i)
{
    BI_CLOUDS_WITH_VIEW(a->view, view, bi_clouds_fill_within(a, &view, i));
}

/* The nearest so far, ascending by (distance, id): up to BI_CLOUDS_SHORT in local arrays, more in the row itself. */
enum { BI_CLOUDS_SHORT = 32 };

struct bi_clouds_nearest {
    double d[BI_CLOUDS_SHORT];
    uint32_t id[BI_CLOUDS_SHORT];
};

/* Inserts a neighbour into a list of `count`; the first k remain. */
BI_FN void bi_clouds_insert_short(struct bi_clouds_nearest *list, int64_t count, int64_t k, double d, uint32_t id)
{
    int64_t to = count < k ? count : k - 1;
    for (; to > 0 && (list->d[to - 1] > d || (list->d[to - 1] == d && list->id[to - 1] > id)); to--) {
        list->d[to] = list->d[to - 1];
        list->id[to] = list->id[to - 1];
    }
    list->d[to] = d;
    list->id[to] = id;
}

/* The same for a row. */
BI_FN void bi_clouds_insert_long(const struct bi_row_out *row, int64_t count, int64_t k, double d, uint32_t id)
{
    int64_t to = count < k ? count : k - 1;
    for (; to > 0; to--) {
        const double other = bi_row_dist2(row, to - 1);
        const uint32_t other_id = bi_row_id(row, to - 1);
        if (other < d || (other == d && other_id < id)) break;
        bi_row_set(row, to, other, other_id);
    }
    bi_row_set(row, to, d, id);
}

BI_FN void bi_clouds_find_nearest(const struct bi_clouds_query *a, const struct bi_clouds_view *v, int64_t i)
{
    const void *q = bi_clouds_query_row(a, i);
    const int64_t k = a->k;
    const bool is_short = k <= BI_CLOUDS_SHORT;
    const uint32_t skipped = bi_clouds_skipped_id(a, i);
    const struct bi_row_out row = {a->ids, a->dist2, bi_clouds_query_index(a, i) * k, a->ids_64bit, !v->is_f64, false};
    struct bi_clouds_walk w = bi_clouds_query_walk(a, v, i, q);
    struct bi_clouds_nearest list;
    /* 1. The bound: the radius, then the last of k neighbours. */
    double bound = a->r2;
    uint32_t bound_id = UINT32_MAX;
    int64_t count = 0, p, end;
    while (bi_clouds_walk_next(v, &w, q, bound, bound_id, &p, &end))
        for (; p < end; p++) {
            const double d = bi_clouds_dist2(v, p, q);
            if (d > bound) continue;
            const uint32_t id = v->ids[p];
            if (id == skipped || (d == bound && id > bound_id)) continue;
            if (is_short)
                bi_clouds_insert_short(&list, count, k, d, id);
            else
                bi_clouds_insert_long(&row, count, k, d, id);
            if (count < k) count++;
            if (count < k) continue;
            bound = is_short ? list.d[k - 1] : bi_row_dist2(&row, k - 1);
            bound_id = is_short ? list.id[k - 1] : bi_row_id(&row, k - 1);
        }
    /* 2. The row, without distances where there are none to write. */
    for (int64_t e = 0; e < count && is_short; e++) bi_row_set(&row, e, list.d[e], list.id[e]);
    for (; count < k; count++) bi_row_set(&row, count, BI_INFINITY, UINT32_MAX);
}

BI_FN void bi_step_knn(const struct bi_clouds_query *a, int64_t i)
{
    BI_CLOUDS_WITH_VIEW(a->view, view, bi_clouds_find_nearest(a, &view, i));
}

#endif
