/* Steps that build a grid. */
#ifndef BI_VOXELGRID_STEPS_BUILD_H
#define BI_VOXELGRID_STEPS_BUILD_H

#include "base/atomic.h"
#include "voxelgrid/steps/voxel.h"

/* Sets *row to the smallest row with a NaN. */
struct bi_voxelgrid_find_nan {
    struct bi_voxelgrid_rows rows;
    int64_t *row;
};

BI_FN void bi_step_find_nan(const struct bi_voxelgrid_find_nan *a, int64_t i)
{
    bool nan = false;
    for (int32_t c = 0; c < a->rows.dim; c++) {
        double x = bi_voxelgrid_read_coordinate(&a->rows, i, c);
        nan |= x != x;
    }
    if (nan) bi_atomic_min_i64(a->row, i);
}

/* Item t of `extent` reduces the rows t, t + items, t + 2 items, ...; there are min(n, BI_VOXELGRID_ITEMS) items.
 * The others index `found`. */
enum {
    BI_VOXELGRID_ITEMS = 32768,
    BI_VOXELGRID_NAN = 0,
    BI_VOXELGRID_LOW = 1,
    BI_VOXELGRID_HIGH = 4,
    BI_VOXELGRID_FOUND = 7
};

/* Minima, all UINT64_MAX at first: row with a NaN, ordered key of each coordinate, and complement of that key. */
struct bi_voxelgrid_extent {
    struct bi_voxelgrid_rows rows;
    int64_t items;
    uint64_t *found;
};

/* The ordered key of coordinate c of row i. A NaN counts as -infinity, and lowers *nan to its row. */
BI_FN uint64_t bi_voxelgrid_extent_key(const struct bi_voxelgrid_rows *rows, int64_t i, int32_t c, uint64_t *nan)
{
    double x = bi_voxelgrid_read_coordinate(rows, i, c);
    if (x == x) return bi_key_u64_of_f64(x);
    if ((uint64_t)i < *nan) *nan = (uint64_t)i;
    return bi_key_u64_of_f64(-(double)INFINITY);
}

BI_FN void bi_step_extent(const struct bi_voxelgrid_extent *a, int64_t t)
{
    for (int32_t c = 0; c < a->rows.dim; c++) {
        uint64_t low = UINT64_MAX, not_high = UINT64_MAX, nan = UINT64_MAX;
        for (int64_t i = t; i < a->rows.n; i += a->items) {
            uint64_t key = bi_voxelgrid_extent_key(&a->rows, i, c, &nan);
            if (key < low) low = key;
            if (~key < not_high) not_high = ~key;
        }
        if (nan != UINT64_MAX) bi_atomic_min_u64(&a->found[BI_VOXELGRID_NAN], nan);
        bi_atomic_min_u64(&a->found[BI_VOXELGRID_LOW + c], low);
        bi_atomic_min_u64(&a->found[BI_VOXELGRID_HIGH + c], not_high);
    }
}

/* Sets the shape of the keys from the box of the voxels. */
BI_FN void bi_voxelgrid_shape_box(struct bi_voxelgrid_view *v)
{
    v->key_bits = v->shift = 0;
    v->last_key = 0;
    for (int32_t c = 0; c < BI_VOXELGRID_DIM; c++) {
        if (c >= v->dim) continue;
        v->side[c] = (uint64_t)v->high.at[c] - (uint64_t)v->low.at[c] + 1;
        v->key_bits += bi_bit_length(v->side[c] - 1);
    }
    v->keyed = v->key_bits <= 64;
    if (v->keyed) v->last_key = bi_voxelgrid_voxel_key(v, &v->high);
    v->keys_64bit = v->last_key > UINT32_MAX;
    while (v->last_key >> v->shift >= (uint64_t)bi_voxelgrid_max_entries(v->n)) v->shift++;
}

/* Sets the box of the voxels from the extent, and the shape of the keys. */
BI_FN void bi_voxelgrid_shape_keys(struct bi_voxelgrid_view *v, const uint64_t *found)
{
    for (int32_t c = 0; c < v->dim; c++) {
        v->low.at[c] = bi_voxelgrid_voxel_coordinate(bi_f64_of_key(found[BI_VOXELGRID_LOW + c]), v->cell);
        v->high.at[c] = bi_voxelgrid_voxel_coordinate(bi_f64_of_key(~found[BI_VOXELGRID_HIGH + c]), v->cell);
    }
    bi_voxelgrid_shape_box(v);
}

