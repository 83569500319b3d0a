/* Kernels whose blocks all run at once and meet at barriers of the whole grid, so that a loop over rounds needs no
 * launches and no word from the host. */
#ifndef BI_CORE_CUDA_TOGETHER_CUH
#define BI_CORE_CUDA_TOGETHER_CUH

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

/* Blocks of `threads` that surely run at once, at most `most` a multiprocessor. */
template <class... P>
static inline bosc_status bi_blocks_together(bosc_ctx *ctx, void (*kernel)(P...), int threads, int most,
                                             unsigned *blocks)
{
    int resident = 0;
    BI_CUDA_TRY(ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, threads, 0));
    *blocks = bi_launch_together_limit(threads, (unsigned)((resident < most ? resident : most) * ctx->multiprocessors));
    return BOSC_OK;
}

/* As BI_RUN, for a grid from bi_blocks_together. */
#define BI_RUN_TOGETHER(ctx, kernel, grid, block, ...)                                                             \
    (bi_cuda_check((ctx), BI_LAUNCH_TOGETHER(kernel, grid, block, (ctx)->stream, __VA_ARGS__), #kernel) == BOSC_OK \
         ? bi_launched((ctx), #kernel)                                                                             \
         : BOSC_ERR_DEVICE)

#endif
