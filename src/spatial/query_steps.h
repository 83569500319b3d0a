/* Steps that look for points: around the caller's queries, and around every point of the grid. */
#ifndef BI_SPATIAL_QUERY_STEPS_H
#define BI_SPATIAL_QUERY_STEPS_H

#include "base/union_find.h"
#include "core/row_out.h"
#include "core/csr_steps.h"
#include "spatial/voxel.h"

BI_FN void bi_grid_set_id(void *ids, bool wide, int64_t at, uint32_t id)
{
    if (wide)
        ((int64_t *)ids)[at] = (int64_t)id;
    else
        ((uint32_t *)ids)[at] = id;
}

/* The caller's queries. */
struct bi_grid_query {
    struct bi_grid_view view;
    struct bi_grid_rows rows;
    double r2, reach;      /* reach: the smallest number of the distance type whose square, rounded, is more than r2 */
    const uint32_t *order; /* which query row i is, near ones together; NULL: the rows are as they were given */
    int64_t *counts;
    const int64_t *offsets;
    void *ids, *dist2;
    bool wide_ids;
    int64_t *bad;        /* the smallest query whose row has another length than its answer */
    uint32_t *long_rows; /* those left to sort, as in bi_row_leave */
};

BI_FN void bi_grid_query_at(const struct bi_grid_query *a, int64_t i, double *q)
{
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_grid_number(&a->rows, i, c);
}

/* The voxel of query i; false if it is outside the grid's extent. */
BI_FN bool bi_grid_query_cell(const struct bi_grid_query *a, int64_t i, struct bi_grid_cell *cell)
{
    bool inside = a->view.n > 0;
    for (int32_t c = 0; c < a->view.dim; c++) {
        cell->at[c] = bi_grid_voxel(bi_grid_number(&a->rows, i, c), a->view.cell);
        inside &= cell->at[c] >= a->view.low.at[c] && cell->at[c] <= a->view.high.at[c];
    }
    return inside;
}

/* Where each voxel has an entry of its own, item t serves the queries t, t + items, t + 2 items, ...: all their places
 * are known before the first one is read, so that reads overlap. */
enum { BI_GRID_TOGETHER = 16 };

BI_FN void bi_step_grid_entries(const struct bi_grid_query *a, int64_t t)
{
    uint64_t keys[BI_GRID_TOGETHER];
    int64_t items = (a->rows.n + BI_GRID_TOGETHER - 1) / BI_GRID_TOGETHER;
    int count = 0;
    while (count < BI_GRID_TOGETHER && t + count * items < a->rows.n) count++;
    for (int k = 0; k < count; k++) {
        struct bi_grid_cell cell = {{0, 0, 0}};
        keys[k] = bi_grid_query_cell(a, t + k * items, &cell) ? bi_grid_pack(&a->view, &cell) : UINT64_MAX;
    }
    for (int k = 0; k < count; k++) {
        bool inside = keys[k] != UINT64_MAX;
        a->counts[t + k * items] = inside ? a->view.starts[keys[k] + 1] - a->view.starts[keys[k]] : 0;
    }
}

BI_FN void bi_step_grid_inhabitants(const struct bi_grid_query *a, int64_t i)
{
    struct bi_grid_cell cell = {{0, 0, 0}};
    bool inside = bi_grid_query_cell(a, i, &cell);
    a->counts[i] = inside ? bi_grid_find(&a->view, &cell, true) - bi_grid_find(&a->view, &cell, false) : 0;
}

/* The key of the voxel of the grid's extent that is nearest to query i, and its number. */
struct bi_grid_order {
    struct bi_grid_view view;
    struct bi_grid_rows rows;
    void *keys; /* as wide as the view's */
    uint32_t *order;
};

BI_FN void bi_step_grid_order(const struct bi_grid_order *a, int64_t i)
{
    struct bi_grid_cell cell = {{0, 0, 0}};
    for (int32_t c = 0; c < a->view.dim; c++) {
        int64_t at = bi_grid_voxel(bi_grid_number(&a->rows, i, c), a->view.cell);
        cell.at[c] = at < a->view.low.at[c] ? a->view.low.at[c] : at > a->view.high.at[c] ? a->view.high.at[c] : at;
    }
    a->order[i] = (uint32_t)i;
    uint64_t key = bi_grid_pack(&a->view, &cell);
    if (a->view.wide_keys)
        ((uint64_t *)a->keys)[i] = key;
    else
        ((uint32_t *)a->keys)[i] = (uint32_t)key;
}

