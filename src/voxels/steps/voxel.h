/* Coordinates, keys and segments of voxels. */
#ifndef BI_VOXELS_STEPS_VOXEL_H
#define BI_VOXELS_STEPS_VOXEL_H

#include "base/atomic.h"
#include "base/search.h"
#include "voxels/voxels.h"

/* Element `at` of an array of coordinates. */
BI_FN double bi_voxels_coordinate(const void *data, bosc_dtype dtype, int64_t at)
{
    return dtype == BOSC_F32   ? (double)((const float *)data)[at]
           : dtype == BOSC_F64 ? ((const double *)data)[at]
                               : (double)((const int32_t *)data)[at];
}

/* The cloud of row i: the first one that ends after it. offsets (cloud_count + 1): NULL if there is one cloud. */
BI_FN int64_t bi_voxels_cloud_of(const int64_t *offsets, int64_t cloud_count, int64_t i)
{
    return offsets && cloud_count > 1 ? bi_upper_bound_i64(offsets + 1, cloud_count, i) : 0;
}

/* Computes the voxel of a point. Returns false if it has none; comparisons with a NaN are false. */
BI_FN bool bi_voxels_locate(const struct bi_voxels_box *box, const struct bi_voxels_rows *points, int64_t row,
                            int64_t at[BI_VOXELS_DIM])
{
    bool inside = true;
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++) {
        if (c >= box->dim) continue;
        const double x = bi_voxels_coordinate(points->data, points->dtype, row * points->stride + c);
        const double quotient = points->dtype == BOSC_F32
                                    ? (double)(((float)x - (float)box->corner[c]) / (float)box->cell[c])
                                    : (x - box->corner[c]) / box->cell[c];
        /* As both ends are integers, the floor fits if the quotient does. */
        const bool fits = quotient >= box->first[c] && quotient < box->end[c];
        const int64_t towards_0 = fits ? (int64_t)quotient : 0;
        at[c] = fits ? towards_0 - (quotient < (double)towards_0) : 0;
        inside &= fits;
    }
    return inside;
}

/* The key of a voxel in the box. */
BI_FN uint64_t bi_voxels_key(const struct bi_voxels_box *box, int64_t cloud, const int64_t at[BI_VOXELS_DIM])
{
    uint64_t key = (uint64_t)cloud;
    for (int32_t c = 0; c < BI_VOXELS_DIM; c++)
        if (c < box->dim) key = key * box->side[c] + (uint64_t)(at[c] - box->low[c]);
    return key;
}

/* The coordinates of a key's voxel. Returns its cloud. */
BI_FN int64_t bi_voxels_decode(const struct bi_voxels_box *box, bool is_64bit, uint64_t key, int64_t at[BI_VOXELS_DIM])
{
    for (int32_t c = BI_VOXELS_DIM - 1; c >= 0; c--) {
        if (c >= box->dim) continue;
        /* A division of 32 bits, where it serves, takes a device a quarter of the time. */
        const uint64_t above = is_64bit ? key / box->side[c] : (uint32_t)key / (uint32_t)box->side[c];
        at[c] = box->low[c] + (int64_t)(key - above * box->side[c]);
        key = above;
    }
    return (int64_t)key;
}

/* The number of voxels; from the device if the host does not know it. */
BI_FN int64_t bi_voxels_voxel_count(const struct bi_voxels_view *v)
{
    return v->voxel_count >= 0 ? v->voxel_count : v->voxel_offsets[v->cloud_count];
}

/* The rows of a voxel that count: `count` from position `first` on. */
struct bi_voxels_run {
    int64_t first, count;
};

BI_FN struct bi_voxels_run bi_voxels_run_of(const struct bi_voxels_view *v, int64_t voxel)
{
    const uint32_t segment = v->segments[voxel];
    const int64_t first = v->heads[segment], count = v->heads[segment + 1] - first;
    const struct bi_voxels_run run = {first, count < v->max_points ? count : v->max_points};
    return run;
}

#endif
