/* Cooperative kernels: all blocks run concurrently and synchronise at barriers of the grid, so that a loop over rounds
 * needs neither further launches nor the host. */
#ifndef BI_CORE_CUDA_COOPERATIVE_CUH
#define BI_CORE_CUDA_COOPERATIVE_CUH

#include "core/cuda/launch.cuh"

/* A barrier of the grid. `arrived` is in device memory and 0 when the kernel starts; every thread has its own copy of
 * this struct and calls bi_grid_sync as often as all others. Writes before it are visible to all threads after it. */
struct bi_grid_barrier {
    unsigned *arrived;
    unsigned awaited; /* 0 at first */
};

__device__ __forceinline__ void bi_grid_sync(bi_grid_barrier *barrier)
{
    barrier->awaited += gridDim.x;
    __syncthreads(); /* all writes of the block precede its arrival */
    if (threadIdx.x == 0) {
        __threadfence(); /* the block's writes are visible before it counts as arrived */
        atomicAdd(barrier->arrived, 1u);
        while (bi_load_acquire(barrier->arrived) < barrier->awaited) __nanosleep(20);
        __threadfence(); /* later reads of the block see the writes of all others */
    }
    __syncthreads(); /* the block waits for its first thread */
}

/* A barrier that also sums a number of each block. words[0] and words[1], in device memory and 0 when the kernel
 * starts, alternate and only grow, so that a late block still finds the sum of its round. Their top bits count the
 * blocks. Atomics that have returned are visible to all blocks after it; so are other writes if the block passes
 * `wrote`, which costs about a microsecond (the fence). */
enum { BI_GRID_SUM_BITS = 54, BI_GRID_SUM_BLOCKS = (1 << (64 - BI_GRID_SUM_BITS)) - 1 };

struct bi_grid_sum {
    unsigned long long *words;
    unsigned long long word_sum, other_sum; /* earlier sums of words[turn] and of the other word; 0 at first */
    unsigned turn;                          /* index of the word of this barrier; 0 at first */
};

/* Called by the first thread of each block, after a barrier of the block; the other threads wait at another barrier.
 * The sum is less than 2^BI_GRID_SUM_BITS, the grid has BI_GRID_SUM_BLOCKS blocks at most. */
__device__ __forceinline__ unsigned long long bi_grid_barrier_sum(bi_grid_sum *sum, unsigned long long own, bool wrote)
{
    unsigned long long *word = sum->words + sum->turn, now;
    if (wrote) __threadfence();
    atomicAdd(word, 1ull << BI_GRID_SUM_BITS | own);
    do {
        now = bi_load_acquire(word) - sum->word_sum;
    } while (now >> BI_GRID_SUM_BITS < gridDim.x);
    const unsigned long long all = sum->word_sum + now;
    sum->word_sum = sum->other_sum;
    sum->other_sum = all;
    sum->turn ^= 1;
    return now & ((1ull << BI_GRID_SUM_BITS) - 1);
}

/* Number of blocks of `threads` that run concurrently, at most `max_blocks` a multiprocessor. */
template <class... P>
static inline bosc_status bi_cooperative_grid(bosc_ctx *ctx, void (*kernel)(P...), int threads, int max_blocks,
                                              unsigned *blocks)
{
    int resident = 0;
    BI_CUDA_TRY(ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    *blocks = bi_launch_cooperative_limit(
        threads, (unsigned)((resident < max_blocks ? resident : max_blocks) * ctx->multiprocessors));
    return BOSC_OK;
}

/* As BI_RUN, for a grid from bi_cooperative_grid. */
#define BI_RUN_COOPERATIVE(ctx, kernel, grid, block, ...) \
    BI_RUN_COOPERATIVE_SHARED(ctx, kernel, grid, block, 0, __VA_ARGS__)

/* The same with dynamic shared memory; the grid has at most one block a multiprocessor. */
#define BI_RUN_COOPERATIVE_SHARED(ctx, kernel, grid, block, shared_bytes, ...)                                  \
    (bi_cuda_check((ctx), BI_LAUNCH_COOPERATIVE(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__), \
                   #kernel) == BOSC_OK                                                                          \
         ? bi_finish_launch((ctx), #kernel)                                                                     \
         : BOSC_ERR_DEVICE)

#endif
