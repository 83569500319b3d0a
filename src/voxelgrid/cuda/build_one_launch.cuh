/* The one-launch builds of few points: their arguments, the words they report to the host, bounds and view. */
#ifndef BI_VOXELGRID_CUDA_BUILD_ONE_LAUNCH_CUH
#define BI_VOXELGRID_CUDA_BUILD_ONE_LAUNCH_CUH

#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/dense_view.cuh"
#include "voxelgrid/steps/build.h"

#ifdef BI_EMULATE
enum { MAX_VOXEL_POINTS = 16 };
#else
enum { MAX_VOXEL_POINTS = 128 }; /* points of a voxel; ranks by counting are quadratic in it. Not measured */
#endif
enum { BOUNDS = 1 + 2 * BI_VOXELGRID_DIM }; /* first NaN, lows, complements of highs: as `found`, for floats */

/* Words shared by the blocks of the cooperative build; 0 at first. */
struct alignas(16) grid_words {
    unsigned arrived; /* of the barrier */
    uint32_t densest; /* points in the voxels of a warp */
    uint32_t fullest; /* points of a voxel */
};

/* Words for the host, each with READY_BIT: the bounds; then, a word for each reporting block, the number of voxels
 * and `densest`, or 0 if its points are not written. */
enum { BOUND_WORDS = 0, RESULT_WORDS = BOUNDS, RESULT_VOXEL_SHIFT = 32 /* above `densest` */ };

struct one_launch_build {
    bi_voxelgrid_dense_target target; /* its view has cell, dim and n only */
    unsigned long long *host_words;

    /* Of the cooperative build alone. */
    grid_words *words;
    uint32_t *counts; /* by voxel, 0 at first; then the exclusive prefix within its block */
    uint32_t *bounds; /* (blocks x BOUNDS) */
    uint32_t *sums;   /* (blocks) points in the voxels of a block */
    uint32_t *ids;    /* (n) by voxel */
};

/* Decodes the bounds that the device reported into keys of doubles. */
static inline void decode_extent(const unsigned long long *host_words, int32_t dim, uint64_t *found)
{
    const auto key = [&](int k) { return (uint32_t)host_words[BOUND_WORDS + k]; };
    found[BI_VOXELGRID_NAN] = key(BI_VOXELGRID_NAN) == UINT32_MAX ? UINT64_MAX : key(BI_VOXELGRID_NAN);
    for (int c = 0; c < dim; c++) {
        const int k = BI_VOXELGRID_DIM - dim + c;
        found[BI_VOXELGRID_LOW + c] = bi_key_u64_of_f64((double)bi_f32_of_key(key(BI_VOXELGRID_LOW + k)));
        found[BI_VOXELGRID_HIGH + c] = ~bi_key_u64_of_f64((double)bi_f32_of_key(~key(BI_VOXELGRID_HIGH + k)));
    }
}

/* Reports the result of a block; voxels is 0 if the build fails. */
static __device__ __forceinline__ void report_result(const one_launch_build &a, unsigned word, uint32_t voxels,
                                                     uint32_t densest)
{
    bi_notify_host(&a.host_words[RESULT_WORDS + word],
                   READY_BIT | (unsigned long long)voxels << RESULT_VOXEL_SHIFT | densest);
}

/* Bounds of points. A NaN counts as -infinity, so that the view is not dense. */
struct point_bounds {
    uint32_t nan; /* first point with a NaN */
    float low[BI_VOXELGRID_DIM], high[BI_VOXELGRID_DIM];

    __device__ __forceinline__ point_bounds()
        : nan(UINT32_MAX), low{INFINITY, INFINITY, INFINITY}, high{-INFINITY, -INFINITY, -INFINITY}
    {
    }

