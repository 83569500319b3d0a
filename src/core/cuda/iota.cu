/* Consecutive numbers: 0, 1, 2, ... Not in collectives.cu, the table: the table needs the sorts, which call this. */
#define BI_STEP_ROOM core

#include "core/cuda/collectives.cuh"
#include "core/cuda/steps.cuh"
#include "core/core_steps.h"

BI_STEP_CUDA(iota_u32, struct bi_iota_u32)
BI_STEP_CUDA(iota_u64, struct bi_iota_u64)

bosc_status bi_cuda_iota(bosc_ctx *ctx, size_t size, void *numbers, int64_t n)
{
    const struct bi_iota_u32 words = {static_cast<uint32_t *>(numbers)};
    const struct bi_iota_u64 double_words = {static_cast<uint64_t *>(numbers)};
    return size == 4 ? cuda_step_iota_u32(ctx, n, &words) : cuda_step_iota_u64(ctx, n, &double_words);
}
