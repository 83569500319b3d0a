/* Kernels whose blocks all run at once and meet at barriers of the whole grid, so that a loop over rounds needs no
 * launches and no word from the host. */
#ifndef BI_CORE_CUDA_COOPERATIVE_CUH
#define BI_CORE_CUDA_COOPERATIVE_CUH

#include "core/cuda/launch.cuh"

/* A barrier of the grid. `arrived` is in device memory and 0 when the kernel starts; every thread keeps its own copy of
 * this struct and calls bi_grid_sync as often as all others. What any thread wrote before it, all see after it. */
struct bi_grid_barrier {
    unsigned *arrived;
    unsigned awaited; /* 0 at first */
};

__device__ __forceinline__ void bi_grid_sync(bi_grid_barrier *barrier)
{
    barrier->awaited += gridDim.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(barrier->arrived, 1u);
        while (bi_load_acquire(barrier->arrived) < barrier->awaited) __nanosleep(20);
        __threadfence();
    }
    __syncthreads();
}

/* A barrier at which the blocks add up a number each. words[0] and words[1], in device memory and 0 when the kernel
 * starts, only grow and take turns: a block that is late still finds the sum of its own round. Their top bits count the
 * blocks. Atomics that have returned are done for all blocks after it; so are other writes of blocks that say they
 * `wrote`, which costs about a microsecond. */
enum { BI_GRID_SUM_BITS = 54, BI_GRID_SUM_BLOCKS = (1 << (64 - BI_GRID_SUM_BITS)) - 1 };

struct bi_grid_sum {
    unsigned long long *words;
    unsigned long long before, later; /* the sums so far of this turn's word and of the other; 0 at first */
    unsigned turn;                    /* 0 at first */
};

/* Called by the first thread of each block, after a barrier of the block; the others wait at another one. The sum is
 * less than 2^BI_GRID_SUM_BITS, the grid has BI_GRID_SUM_BLOCKS blocks at most. */
__device__ __forceinline__ unsigned long long bi_grid_barrier_sum(bi_grid_sum *sum, unsigned long long own, bool wrote)
{
    unsigned long long *word = sum->words + sum->turn, now;
    if (wrote) __threadfence();
    atomicAdd(word, 1ull << BI_GRID_SUM_BITS | own);
    do {
        now = bi_load_acquire(word) - sum->before;
    } while (now >> BI_GRID_SUM_BITS < gridDim.x);
    const unsigned long long all = sum->before + now;
    sum->before = sum->later;
    sum->later = all;
    sum->turn ^= 1;
    return now & ((1ull << BI_GRID_SUM_BITS) - 1);
}

/* Blocks of `threads` that surely run at once, at most `most` a multiprocessor. */
template <class... P>
static inline bosc_status bi_cooperative_grid(bosc_ctx *ctx, void (*kernel)(P...), int threads, int most,
                                              unsigned *blocks)
{
    int resident = 0;
    BI_CUDA_TRY(ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    *blocks =
        bi_launch_cooperative_limit(threads, (unsigned)((resident < most ? resident : most) * ctx->multiprocessors));
    return BOSC_OK;
}

/* As BI_RUN, for a grid from bi_cooperative_grid. */
#define BI_RUN_COOPERATIVE(ctx, kernel, grid, block, ...) \
    BI_RUN_COOPERATIVE_SHARED(ctx, kernel, grid, block, 0, __VA_ARGS__)

/* The same with dynamic shared memory; the grid is of one block a multiprocessor at most, which has as much. */
#define BI_RUN_COOPERATIVE_SHARED(ctx, kernel, grid, block, shared_bytes, ...)                                  \
    (bi_cuda_check((ctx), BI_LAUNCH_COOPERATIVE(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__), \
                   #kernel) == BOSC_OK                                                                          \
         ? bi_launched((ctx), #kernel)                                                                          \
         : BOSC_ERR_DEVICE)

#endif
