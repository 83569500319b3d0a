/* Consecutive numbers: 0, 1, 2, ... Not in collectives.c, the table: the table needs the sorts, which call this. */
#include "core/cpu/collectives.h"

#include "core/core_steps.h"
#include "core/steps.h"

BI_QUICK_STEP_CPU(iota_u32, struct bi_iota_u32)
BI_QUICK_STEP_CPU(iota_u64, struct bi_iota_u64)

bosc_status bi_cpu_iota(bosc_ctx *ctx, size_t size, void *numbers, int64_t n)
{
    if (size == 4) return cpu_step_iota_u32(ctx, n, &(struct bi_iota_u32){numbers});
    return cpu_step_iota_u64(ctx, n, &(struct bi_iota_u64){numbers});
}
