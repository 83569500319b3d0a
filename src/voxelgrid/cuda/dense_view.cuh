/* Dense views on CUDA: the part of a view that fused operations read, and the voxel of a point by float arithmetic. */
#ifndef BI_VOXELGRID_CUDA_DENSE_VIEW_CUH
#define BI_VOXELGRID_CUDA_DENSE_VIEW_CUH

#include "core/cuda/launch.cuh"
#include "voxelgrid/steps/pairs.h"
#include "voxelgrid/voxelgrid.h"

/* A dense view of three dimensions; missing first dimensions are one voxel thick. Voxel numbers have 31 bits;
 * coordinates of voxels and their differences are exact in double and float. */
struct bi_voxelgrid_dense_view {
    const uint4 *points;
    const uint32_t *starts;
    int32_t side[BI_VOXELGRID_DIM];
    double low[BI_VOXELGRID_DIM], cell, inverse_cell;
    float inverse_cell_f32;             /* 1 / cell */
    float half_voxel[BI_VOXELGRID_DIM]; /* -0.5, which turns rounding into floor; 0 along missing dimensions */
    float certain_offset; /* rounding does not matter for points within this distance of a voxel's middle, in voxels */
    uint32_t key_bias;    /* excess of a key made of the bits of rounded floats */
};

/* 1.5 * 2^23: adding it to a small float rounds to an integer, which the low bits of the sum then hold. */
#define BI_VOXELGRID_ROUNDED 0x1.8p23f
enum : uint32_t { BI_VOXELGRID_ROUNDED_BITS = 0x4b400000 };

/* The dense view of a view for which bi_voxelgrid_is_dense holds. */
BI_FN bi_voxelgrid_dense_view bi_voxelgrid_make_dense_view(const bi_voxelgrid_view &v)
{
    bi_voxelgrid_dense_view d = {};
    int64_t farthest = 0;
    d.points = static_cast<const uint4 *>(v.points);
    d.starts = v.starts;
    d.cell = v.cell;
    d.inverse_cell = 1 / v.cell;
    d.inverse_cell_f32 = (float)d.inverse_cell;
    for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
        const int c = k - (BI_VOXELGRID_DIM - v.dim);
        const int64_t low = c < 0 ? 0 : v.low.at[c], high = c < 0 ? 0 : v.high.at[c];
        d.side[k] = (int32_t)(high - low) + 1;
        d.low[k] = (double)low;
        d.half_voxel[k] = c < 0 ? 0.0f : -0.5f;
        d.key_bias = d.key_bias * (uint32_t)d.side[k] + BI_VOXELGRID_ROUNDED_BITS + (uint32_t)low;
        if (-low > farthest) farthest = -low;
        if (high > farthest) farthest = high;
    }
    d.certain_offset = 0.5f - (float)(farthest + 2) * 0x1p-22f;
    return d;
}

/* Row i of the caller's floats; missing first coordinates are 0. */
__device__ __forceinline__ void bi_voxelgrid_read_row(const bi_voxelgrid_rows &rows, int64_t i, float *q)
{
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
        const int c = k - (BI_VOXELGRID_DIM - rows.dim);
        q[k] = c < 0 ? 0.0f : static_cast<const float *>(rows.data)[i * rows.stride + c];
    }
}

/* Unpacks a point: returns its id, and sets its coordinates. */
__device__ __forceinline__ uint32_t bi_voxelgrid_read_point(uint4 point, float *q)
{
    q[0] = __uint_as_float(point.x);
    q[1] = __uint_as_float(point.y);
    q[2] = __uint_as_float(point.z);
    return point.w;
}

/* Relative error of x * (1 / cell) against the quotient x / cell, which defines voxels. */
#define BI_VOXELGRID_NEAR 0x1p-50

/* The key of a point's voxel, in double; divides where the product is too close to an edge. */
__device__ __forceinline__ uint32_t bi_voxelgrid_exact_key(const bi_voxelgrid_dense_view &g, const float *q)
{
    uint32_t key = 0;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const double x = (double)q[c] * g.inverse_cell, doubt = fabs(x) * BI_VOXELGRID_NEAR;
        double voxel = floor(x);
        if (!(x - voxel > doubt && x - voxel < 1 - doubt)) voxel = floor((double)q[c] / g.cell);
        key = key * (uint32_t)g.side[c] + (uint32_t)(int32_t)(voxel - g.low[c]);
    }
    return key;
}

/* The key of a point's voxel, in float, unless a coordinate is so close to a voxel's edge that rounding may matter.
 * The error is at most 2^-23 times (coordinate of the farthest voxel + 2). */
__device__ __forceinline__ uint32_t bi_voxelgrid_dense_key(const bi_voxelgrid_dense_view &g, const float *q)
{
    uint32_t key = 0;
    float off = 0;
#pragma unroll
    for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
        const float x = fmaf(q[c], g.inverse_cell_f32, g.half_voxel[c]), rounded = x + BI_VOXELGRID_ROUNDED;
        off = fmaxf(off, fabsf(x - (rounded - BI_VOXELGRID_ROUNDED)));
        key = key * (uint32_t)g.side[c] + __float_as_uint(rounded);
    }
    return off < g.certain_offset ? key - g.key_bias : bi_voxelgrid_exact_key(g, q);
}

/* --- Functions of the table --------------------------------------------------------------------------------------- */

/* Set in words of page-locked memory that the device has written, so that the host can wait for them. */
#define READY_BIT (1ull << 63)

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found);
bosc_status bi_cuda_voxelgrid_sort_by_buckets(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                              double *peak_density);
bosc_status bi_cuda_voxelgrid_build_in_one_launch(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                                  uint64_t *found, double *peak_density);

/* Members of bi_voxelgrid_searches. */
bosc_status bi_cuda_voxelgrid_radius_count(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_radius_fill(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_pair_count(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_fill(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_total(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_pair_collect(bosc_ctx *ctx, bi_voxelgrid_pairs *pairs, int64_t capacity,
                                           int64_t totals[2]);
bosc_status bi_cuda_voxelgrid_pair_write(bosc_ctx *ctx, const bi_voxelgrid_pairs *pairs);

/* The same for sparse views with bricks. */
bosc_status bi_cuda_voxelgrid_sparse_radius_count(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_sparse_radius_fill(bosc_ctx *ctx, int64_t n, const void *query);
bosc_status bi_cuda_voxelgrid_sparse_pair_count(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_sparse_pair_fill(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_sparse_pair_total(bosc_ctx *ctx, int64_t n, const void *pairs);
bosc_status bi_cuda_voxelgrid_sparse_pair_collect(bosc_ctx *ctx, bi_voxelgrid_pairs *pairs, int64_t capacity,
                                                  int64_t totals[2]);

#endif
