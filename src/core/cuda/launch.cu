/* Turns results of CUDA calls and launches into statuses. */
#include "core/cuda/launch.cuh"

extern "C" bosc_status bi_cuda_check(bosc_ctx *ctx, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return BOSC_OK;
    (void)cudaGetLastError(); /* so that the next call does not report it again */
    bosc_status status = error == cudaErrorMemoryAllocation ? BOSC_ERR_NOMEM : BOSC_ERR_DEVICE;
    return bi_fail(ctx, status, "%s: %s", what, cudaGetErrorString(error));
}

extern "C" bosc_status bi_cuda_await(bosc_ctx *ctx, const unsigned long long *words, int64_t count)
{
    /* Polls of the word between checks of the stream for failure, which cost microseconds. Not measured. */
    enum { POLLS = 4096 };
    for (int64_t w = 0; w < count; w++) {
        for (int polls = 1; !__atomic_load_n(&words[w], __ATOMIC_ACQUIRE); polls++) {
            if (polls % POLLS) continue;
            const cudaError_t state = cudaStreamQuery((cudaStream_t)ctx->stream);
            if (state == cudaErrorNotReady) continue;
            BI_TRY(bi_cuda_check(ctx, state, "waiting for the device"));
            if (!__atomic_load_n(&words[w], __ATOMIC_ACQUIRE))
                return bi_fail(ctx, BOSC_ERR_DEVICE, "waiting: the device has ended without its report");
        }
    }
    return bi_fault(BI_FAULT_STREAM) ? bi_fail(ctx, BOSC_ERR_DEVICE, "waiting: injected fault") : BOSC_OK;
}
