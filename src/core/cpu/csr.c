/* Checks of CSR row offsets on the CPU. */
#include "core/cpu/collectives.h"
#include "core/csr_steps.h"
#include "core/steps.h"

BI_QUICK_STEP_CPU(ascending, struct bi_ascending)

bosc_status bi_cpu_check_offsets(bosc_ctx *ctx, const int64_t *offsets, int64_t rows, int64_t *bad)
{
    const struct bi_ascending args = {offsets, bad};
    return cpu_step_ascending(ctx, rows, &args);
}
