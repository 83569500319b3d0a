/* The partition of a pass: moves every point to its cell, or to the side list of the node whose bracket holds it. */
#ifndef BI_KDTREE_CUDA_SAMPLED_PARTITION_POINTS_CUH
#define BI_KDTREE_CUDA_SAMPLED_PARTITION_POINTS_CUH

#include "kdtree/cuda/sampled/multilevel_pass.cuh"

enum { PARTITION_THREADS = 256, PARTITION_ITEMS = 8, PARTITION_TILE = PARTITION_THREADS * PARTITION_ITEMS };

/* Stages a tile in the order of destinations, so that writes to each are contiguous. */
template <int DIM, class KEYS> struct partition_shared {
    bi_kdtree_segment_scatter<DIM, KEYS> scatter;
    uint32_t start[BI_KDTREE_DESTINATIONS]; /* of each destination in the tile */
    bi_kdtree_point<DIM> tile[PARTITION_TILE];
};

/* bi_kdtree_classify from the root, without divergent branches. */
template <int DIM, class KEYS>
static __device__ __forceinline__ uint32_t classify(const bi_kdtree_segment_scatter<DIM, KEYS> &scatter,
                                                    const KEYS &keys, const bi_kdtree_point<DIM> &p, int d, int levels)
{
    uint32_t v = 0, list = 0;
#pragma unroll
    for (int j = 0; j < BI_KDTREE_PASS_LEVELS; j++) {
        if (j == levels) break;
        const bool greater = bi_kdtree_above_bracket(scatter, keys, p, (int)v, d);
        list =
            list == 0 && !greater && !bi_kdtree_below_bracket(scatter, keys, p, (int)v, d) ? BI_KDTREE_CELLS + v : list;
        v = 2 * v + 1 + greater;
        d = bi_kdtree_next_coordinate<DIM>(d);
    }
    return list ? list : v - ((1u << levels) - 1);
}

/* Partitions a tile of a segment; a block a tile. The last tiles of small segments are empty. Brackets and ranges of
 * destinations come from the samples. Adds to work.cursors, work.arrivals and, if pass.counted, the bins of side lists
 * in work.list_bins; all are 0 before. A full destination drops points and sets work.failed; the build then restarts.
 * `to` is not `from`. A destination's points have no fixed order. */
template <int DIM, class KEYS>
static __global__ void __launch_bounds__(PARTITION_THREADS, DIM == 4 ? 3 : 4)
    bi_kdtree_partition_points(const bi_kdtree_pass pass, const KEYS keys, const bi_kdtree_source from,
                               const bi_kdtree_array to, const bi_kdtree_pass_memory work, uint32_t tiles_per_segment)
{
    using shared = struct partition_shared<DIM, KEYS>;
    BI_SHARED(shared, sh);
    bi_kdtree_begin_kernel();
    const uint32_t segment = blockIdx.x / tiles_per_segment, tile = blockIdx.x % tiles_per_segment, t = threadIdx.x;
    const uint2 range = work.segments[segment];
    const uint32_t begin = range.x + tile * PARTITION_TILE;
    if (begin >= range.y) return;
    const uint32_t count = min(range.y - begin, (uint32_t)PARTITION_TILE);
    /* 1. Read the tile while the first warp loads the tables of the segment; the barrier makes these visible. */
    bi_kdtree_point<DIM> p[PARTITION_ITEMS];
#pragma unroll
    for (int k = 0; k < PARTITION_ITEMS; k++)
        if (k * PARTITION_THREADS + t < count) p[k] = keys.template read<DIM>(from, begin + k * PARTITION_THREADS + t);
    if (t < BI_KDTREE_DESTINATIONS) bi_kdtree_segment_scatter_prepare<DIM>(sh.scatter, pass, keys, work, segment, t);
    __syncthreads();
    /* 2. Find the destination of each point and its rank there; the barrier completes the counts. With pass.counted, a
     * point of a side list is also counted in a bin of work.list_bins. */
    uint32_t placed[PARTITION_ITEMS]; /* destination << 16 | rank */
#pragma unroll
    for (int k = 0; k < PARTITION_ITEMS; k++) {
        if (k * PARTITION_THREADS + t >= count) continue;
        /* Coordinates that the whole sample shares are replaced by the next ones that differ. */
        const bi_kdtree_point<DIM> projected = bi_kdtree_point_by_axes(sh.scatter, p[k]);
        uint32_t destination = classify<DIM>(sh.scatter, keys, projected, pass.first, pass.levels);
        placed[k] = destination << 16 | bi_kdtree_segment_scatter_count<DIM, true>(sh.scatter, keys, pass, work,
                                                                                   segment, destination, p[k]);
    }
    __syncthreads();
    /* 3. Scan the counts of the tile and reserve slots in each of the 32 destinations, a lane of the first warp each;
     * the barrier makes them visible. */
    if (t < BI_KDTREE_DESTINATIONS) {
        uint32_t sum = bi_warp_inclusive_sum(sh.scatter.count[t]);
        sh.start[t] = sum - sh.scatter.count[t];
        bi_kdtree_segment_scatter_reserve(sh.scatter, work, segment, t, sh.start[t], 0);
    }
    __syncthreads();
    /* 4. Sort the tile by destination in shared memory; the barrier makes it visible. */
#pragma unroll
    for (int k = 0; k < PARTITION_ITEMS; k++)
        if (k * PARTITION_THREADS + t < count) sh.tile[sh.start[placed[k] >> 16] + (placed[k] & 0xffff)] = p[k];
    __syncthreads();
    /* 5. Write it out. A binary search of the starts finds the destination of each slot. */
#pragma unroll
    for (int k = 0; k < PARTITION_ITEMS; k++) {
        uint32_t at = k * PARTITION_THREADS + t, d = 0;
        if (at >= count) continue;
#pragma unroll
        for (int step = BI_KDTREE_DESTINATIONS / 2; step > 0; step >>= 1)
            if (sh.start[d + step] <= at) d += step;
        bi_kdtree_segment_scatter_write<DIM>(sh.scatter, to, work.side, d, at, sh.tile[at]);
    }
}

template <int DIM, class KEYS>
bosc_status bi_kdtree_run_partition_points(bosc_ctx *ctx, const bi_kdtree_pass &pass, const KEYS &keys,
                                           const bi_kdtree_source &from, const bi_kdtree_array &to,
                                           const bi_kdtree_pass_memory &work)
{
    auto kernel = bi_kdtree_partition_points<DIM, KEYS>;
    uint32_t tiles = (uint32_t)bi_div_up(pass.largest, PARTITION_TILE);
    return BI_KDTREE_RUN_NEXT(ctx, kernel, tiles * pass.segments, PARTITION_THREADS, 0, pass, keys, from, to, work,
                              tiles);
}

/* An instance for the points of one dimension and their keys. */
#define BI_KDTREE_PARTITION_INSTANCE(DIM, KEYS)                                                                       \
    template bosc_status bi_kdtree_run_partition_points<DIM, KEYS>(bosc_ctx *, const bi_kdtree_pass &, const KEYS &,  \
                                                                   const bi_kdtree_source &, const bi_kdtree_array &, \
                                                                   const bi_kdtree_pass_memory &);

#endif
