/* Steps that search around the caller's queries, and that list the occupied voxels. */
#ifndef BI_VOXELGRID_STEPS_QUERY_H
#define BI_VOXELGRID_STEPS_QUERY_H

#include "core/csr_row_out.h"
#include "base/atomic.h"
#include "voxelgrid/steps/voxel.h"
#include "voxelgrid/steps/walk.h"

/* --- Queries ------------------------------------------------------------------------------------------------------ */

/* The caller's queries. */
struct bi_voxelgrid_query {
    struct bi_voxelgrid_view view;
    struct bi_voxelgrid_rows rows;
    double r2, reach;      /* reach: the smallest number of the distance type whose square, rounded, is more than r2 */
    const uint32_t *order; /* row i is query order[i * order_stride]; NULL: i */
    int64_t order_stride;
    bool self; /* the rows are the points of the view, in its order */
    /* The array is that of the build, so row ids[p] is probably near position p: dense searches use the view's
     * order. */
    bool same_source;
    int64_t *counts;
    const int64_t *offsets;
    void *ids, *dist2;
    bool ids_64bit;
    int64_t *bad;        /* smallest query whose row does not have the expected length */
    uint32_t *long_rows; /* long rows, to be sorted later: see bi_row_list_long */
};

/* Reads row i. */
BI_FN void bi_voxelgrid_read_query(const struct bi_voxelgrid_query *a, int64_t i, double *q)
{
    for (int32_t c = 0; c < a->view.dim; c++) q[c] = bi_voxelgrid_read_coordinate(&a->rows, i, c);
}

/* The number of the query in row i. */
BI_FN int64_t bi_voxelgrid_query_index(const struct bi_voxelgrid_query *a, int64_t i)
{
    return a->order ? (int64_t)a->order[i * a->order_stride] : i;
}

/* The voxel of row i; false if it is outside the grid's extent. */
BI_FN bool bi_voxelgrid_query_voxel(const struct bi_voxelgrid_query *a, int64_t i, struct bi_voxelgrid_coords *voxel)
{
    bool inside = a->view.n > 0;
    for (int32_t c = 0; c < a->view.dim; c++) {
        voxel->at[c] = bi_voxelgrid_voxel_coordinate(bi_voxelgrid_read_coordinate(&a->rows, i, c), a->view.cell);
        inside &= voxel->at[c] >= a->view.low.at[c] && voxel->at[c] <= a->view.high.at[c];
    }
    return inside;
}

/* With an entry a voxel, item t serves the rows t, t + items, t + 2 items, ... All index positions are computed
 * before the first is read, so that the reads overlap. */
enum { BI_VOXELGRID_BATCH = 16 };

BI_FN void bi_step_voxel_count_indexed(const struct bi_voxelgrid_query *a, int64_t t)
{
    uint64_t keys[BI_VOXELGRID_BATCH];
    int64_t items = (a->rows.n + BI_VOXELGRID_BATCH - 1) / BI_VOXELGRID_BATCH;
    int count = 0;
    while (count < BI_VOXELGRID_BATCH && t + count * items < a->rows.n) count++;
    for (int k = 0; k < count; k++) {
        struct bi_voxelgrid_coords voxel = {{0, 0, 0}};
        keys[k] =
            bi_voxelgrid_query_voxel(a, t + k * items, &voxel) ? bi_voxelgrid_voxel_key(&a->view, &voxel) : UINT64_MAX;
    }
    for (int k = 0; k < count; k++) {
        bool inside = keys[k] != UINT64_MAX;
        a->counts[bi_voxelgrid_query_index(a, t + k * items)] =
            inside ? a->view.starts[keys[k] + 1] - a->view.starts[keys[k]] : 0;
    }
}

BI_FN void bi_step_voxel_count(const struct bi_voxelgrid_query *a, int64_t i)
{
    struct bi_voxelgrid_coords voxel = {{0, 0, 0}};
    bool inside = bi_voxelgrid_query_voxel(a, i, &voxel);
    a->counts[bi_voxelgrid_query_index(a, i)] =
        inside ? bi_voxelgrid_find_voxel(&a->view, &voxel, true) - bi_voxelgrid_find_voxel(&a->view, &voxel, false) : 0;
}

