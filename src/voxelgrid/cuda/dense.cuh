/* Dense views on CUDA: what the fused operations take of a view, and voxels of points. */
#ifndef BI_VOXELGRID_CUDA_DENSE_CUH
#define BI_VOXELGRID_CUDA_DENSE_CUH

#include "core/cuda/launch.cuh"
#include "voxelgrid/voxelgrid.h"

/* A dense view, with three dimensions: of fewer the first are one voxel wide. Voxels have numbers of 31 bits,
 * coordinates of voxels and their differences are exact doubles and floats. */
struct bi_voxelgrid_dense {
    const uint4 *points;
    const uint32_t *starts;
    int32_t side[BI_VOXELGRID_DIM];
    double low[BI_VOXELGRID_DIM], cell, per_cell;
    float voxels;                   /* 1 / cell */
    float middle[BI_VOXELGRID_DIM]; /* of a voxel, less than 0; 0 of coordinates that there are none of */
    float sure;                     /* as near to the middle of a voxel, in voxels, rounding errors do not matter */
    uint32_t origin;                /* what is too much in a key of bits of floats */
};

/* Floats near this one are whole numbers. */
#define BI_VOXELGRID_ROUNDED 0x1.8p23f
enum : uint32_t { BI_VOXELGRID_ROUNDED_BITS = 0x4b400000 };

BI_FN bi_voxelgrid_dense bi_voxelgrid_dense_of(const bi_voxelgrid_view &v)
{
    bi_voxelgrid_dense d = {};
    int64_t farthest = 0;
    d.points = static_cast<const uint4 *>(v.points);
    d.starts = v.starts;
    d.cell = v.cell;
    d.per_cell = 1 / v.cell;
    d.voxels = (float)d.per_cell;
    for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
        const int c = k - (BI_VOXELGRID_DIM - v.dim);
        const int64_t low = c < 0 ? 0 : v.low.at[c], high = c < 0 ? 0 : v.high.at[c];
        d.side[k] = (int32_t)(high - low) + 1;
        d.low[k] = (double)low;
        d.middle[k] = c < 0 ? 0.0f : -0.5f;
        d.origin = d.origin * (uint32_t)d.side[k] + BI_VOXELGRID_ROUNDED_BITS + (uint32_t)low;
        if (-low > farthest) farthest = -low;
        if (high > farthest) farthest = high;
    }
    d.sure = 0.5f - (float)(farthest + 2) * 0x1p-22f;
    return d;
}

/* Row i of the caller's floats; of fewer dimensions the first coordinates are 0. */
__device__ __forceinline__ void bi_voxelgrid_read_row(const bi_voxelgrid_rows &rows, int64_t i, float *q)
{
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
        const int c = k - (BI_VOXELGRID_DIM - rows.dim);
        q[k] = c < 0 ? 0.0f : static_cast<const float *>(rows.data)[i * rows.stride + c];
    }
}

/* The id of a point, and where it is. */
__device__ __forceinline__ uint32_t bi_voxelgrid_read_point(uint4 point, float *q)
{
    q[0] = __uint_as_float(point.x);
    q[1] = __uint_as_float(point.y);
    q[2] = __uint_as_float(point.z);
    return point.w;
}

/* The product with 1 / cell is that near to the quotient by which voxels are defined. */
#define BI_VOXELGRID_NEAR 0x1p-50

/* The number of the voxel of a point that is in the view's box, by divisions where it is needed. */
__device__ __forceinline__ uint32_t bi_voxelgrid_exact_key(const bi_voxelgrid_dense &g, const float *q)
{
    uint32_t key = 0;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const double x = (double)q[c] * g.per_cell, doubt = fabs(x) * BI_VOXELGRID_NEAR;
        double voxel = floor(x);
        if (!(x - voxel > doubt && x - voxel < 1 - doubt)) voxel = floor((double)q[c] / g.cell);
        key = key * (uint32_t)g.side[c] + (uint32_t)(int32_t)(voxel - g.low[c]);
    }
    return key;
}

/* The same, by floats unless a coordinate is so near to the edge of a voxel that it may be beyond it: errors are at
 * most 2^-23 of the farthest voxel's coordinate and 2. */
__device__ __forceinline__ uint32_t bi_voxelgrid_dense_key(const bi_voxelgrid_dense &g, const float *q)
{
    uint32_t key = 0;
    float off = 0;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const float x = fmaf(q[c], g.voxels, g.middle[c]), rounded = x + BI_VOXELGRID_ROUNDED;
        off = fmaxf(off, fabsf(x - (rounded - BI_VOXELGRID_ROUNDED)));
        key = key * (uint32_t)g.side[c] + __float_as_uint(rounded);
    }
    return off < g.sure ? key - g.origin : bi_voxelgrid_exact_key(g, q);
}

#endif
