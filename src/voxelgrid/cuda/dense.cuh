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
};

BI_FN bi_voxelgrid_dense bi_voxelgrid_dense_of(const bi_voxelgrid_view &v)
{
    bi_voxelgrid_dense d = {static_cast<const uint4 *>(v.points), v.starts, {1, 1, 1}, {0, 0, 0}, v.cell, 1 / v.cell};
    for (int32_t c = 0; c < v.dim; c++) {
        d.side[BI_VOXELGRID_DIM - v.dim + c] = (int32_t)v.side[c];
        d.low[BI_VOXELGRID_DIM - v.dim + c] = (double)v.low.at[c];
    }
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

/* The number of the voxel of a point that is in the view's box. */
__device__ __forceinline__ uint32_t bi_voxelgrid_dense_key(const bi_voxelgrid_dense &g, const float *q)
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

#endif