/* Key of the voxel in the extent nearest to query i, and the number i. */
struct bi_voxelgrid_query_key {
    struct bi_voxelgrid_view view;
    struct bi_voxelgrid_rows rows;
    void *keys; /* 32 or 64 bits, as the view's */
    uint32_t *order;
};

BI_FN void bi_step_query_key(const struct bi_voxelgrid_query_key *a, int64_t i)
{
    struct bi_voxelgrid_coords voxel = {{0, 0, 0}};
    for (int32_t c = 0; c < a->view.dim; c++) {
        int64_t at = bi_voxelgrid_voxel_coordinate(bi_voxelgrid_read_coordinate(&a->rows, i, c), a->view.cell);
        voxel.at[c] = at < a->view.low.at[c] ? a->view.low.at[c] : at > a->view.high.at[c] ? a->view.high.at[c] : at;
    }
    a->order[i] = (uint32_t)i;
    uint64_t key = bi_voxelgrid_voxel_key(&a->view, &voxel);
    if (a->view.keys_64bit)
        ((uint64_t *)a->keys)[i] = key;
    else
        ((uint32_t *)a->keys)[i] = (uint32_t)key;
}

BI_FN void bi_step_radius_count(const struct bi_voxelgrid_query *a, int64_t item)
{
    int64_t i = bi_voxelgrid_query_index(a, item);
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    int64_t count = 0, position, end;
    double d;
    bi_voxelgrid_read_query(a, item, q);
    if (bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
            for (; position < end; position++) count += bi_voxelgrid_is_within(&a->view, position, q, a->r2, &d);
    a->counts[i] = count;
}

BI_FN void bi_step_radius_fill(const struct bi_voxelgrid_query *a, int64_t item)
{
    int64_t i = bi_voxelgrid_query_index(a, item);
    double q[BI_VOXELGRID_DIM];
    struct bi_voxelgrid_walk walk;
    struct bi_row_out out = {a->ids, a->dist2, a->offsets[i], a->ids_64bit, !a->view.is_f64, false};
    int64_t count = 0, capacity = a->offsets[i + 1] - a->offsets[i], position, end;
    bi_voxelgrid_read_query(a, item, q);
    if (bi_voxelgrid_walk_begin(&a->view, &walk, q, a->reach, 0))
        while (bi_voxelgrid_walk_next(&a->view, &walk, &position, &end))
            for (; position < end; position++) {
                double d;
                if (!bi_voxelgrid_is_within(&a->view, position, q, a->r2, &d)) continue;
                if (count < capacity) bi_row_set(&out, count, d, bi_voxelgrid_id_at(&a->view, position));
                count++;
            }
    if (count != capacity)
        bi_atomic_min_i64(a->bad, i);
    else if (!bi_row_list_long(a->long_rows, i, count))
        bi_row_sort(&out, count);
}

/* --- Voxels ------------------------------------------------------------------------------------------------------- */

/* Marks the first positions of voxels. */
struct bi_voxelgrid_voxel_heads {
    struct bi_voxelgrid_view view;
    uint8_t *is_head;
    uint32_t *positions;
};

BI_FN void bi_step_voxel_heads(const struct bi_voxelgrid_voxel_heads *a, int64_t i)
{
    a->positions[i] = (uint32_t)i;
    a->is_head[i] = i == 0;
    if (i == 0) return;
    struct bi_voxelgrid_coords here = bi_voxelgrid_voxel_at(&a->view, i),
                               previous = bi_voxelgrid_voxel_at(&a->view, i - 1);
    a->is_head[i] = bi_voxelgrid_compare(&a->view, &here, &previous) != 0;
}

/* Coordinates and count of voxel k, whose points begin at heads[k]. */
struct bi_voxelgrid_voxel_list {
    struct bi_voxelgrid_view view;
    const uint32_t *heads;
    int64_t count;
    int64_t *coords, *counts; /* either may be NULL */
};

BI_FN void bi_step_list_voxels(const struct bi_voxelgrid_voxel_list *a, int64_t k)
{
    int64_t begin = a->heads[k], end = k + 1 < a->count ? (int64_t)a->heads[k + 1] : a->view.n;
    struct bi_voxelgrid_coords voxel = bi_voxelgrid_voxel_at(&a->view, begin);
    if (a->counts) a->counts[k] = end - begin;
    for (int32_t c = 0; a->coords && c < a->view.dim; c++) a->coords[k * a->view.dim + c] = voxel.at[c];
}

#endif