BI_FN void bi_step_grid_count(const struct bi_grid_query *a, int64_t item)
{
    int64_t i = a->order ? (int64_t)a->order[item] : item;
    double q[BI_GRID_DIM];
    struct bi_grid_walk walk;
    int64_t count = 0, place, end;
    bi_grid_query_at(a, item, q);
    if (bi_grid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_grid_walk_next(&a->view, &walk, &place, &end))
            for (; place < end; place++) count += bi_grid_dist2(&a->view, place, q) <= a->r2;
    a->counts[i] = count;
}

BI_FN void bi_step_grid_fill(const struct bi_grid_query *a, int64_t item)
{
    int64_t i = a->order ? (int64_t)a->order[item] : item;
    double q[BI_GRID_DIM];
    struct bi_grid_walk walk;
    struct bi_row_out out = {a->ids, a->dist2, a->offsets[i], a->wide_ids, !a->view.wide, false};
    int64_t count = 0, room = a->offsets[i + 1] - a->offsets[i], place, end;
    bi_grid_query_at(a, item, q);
    if (bi_grid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_grid_walk_next(&a->view, &walk, &place, &end))
            for (; place < end; place++) {
                double d = bi_grid_dist2(&a->view, place, q);
                if (!(d <= a->r2)) continue;
                if (count < room) bi_row_set(&out, count, d, a->view.ids[place]);
                count++;
            }
    if (count != room)
        bi_atomic_min_i64(a->bad, i);
    else if (!bi_row_leave(a->long_rows, i, count))
        bi_row_sort(&out, count);
}

/* All pairs: items are places; a pair belongs to the smaller id. */
struct bi_grid_pairs {
    struct bi_grid_view view;
    double r2, reach;
    int64_t *counts;        /* by id */
    const int64_t *offsets; /* by id */
    void *pairs, *dist2;
    bool wide_ids;
    uint32_t *long_rows; /* as of queries */
};

BI_FN void bi_step_grid_pair_count(const struct bi_grid_pairs *a, int64_t i)
{
    double q[BI_GRID_DIM];
    struct bi_grid_walk walk;
    uint32_t id = a->view.ids[i];
    int64_t count = 0, place, end;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_grid_at(&a->view, i, c);
    if (bi_grid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_grid_walk_next(&a->view, &walk, &place, &end))
            for (; place < end; place++) count += a->view.ids[place] > id && bi_grid_dist2(&a->view, place, q) <= a->r2;
    a->counts[id] = count;
}

BI_FN void bi_step_grid_pair_fill(const struct bi_grid_pairs *a, int64_t i)
{
    double q[BI_GRID_DIM];
    struct bi_grid_walk walk;
    uint32_t id = a->view.ids[i];
    struct bi_row_out out = {a->pairs, a->dist2, a->offsets[id], a->wide_ids, !a->view.wide, true};
    int64_t count = 0, place, end;
    if (a->offsets[id + 1] == out.at) return;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_grid_at(&a->view, i, c);
    if (!bi_grid_walk_begin(&a->view, &walk, q, a->reach, 0)) return;
    while (bi_grid_walk_next(&a->view, &walk, &place, &end))
        for (; place < end; place++) {
            if (a->view.ids[place] <= id) continue;
            double d = bi_grid_dist2(&a->view, place, q);
            if (!(d <= a->r2)) continue;
            bi_grid_set_id(a->pairs, a->wide_ids, 2 * (out.at + count), id);
            bi_row_set(&out, count++, d, a->view.ids[place]);
        }
    if (!bi_row_leave(a->long_rows, id, count)) bi_row_sort(&out, count);
}

/* Groups: items are places, or ids. */
struct bi_grid_groups {
    struct bi_grid_view view;
    double r2, reach;
    uint32_t *parent; /* by id */
    uint8_t *roots;
    void *labels;
    bool wide_ids;
};

BI_FN void bi_step_grid_alone(const struct bi_grid_groups *a, int64_t i) { a->parent[i] = (uint32_t)i; }

/* Joins the point at a place with those after it. */
BI_FN void bi_step_grid_join(const struct bi_grid_groups *a, int64_t i)
{
    double q[BI_GRID_DIM];
    struct bi_grid_walk walk;
    int64_t place, end;
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_grid_at(&a->view, i, c);
    if (!bi_grid_walk_begin(&a->view, &walk, q, a->reach, i + 1)) return;
    while (bi_grid_walk_next(&a->view, &walk, &place, &end))
        for (; place < end; place++)
            if (bi_grid_dist2(&a->view, place, q) <= a->r2) bi_uf_union(a->parent, a->view.ids[i], a->view.ids[place]);
}

BI_FN void bi_step_grid_roots(const struct bi_grid_groups *a, int64_t i) { a->roots[i] = a->parent[i] == (uint32_t)i; }

BI_FN void bi_step_grid_label(const struct bi_grid_groups *a, int64_t i)
{
    bi_grid_set_id(a->labels, a->wide_ids, i, a->parent[i]);
}

#endif
