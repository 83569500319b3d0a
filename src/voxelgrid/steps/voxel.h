/* Voxels of points, their keys, and their positions in a grid's order. */
#ifndef BI_VOXELGRID_STEPS_VOXEL_H
#define BI_VOXELGRID_STEPS_VOXEL_H

#include <math.h>

#include "base/bits.h"
#include "voxelgrid/voxelgrid.h"

/* Voxel coordinates are clamped to plus and minus this. */
#define BI_VOXELGRID_FAR 0x1p62

/* Coordinate c of row i in the distance type: exact for F32, rounded to double otherwise. */
BI_FN double bi_voxelgrid_read_coordinate(const struct bi_voxelgrid_rows *r, int64_t i, int32_t c)
{
    int64_t at = i * r->stride + c;
    switch (r->dtype) {
    case BOSC_F32: return (double)((const float *)r->data)[at];
    case BOSC_F64: return ((const double *)r->data)[at];
    case BOSC_I32: return (double)((const int32_t *)r->data)[at];
    default: return (double)((const int64_t *)r->data)[at];
    }
}

/* The voxel coordinate of x. Monotone in x, as rounding and floor are. It saturates at -2^62 (NaN too) and 2^62. */
BI_FN int64_t bi_voxelgrid_voxel_coordinate(double x, double cell)
{
    double v = x / cell;
    if (!(v > -BI_VOXELGRID_FAR)) return -((int64_t)1 << 62);
    if (!(v < BI_VOXELGRID_FAR)) return (int64_t)1 << 62;
    int64_t towards_0 = (int64_t)v; /* exact, and so is the conversion back */
    return towards_0 - (v < (double)towards_0);
}

/* Coordinate c of the point at a position. */
BI_FN double bi_voxelgrid_point_coordinate(const struct bi_voxelgrid_view *v, int64_t position, int32_t c)
{
    if (v->is_f64) return ((const double *)v->points)[position * v->dim + c];
    return (double)((const struct bi_voxelgrid_point *)v->points)[position].at[BI_VOXELGRID_DIM - v->dim + c];
}

BI_FN uint32_t bi_voxelgrid_id_at(const struct bi_voxelgrid_view *v, int64_t position)
{
    return v->is_f64 ? v->ids[position] : ((const struct bi_voxelgrid_point *)v->points)[position].id;
}

/* Element `position` of an array of keys, of 64 or 32 bits. */
BI_FN uint64_t bi_voxelgrid_read_key(const void *keys, bool keys_64bit, int64_t position)
{
    return keys_64bit ? ((const uint64_t *)keys)[position] : ((const uint32_t *)keys)[position];
}

BI_FN uint64_t bi_voxelgrid_key_at(const struct bi_voxelgrid_view *v, int64_t position)
{
    return bi_voxelgrid_read_key(v->keys, v->keys_64bit, position);
}

/* The key of a voxel within the extent. */
BI_FN uint64_t bi_voxelgrid_voxel_key(const struct bi_voxelgrid_view *v, const struct bi_voxelgrid_coords *voxel)
{
    uint64_t key = 0;
    /* A constant bound, so that kernels unroll and keep arrays in registers. */
    for (int32_t c = 0; c < BI_VOXELGRID_DIM; c++)
        if (c < v->dim) key = key * v->side[c] + ((uint64_t)voxel->at[c] - (uint64_t)v->low.at[c]);
    return key;
}

/* The voxel of the point at a position. */
BI_FN struct bi_voxelgrid_coords bi_voxelgrid_voxel_at(const struct bi_voxelgrid_view *v, int64_t position)
{
    struct bi_voxelgrid_coords voxel = {{0, 0, 0}};
    for (int32_t c = 0; c < v->dim; c++)
        voxel.at[c] = bi_voxelgrid_voxel_coordinate(bi_voxelgrid_point_coordinate(v, position, c), v->cell);
    return voxel;
}

/* Most entries of the index: four a point; not measured. */
BI_FN int64_t bi_voxelgrid_max_entries(int64_t n) { return 4 * n; }

/* Most points of fused operations, whose positions are then also signed numbers of 32 bits. */
enum { BI_VOXELGRID_MOST_SMALL = INT32_MAX };

/* True if points are floats, and numbers are small enough for the float arithmetic of fused operations. */
BI_FN bool bi_voxelgrid_is_small(const struct bi_voxelgrid_view *view)
{
    const int64_t far = (int64_t)1 << 22; /* up to here, floats round by adding BI_VOXELGRID_ROUNDED */
    if (view->is_f64 || !view->keyed || view->n > BI_VOXELGRID_MOST_SMALL) return false;
    for (int32_t c = 0; c < BI_VOXELGRID_DIM; c++)
        if (c < view->dim && (view->low.at[c] < -far || view->high.at[c] > far)) return false;
    return view->cell >= 0x1p-60 && view->cell <= 0x1p60;
}