/* The voxel of row i. */
BI_FN struct bi_voxelgrid_coords bi_voxelgrid_voxel_of(const struct bi_voxelgrid_rows *rows, double cell, int64_t i)
{
    struct bi_voxelgrid_coords voxel = {{0, 0, 0}};
    for (int32_t c = 0; c < BI_VOXELGRID_DIM; c++)
        if (c < rows->dim) voxel.at[c] = bi_voxelgrid_voxel_coordinate(bi_voxelgrid_read_coordinate(rows, i, c), cell);
    return voxel;
}

/* Key and number of row i. */
struct bi_voxelgrid_key {
    struct bi_voxelgrid_view view;
    struct bi_voxelgrid_rows rows;
    void *keys; /* 32 or 64 bits, as the view's; NULL where there are none */
    uint32_t *ids;
};

BI_FN void bi_step_key(const struct bi_voxelgrid_key *a, int64_t i)
{
    a->ids[i] = (uint32_t)i;
    if (!a->keys) return;
    struct bi_voxelgrid_coords voxel = bi_voxelgrid_voxel_of(&a->rows, a->view.cell, i);
    uint64_t key = bi_voxelgrid_voxel_key(&a->view, &voxel);
    if (a->view.keys_64bit)
        ((uint64_t *)a->keys)[i] = key;
    else
        ((uint32_t *)a->keys)[i] = (uint32_t)key;
}

/* Voxel coordinate c of row perm[i]. */
struct bi_voxelgrid_column {
    struct bi_voxelgrid_rows rows;
    double cell;
    int32_t c;
    const uint32_t *perm;
    int64_t *out;
};

BI_FN void bi_step_column(const struct bi_voxelgrid_column *a, int64_t i)
{
    a->out[i] = bi_voxelgrid_voxel_coordinate(bi_voxelgrid_read_coordinate(&a->rows, a->perm[i], a->c), a->cell);
}

/* The point of row ids[i], in the format of a view. */
struct bi_voxelgrid_gather {
    struct bi_voxelgrid_rows rows;
    const uint32_t *ids;
    int64_t count;
    size_t size; /* of a coordinate that is read */
    bool is_f64; /* doubles are written */
    void *points;
};

/* Row i as a point of floats. */
BI_FN struct bi_voxelgrid_point bi_voxelgrid_point_of(const struct bi_voxelgrid_rows *rows, int64_t i)
{
    struct bi_voxelgrid_point point = {{0, 0, 0}, (uint32_t)i};
    for (int32_t k = 0; k < BI_VOXELGRID_DIM; k++) {
        int32_t c = k - (BI_VOXELGRID_DIM - rows->dim);
        if (c >= 0) point.at[k] = (float)bi_voxelgrid_read_coordinate(rows, i, c);
    }
    return point;
}

BI_FN void bi_step_gather(const struct bi_voxelgrid_gather *a, int64_t i)
{
#ifndef __CUDA_ARCH__ /* random access: prefetch a later row; other distances are not measured */
    int64_t later = i + 16 < a->count ? i + 16 : i;
    __builtin_prefetch((const char *)a->rows.data + a->ids[later] * a->rows.stride * (int64_t)a->size);
#endif
    if (!a->is_f64)
        ((struct bi_voxelgrid_point *)a->points)[i] = bi_voxelgrid_point_of(&a->rows, a->ids[i]);
    else
        for (int32_t c = 0; c < a->rows.dim; c++)
            ((double *)a->points)[i * a->rows.dim + c] = bi_voxelgrid_read_coordinate(&a->rows, a->ids[i], c);
}

/* starts[e + 1] = end of the keys of entry e, if it has any; a maximum scan fills in the others. */
struct bi_voxelgrid_index {
    struct bi_voxelgrid_view view;
    uint32_t *starts;
};

BI_FN void bi_step_index(const struct bi_voxelgrid_index *a, int64_t i)
{
    uint64_t entry = bi_voxelgrid_key_at(&a->view, i) >> a->view.shift;
    if (i + 1 < a->view.n && bi_voxelgrid_key_at(&a->view, i + 1) >> a->view.shift == entry) return;
    a->starts[entry + 1] = (uint32_t)(i + 1);
}

#endif
