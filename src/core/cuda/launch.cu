/* What CUDA calls and launches say, as statuses. */
#include "core/cuda/launch.cuh"

extern "C" bosc_status bi_cuda_check(bosc_ctx *ctx, cudaError_t error, const char *what)
{
    if (error == cudaSuccess) return BOSC_OK;
    (void)cudaGetLastError(); /* so that the next call does not report it again */
    bosc_status status = error == cudaErrorMemoryAllocation ? BOSC_ERR_NOMEM : BOSC_ERR_DEVICE;
    return bi_fail(ctx, status, "%s: %s", what, cudaGetErrorString(error));
}
