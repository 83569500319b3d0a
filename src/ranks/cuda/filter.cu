/* Candidates for the medians of a k-d tree over ranks. A block passes over tiles of the rows. It counts in shared
 * memory, and lists a tile's candidates there, so that a tile has one atomic operation on the length of the list. */
#include "ranks/cuda/filter.cuh"

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"
#include "ranks/cuda/move_runs.cuh"

namespace
{

/* SHARED_LEVELS: levels up to which a block has its own counters, of 8 KB at most; at deeper ones they are global. */
enum { THREADS = 256, STEPS = 8, TILE = THREADS * STEPS, SHARED_LEVELS = 10 };

struct filter_shared {
    uint32_t rows[TILE];
    uint32_t count, begin;
};

__device__ __forceinline__ void count_class(const bi_ranks_kdtree_filter &a, uint32_t *counts, int32_t own_class,
                                            uint32_t number)
{
    if (a.level <= SHARED_LEVELS)
        atomicAdd(&counts[own_class], number);
    else
        atomicAdd(reinterpret_cast<unsigned long long *>(&a.counts[own_class]), (unsigned long long)number);
}

/* Reports the first row with a NaN among those of the thread. */
template <int DTYPE> __device__ void report_nan(const bi_ranks_kdtree_filter &a, int64_t first)
{
    for (int s = STEPS - 1; s >= 0; s--) {
        const int64_t i = first + s * THREADS;
        if (i < a.points.rows.n && bi_ranks_kdtree_has_nan(&a.points, (bosc_dtype)DTYPE, i))
            atomicMin(reinterpret_cast<long long *>(a.nan), (long long)i);
    }
}

/* IS_FIRST: the level is 0, so that no row is compared with cuts. */
template <int DTYPE, bool IS_FIRST>
__global__ void __launch_bounds__(THREADS) bi_ranks_filter_points(const bi_ranks_kdtree_filter a, int64_t tiles)
{
    BI_SHARED(filter_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, counts);
    const int64_t n = a.points.rows.n;
    const int counters = a.level <= SHARED_LEVELS ? 2 << a.level : 0, class_bits = a.level + 1;
    for (int c = (int)threadIdx.x; c < counters; c += THREADS) counts[c] = 0;
    for (int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        /* 1. Empty the list. The first barrier waits until all threads have written out the last tile's list. The
         * second makes the length visible, and before the first tile the zero counters. */
        __syncthreads();
        if (threadIdx.x == 0) sh.count = 0;
        __syncthreads();
        /* 2. Classify the rows. The loads of their keys are in flight together. */
        const int64_t first = tile * TILE + threadIdx.x;
        const int32_t level = IS_FIRST ? 0 : a.level;
        uint64_t keys[STEPS];
        int32_t own[STEPS];
        bool has_nan = false;
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            if (first + s * THREADS < n)
                keys[s] = bi_ranks_kdtree_filter_key(&a, (bosc_dtype)DTYPE, level, first + s * THREADS);
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            const int64_t i = first + s * THREADS;
            own[s] = i < n ? bi_ranks_kdtree_class_of(&a, (bosc_dtype)DTYPE, level, i, keys[s]) : BI_RANKS_NEITHER;
        }
#pragma unroll
        for (int s = 0; s < STEPS; s++)
            if (IS_FIRST && a.checks_nan && first + s * THREADS < n)
                has_nan |= bi_ranks_kdtree_has_nan(&a.points, (bosc_dtype)DTYPE, first + s * THREADS);
        if (has_nan) report_nan<DTYPE>(a, first);
            /* 3. Count and list. The lowest lane of each class counts its lanes. */
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            const bool counts_row = own[s] >= 0, is_candidate = counts_row && own[s] & 1;
            const unsigned lanes = bi_ranks_lanes_of_owner(counts_row, (uint32_t)own[s], class_bits);
            if (counts_row && (lanes & bi_lanes_below()) == 0) count_class(a, counts, own[s], __popc(lanes));
            const unsigned candidates = __ballot_sync(~0u, is_candidate);
            uint32_t at = 0;
            if (candidates && threadIdx.x % 32 == 0) at = atomicAdd(&sh.count, __popc(candidates));
            at = __shfl_sync(~0u, at, 0) + __popc(candidates & bi_lanes_below());
            if (is_candidate) sh.rows[at] = (uint32_t)(first + s * THREADS);
        }
        /* 4. Append the list. The barriers make it and its position visible. */
        __syncthreads();
        if (threadIdx.x == 0)
            sh.begin = (uint32_t)atomicAdd(reinterpret_cast<unsigned long long *>(a.candidate_count),
                                           (unsigned long long)sh.count);
        __syncthreads();
        for (uint32_t j = threadIdx.x; j < sh.count; j += THREADS) a.candidates[sh.begin + j] = sh.rows[j];
    }
    /* 5. Add the block's counters, which the last tile's barriers have made visible. */
    for (int c = (int)threadIdx.x; c < counters; c += THREADS)
        if (counts[c]) atomicAdd(reinterpret_cast<unsigned long long *>(&a.counts[c]), (unsigned long long)counts[c]);
}

} // namespace

bosc_status bi_ranks_cuda_filter_points(bosc_ctx *ctx, const bi_ranks_kdtree_filter *filter)
{
    const int64_t tiles = bi_div_up(filter->points.rows.n, (int64_t)TILE);
    const unsigned grid = bi_grid_size(ctx, tiles * THREADS, THREADS);
    const size_t shared = filter->level <= SHARED_LEVELS ? sizeof(uint32_t) * (2u << filter->level) : sizeof(uint32_t);
#define LAUNCH(dtype)                                                                                      \
    return filter->level == 0                                                                              \
               ? BI_RUN(ctx, (bi_ranks_filter_points<dtype, true>), grid, THREADS, shared, *filter, tiles) \
               : BI_RUN(ctx, (bi_ranks_filter_points<dtype, false>), grid, THREADS, shared, *filter, tiles)
    switch (filter->points.dtype) {
    case BOSC_F32: LAUNCH(BOSC_F32);
    case BOSC_F64: LAUNCH(BOSC_F64);
    case BOSC_I32: LAUNCH(BOSC_I32);
    default: LAUNCH(BOSC_I64);
    }
#undef LAUNCH
}
