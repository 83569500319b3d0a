/* What builds of few points in one launch have in common: what the host is told, and the extent. */
#ifndef BI_VOXELGRID_CUDA_SMALL_CUH
#define BI_VOXELGRID_CUDA_SMALL_CUH

#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/dense.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/build.h"

#ifdef BI_EMULATE
enum { SMALL_CROWD = 16 };
#else
enum { SMALL_CROWD = 128 /* points of a voxel, at most */ };
#endif
enum { EDGES = 1 + 2 * BI_VOXELGRID_DIM /* as of found, for floats */ };

/* Words of all blocks that run together; 0 at first. */
struct alignas(16) small_place_words {
    unsigned arrived; /* of the barrier */
    uint32_t most;    /* points in neighbouring voxels */
    uint32_t largest; /* points of a voxel */
};

/* Words for the host, each with TOLD: the extent's edges, then, of each of some blocks, the number of voxels and
 * `most`, or 0 where points are not placed. */
enum { TOLD_EDGES = 0, TOLD_DONE = EDGES, TOLD_VOXELS = 32 /* above `most` */ };

struct small_place {
    bi_voxelgrid_place place; /* its view's shape comes from the extent */
    unsigned long long *told;

    /* Of blocks that run together. */
    small_place_words *words;
    uint32_t *counts; /* by voxel, 0 at first; then how many points come before in voxels of its block */
    uint32_t *edges;  /* (blocks x EDGES) */
    uint32_t *sums;   /* (blocks) points in the voxels of a block */
    uint32_t *ids;    /* (n) by voxel */
};

/* The extent that the host was told of. */
static inline void read_told_extent(const unsigned long long *told, int32_t dim, uint64_t *found)
{
    const auto key = [&](int k) { return (uint32_t)told[TOLD_EDGES + k]; };
    found[BI_VOXELGRID_NAN] = key(BI_VOXELGRID_NAN) == UINT32_MAX ? UINT64_MAX : key(BI_VOXELGRID_NAN);
    for (int c = 0; c < dim; c++) {
        const int k = BI_VOXELGRID_DIM - dim + c;
        found[BI_VOXELGRID_LOW + c] = bi_key_u64_of_f64((double)bi_f32_of_key(key(BI_VOXELGRID_LOW + k)));
        found[BI_VOXELGRID_HIGH + c] = ~bi_key_u64_of_f64((double)bi_f32_of_key(~key(BI_VOXELGRID_HIGH + k)));
    }
}

static __device__ __forceinline__ void tell_done(const small_place &a, unsigned word, uint32_t voxels, uint32_t most)
{
    bi_notify_host(&a.told[TOLD_DONE + word], TOLD | (unsigned long long)voxels << TOLD_VOXELS | most);
}

/* The extent of some points. A NaN is far away, as -infinity, so that a view is not dense. */
struct small_place_extent {
    uint32_t nan; /* the first point that has one */
    float low[BI_VOXELGRID_DIM], high[BI_VOXELGRID_DIM];

    __device__ __forceinline__ small_place_extent()
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

    /* The edges of the warp's points, for each thread. */
    __device__ __forceinline__ void join_warp(uint32_t *edges) const
    {
        edges[BI_VOXELGRID_NAN] = bi_warp_least(nan);
#pragma unroll
        for (int k = 0; k < BI_VOXELGRID_DIM; k++) {
            edges[BI_VOXELGRID_LOW + k] = bi_warp_least(bi_key_u32_of_f32(low[k]));
            edges[BI_VOXELGRID_HIGH + k] = bi_warp_least(~bi_key_u32_of_f32(high[k]));
        }
    }
};

/* The same in shared memory. */
template <int WARPS> struct small_extent_shared {
    uint32_t edges[EDGES][WARPS];

    __device__ __forceinline__ void set_edges(const small_place_extent &extent)
    {
        uint32_t own[EDGES];
        extent.join_warp(own);
        if (threadIdx.x % 32 > 0) return;
#pragma unroll
        for (int k = 0; k < EDGES; k++) edges[k][threadIdx.x / 32] = own[k];
    }

    /* Lane k of a warp gets edge k of the block. */
    __device__ __forceinline__ uint32_t joined_edge() const
    {
        const unsigned lane = threadIdx.x % 32;
        uint32_t own = UINT32_MAX;
#pragma unroll
        for (unsigned k = 0; k < EDGES; k++) {
            const uint32_t x = bi_warp_least(lane < WARPS ? edges[k][lane] : UINT32_MAX);
            if (lane == k) own = x;
        }
        return own;
    }
};

/* What follows from it. */
template <int WARPS> struct small_place_shared : small_extent_shared<WARPS> {
    bi_voxelgrid_dense view;
    uint32_t entries; /* 0: the view is not dense */
    uint32_t most, largest;
    alignas(16) uint32_t warps[WARPS];

    /* Makes the view, and tells the host of the edges; the first warp calls it, lane k with edge k of all points. */
    __device__ void make_view(const small_place &a, uint32_t edge)
    {
        const unsigned lane = threadIdx.x;
        bi_voxelgrid_view v = a.place.view;
        if (blockIdx.x == 0 && lane < EDGES) bi_notify_host(&a.told[TOLD_EDGES + lane], TOLD | edge);
        const float x = bi_f32_of_key(lane < BI_VOXELGRID_HIGH ? edge : ~edge);
        const int64_t voxel = bi_voxelgrid_coordinate((double)x, v.cell);
#pragma unroll
        for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
            const int of = BI_VOXELGRID_DIM - v.dim + c;
            v.low.at[c] = __shfl_sync(~0u, voxel, BI_VOXELGRID_LOW + of);
            v.high.at[c] = __shfl_sync(~0u, voxel, BI_VOXELGRID_HIGH + of);
        }
        if (lane > 0) return;
        bi_voxelgrid_shape_box(&v);
        const bool dense = bi_voxelgrid_is_dense(&v);
        if (dense) view = bi_voxelgrid_dense_of(v);
        entries = dense ? (uint32_t)v.last_key + 1 : 0;
        most = largest = 0;
    }

    /* From the points in a thread's voxels, which lie beside each other, to how many come before in those of the block,
     * which has *total; finds where most points are, which all know after a barrier. */
    __device__ __forceinline__ uint4 add_up(uint4 c, uint32_t *total)
    {
        const uint32_t sum = c.x + c.y + c.z + c.w, at = bi_block_exclusive_sum<WARPS>(sum, warps, total);
        const uint32_t near = bi_warp_sum(sum), greatest = bi_warp_greatest(max(max(c.x, c.y), max(c.z, c.w)));
        if (threadIdx.x % 32 == 0) {
            atomicMax(&most, near);
            atomicMax(&largest, greatest);
        }
        return {at, at + c.x, at + c.x + c.y, at + sum - c.w};
    }
};

#endif
