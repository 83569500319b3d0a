/* Checks of CSR row offsets on CUDA. */
#define BI_STEP_ROOM core

#include "core/cuda/collectives.cuh"
#include "core/cuda/steps.cuh"
#include "core/csr_steps.h"

BI_STEP_CUDA(ascending, struct bi_ascending)

bosc_status bi_cuda_check_offsets(bosc_ctx *ctx, const int64_t *offsets, int64_t rows, int64_t *bad)
{
    const struct bi_ascending args = {offsets, bad};
    return cuda_step_ascending(ctx, rows, &args);
}