/* True if also each voxel of the box has an entry. */
BI_FN bool bi_voxelgrid_is_dense(const struct bi_voxelgrid_view *view)
{
    return bi_voxelgrid_is_small(view) && view->shift == 0 && view->last_key < INT32_MAX;
}

/* True if instead several voxels share an entry. Keys of bricks are below 2^63, so none has all bits set, as an empty
 * slot has. */
BI_FN bool bi_voxelgrid_is_sparse(const struct bi_voxelgrid_view *view)
{
    return bi_voxelgrid_is_small(view) && view->shift > 0 && view->last_key < UINT64_MAX >> 1;
}

/* Slots of the table of at most n bricks: 1.5 a point keep probes short. Not measured. Fewer than 2^32 for
 * BI_VOXELGRID_MOST_SMALL points. */
BI_FN int64_t bi_voxelgrid_brick_slots(int64_t n) { return n + n / 2 + 1; }

/* Compares voxels: -1, 0 or 1. */
BI_FN int bi_voxelgrid_compare(const struct bi_voxelgrid_view *v, const struct bi_voxelgrid_coords *a,
                               const struct bi_voxelgrid_coords *b)
{
    for (int32_t c = 0; c < v->dim; c++)
        if (a->at[c] != b->at[c]) return a->at[c] < b->at[c] ? -1 : 1;
    return 0;
}

/* The first position with at least this key; n if there is none. */
BI_FN int64_t bi_voxelgrid_find_key(const struct bi_voxelgrid_view *v, uint64_t key)
{
    if (key > v->last_key) return v->n;
    uint64_t entry = key >> v->shift;
    int64_t begin = v->starts[entry];
    if (v->shift == 0) return begin;
    int64_t end = v->starts[entry + 1];
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (bi_voxelgrid_key_at(v, middle) < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The first position with a voxel not before `voxel`; if `after`, with a voxel after it. */
BI_FN int64_t bi_voxelgrid_find_voxel(const struct bi_voxelgrid_view *v, const struct bi_voxelgrid_coords *voxel,
                                      bool after)
{
    int64_t begin = 0, end = v->n;
    if (v->keyed) {
        uint64_t key = bi_voxelgrid_voxel_key(v, voxel) + after;
        return after && key == 0 ? v->n : bi_voxelgrid_find_key(v, key);
    }
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        struct bi_voxelgrid_coords there = bi_voxelgrid_voxel_at(v, middle);
        if (bi_voxelgrid_compare(v, &there, voxel) < after)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* Squared distance of the point at a position from q: terms added in coordinate order, in float or double; infinite
 * for NaN. The same bits as in k-d trees. */
BI_FN double bi_voxelgrid_dist2(const struct bi_voxelgrid_view *v, int64_t position, const double *q)
{
    if (!v->is_f64) {
        const float *p = ((const struct bi_voxelgrid_point *)v->points)[position].at + BI_VOXELGRID_DIM - v->dim;
        float d = (float)q[0] - p[0], s = d * d;
        if (v->dim > 1) {
            d = (float)q[1] - p[1];
            s = s + d * d;
        }
        if (v->dim > 2) {
            d = (float)q[2] - p[2];
            s = s + d * d;
        }
        return s == s ? (double)s : (double)INFINITY;
    }
    const double *p = (const double *)v->points + position * v->dim;
    double s = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        double d = q[c] - p[c];
        s = s + d * d;
    }
    return s == s ? s : (double)INFINITY;
}

/* True if the squared distance of the point at a position from q, *dist2, is at most r2. For r2 = 0 coordinates must be
 * equal, since squares of small differences underflow. */
BI_FN bool bi_voxelgrid_is_within(const struct bi_voxelgrid_view *v, int64_t position, const double *q, double r2,
                                  double *dist2)
{
    *dist2 = bi_voxelgrid_dist2(v, position, q);
    if (!(*dist2 <= r2)) return false;
    bool equal = true;
    if (r2 == 0)
        for (int32_t c = 0; c < v->dim; c++) equal &= q[c] == bi_voxelgrid_point_coordinate(v, position, c);
    return equal;
}

BI_FN void bi_voxelgrid_write_id(void *ids, bool ids_64bit, int64_t at, uint32_t id)
{
    if (ids_64bit)
        ((int64_t *)ids)[at] = (int64_t)id;
    else
        ((uint32_t *)ids)[at] = id;
}

#endif