    __device__ __forceinline__ void add(uint32_t i, const float *q)
    {
#pragma unroll
        for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
            const bool is_nan = q[k] != q[k];
            const float x = is_nan ? -INFINITY : q[k];
            if (is_nan) nan = min(nan, i);
            low[k] = fminf(low[k], x);
            high[k] = fmaxf(high[k], x);
        }
    }

    /* Reduces over the warp; every thread gets the result. */
    __device__ __forceinline__ void reduce_warp(uint32_t *bounds) const
    {
        bounds[BI_VOXELGRID_NAN] = bi_warp_min(nan);
#pragma unroll
        for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
            bounds[BI_VOXELGRID_LOW + k] = bi_warp_min(bi_key_u32_of_f32(low[k]));
            bounds[BI_VOXELGRID_HIGH + k] = bi_warp_min(~bi_key_u32_of_f32(high[k]));
        }
    }
};

/* Bounds of the warps of a block, in shared memory. */
template <int WARPS> struct bounds_shared {
    uint32_t bounds[BOUNDS][WARPS];

    __device__ __forceinline__ void store_warp_bounds(const point_bounds &extent)
    {
        uint32_t own[BOUNDS];
        extent.reduce_warp(own);
        if (threadIdx.x % 32 > 0) return;
#pragma unroll
        for (int k = 0; k < BOUNDS; k++) bounds[k][threadIdx.x / 32] = own[k];
    }

    /* Reduces over the block's warps; lane k gets bound k. */
    __device__ __forceinline__ uint32_t reduce_block_bound() const
    {
        const unsigned lane = threadIdx.x % 32;
        uint32_t own = UINT32_MAX;
#pragma unroll
        for (unsigned k = 0; k < BOUNDS; k++) {
            const uint32_t x = bi_warp_min(lane < WARPS ? bounds[k][lane] : UINT32_MAX);
            if (lane == k) own = x;
        }
        return own;
    }
};

/* The view that follows from the bounds. */
template <int WARPS> struct build_shared : bounds_shared<WARPS> {
    bi_voxelgrid_dense_view view;
    uint32_t entries; /* voxels; 0: the view is not dense */
    uint32_t densest, fullest;
    alignas(16) uint32_t warps[WARPS];

    /* Makes the dense view, and reports the bounds. Called by the first warp, lane k with bound k of all points. */
    __device__ void make_view(const one_launch_build &a, uint32_t bound)
    {
        const unsigned lane = threadIdx.x;
        bi_voxelgrid_view v = a.target.view;
        if (blockIdx.x == 0 && lane < BOUNDS) bi_notify_host(&a.host_words[BOUND_WORDS + lane], READY_BIT | bound);
        const float x = bi_f32_of_key(lane < BI_VOXELGRID_HIGH ? bound : ~bound);
        const int64_t voxel = bi_voxelgrid_voxel_coordinate((double)x, v.cell);
#pragma unroll
        for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
            const int of = BI_VOXELGRID_DIM - v.dim + c;
            v.low.at[c] = __shfl_sync(~0u, voxel, BI_VOXELGRID_LOW + of);
            v.high.at[c] = __shfl_sync(~0u, voxel, BI_VOXELGRID_HIGH + of);
        }
        if (lane > 0) return;
        bi_voxelgrid_shape_box(&v);
        const bool dense = bi_voxelgrid_is_dense(&v);
        if (dense) view = bi_voxelgrid_make_dense_view(v);
        entries = dense ? (uint32_t)v.last_key + 1 : 0;
        densest = fullest = 0;
    }

    /* Turns the counts of a thread's four consecutive voxels into exclusive prefixes within the block; *total is the
     * block's sum. Updates `densest` and `fullest`, valid after the next barrier. */
    __device__ __forceinline__ uint4 scan_counts(uint4 c, uint32_t *total)
    {
        const uint32_t sum = c.x + c.y + c.z + c.w, at = bi_block_exclusive_sum<WARPS>(sum, warps, total);
        const uint32_t near = bi_warp_sum(sum), greatest = bi_warp_max(max(max(c.x, c.y), max(c.z, c.w)));
        if (threadIdx.x % 32 == 0) {
            atomicMax(&densest, near);
            atomicMax(&fullest, greatest);
        }
        return {at, at + c.x, at + c.x + c.y, at + sum - c.w};
    }
};

#endif
