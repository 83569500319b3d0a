/* Launch helpers: errors of the runtime become statuses with a message; fault points on every launch. */
#ifndef BI_CORE_CUDA_LAUNCH_CUH
#define BI_CORE_CUDA_LAUNCH_CUH

#include "base/bits.h"
#include "base/fault.h"
#include "core/call.h"
#include "core/cuda/simt.cuh"

/* BOSC_OK, or BOSC_ERR_DEVICE (BOSC_ERR_NOMEM for an allocation) with CUDA's text. */
extern "C" bosc_status bi_cuda_check(bosc_ctx *ctx, cudaError_t error, const char *what);

/* Size of a context's page-locked block, for words that kernels report: 256 words of 8 bytes. Users assert that theirs
 * fit. */
enum { BI_PINNED_BYTES = 2048 };

/* Waits until kernels of the context's stream have set words of page-locked host memory to other than 0
 * (bi_notify_host). This returns some microseconds before a synchronisation of the stream would. */
extern "C" bosc_status bi_cuda_await(bosc_ctx *ctx, const unsigned long long *words, int64_t count);

#define BI_CUDA_TRY(ctx, call) BI_TRY(bi_cuda_check((ctx), (call), #call))

/* The status of the launch just made, from the runtime. */
static inline bosc_status bi_launch_status(bosc_ctx *ctx, const char *kernel)
{
    if (bi_fault(BI_FAULT_LAUNCH)) { /* the kernel runs all the same: it must have ended when the call has failed */
        (void)cudaStreamSynchronize((cudaStream_t)ctx->stream);
        return bi_fail(ctx, BOSC_ERR_DEVICE, "%s: injected fault", kernel);
    }
    if (bi_fault(BI_FAULT_LAUNCH_MEMORY)) return bi_cuda_check(ctx, cudaErrorMemoryAllocation, kernel);
    return bi_cuda_check(ctx, cudaPeekAtLastError(), kernel);
}

/* The same, and reports progress: a kernel of unknown size counts as a quarter of a first batch,
 * so that four small kernels cost one reading of the clock. */
static inline bosc_status bi_finish_launch(bosc_ctx *ctx, const char *kernel)
{
    BI_TRY(bi_launch_status(ctx, kernel));
    return bi_progress_advance(ctx, (double)(ctx->backend->first_batch / 4));
}

/* Launches a kernel on the context's stream (BI_LAUNCH, core/cuda/simt.cuh) and returns the launch's status. */
#define BI_RUN(ctx, kernel, grid, block, shared_bytes, ...) \
    (BI_LAUNCH(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__), bi_finish_launch((ctx), #kernel))

/* The same within a loop of batches (core/progress.h), which reports its items itself. */
#define BI_RUN_BATCH(ctx, kernel, grid, block, shared_bytes, ...) \
    (BI_LAUNCH(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__), bi_launch_status((ctx), #kernel))

/* Number of blocks of `threads` for a grid-stride loop over n items: enough to fill the device, no more than needed. */
static inline unsigned bi_grid_size(const bosc_ctx *ctx, int64_t n, int threads)
{
    int64_t need = bi_div_up(n, threads), most = (int64_t)ctx->multiprocessors * 16;
    return (unsigned)(need < 1 ? 1 : need < most ? need : most);
}

#endif
