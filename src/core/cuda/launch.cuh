/* Launch helpers: errors of the runtime become statuses with a message; fault points on every launch. */
#ifndef BI_CORE_CUDA_LAUNCH_CUH
#define BI_CORE_CUDA_LAUNCH_CUH

#include "base/bits.h"
#include "base/fault.h"
#include "core/context.h"
#include "core/cuda/simt.cuh"

/* BOSC_OK, or BOSC_ERR_DEVICE (BOSC_ERR_NOMEM for an allocation) with CUDA's text. */
extern "C" bosc_status bi_cuda_check(bosc_ctx *ctx, cudaError_t error, const char *what);

enum { BI_PINNED_BYTES = 2048 }; /* of a context's page-locked block */

/* Waits for words of page-locked host memory that kernels of the context's stream make other than 0 (bi_notify_host):
 * it
 * sees them some microseconds before the stream would be seen to be done. */
extern "C" bosc_status bi_cuda_await(bosc_ctx *ctx, const unsigned long long *words, int64_t count);

#define BI_CUDA_TRY(ctx, call) BI_TRY(bi_cuda_check((ctx), (call), #call))

/* The status of the launch just made, from the runtime. */
static inline bosc_status bi_launch_status(bosc_ctx *ctx, const char *kernel)
{
    if (bi_fault(BI_FAULT_LAUNCH)) { /* the kernel runs all the same: it must have ended when the call has failed */
        (void)cudaStreamSynchronize((cudaStream_t)ctx->stream);
        return bi_fail(ctx, BOSC_ERR_DEVICE, "%s: injected fault", kernel);
    }
    return bi_cuda_check(ctx, cudaPeekAtLastError(), kernel);
}

/* The same for a kernel of which no more is known: a few of them are as much as the first part of a loop. */
static inline bosc_status bi_launched(bosc_ctx *ctx, const char *kernel)
{
    BI_TRY(bi_launch_status(ctx, kernel));
    return bi_progress_advance(ctx, (double)(ctx->backend->part / 4));
}

/* Launches a kernel on the context's stream (BI_LAUNCH, core/cuda/simt.cuh) and gives the launch's status. */
#define BI_RUN(ctx, kernel, grid, block, shared_bytes, ...) \
    (BI_LAUNCH(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__), bi_launched((ctx), #kernel))

/* The same within a loop of parts (core/progress.h), which counts its items itself. */
#define BI_RUN_PART(ctx, kernel, grid, block, shared_bytes, ...) \
    (BI_LAUNCH(kernel, grid, block, shared_bytes, (ctx)->stream, __VA_ARGS__), bi_launch_status((ctx), #kernel))

/* How many blocks of `threads` a grid-stride loop over n items gets: enough to fill the device, no more than needed. */
static inline unsigned bi_grid(const bosc_ctx *ctx, int64_t n, int threads)
{
    int64_t need = bi_div_up(n, threads), most = (int64_t)ctx->multiprocessors * 16;
    return (unsigned)(need < 1 ? 1 : need < most ? need : most);
}

#endif
