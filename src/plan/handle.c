/* The handle of constraints: options, checks, create and free, info. */
#include <string.h>

#include "plan/handle.h"

bosc_status bi_plan_check(bosc_ctx *ctx, const bosc_plan *plan)
{
    return bi_check_handle(ctx, "plan", plan ? &plan->memory : NULL);
}

bosc_status bi_roadmap_check(bosc_ctx *ctx, const bosc_roadmap *roadmap)
{
    return bi_check_handle(ctx, "roadmap", roadmap ? &roadmap->memory : NULL);
}

bosc_status bi_plan_check_opts(bosc_ctx *ctx, const bosc_plan_opts *opts, bosc_plan_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_plan_opts", opts, full, sizeof *full));
    if (full->id_bits == 0) full->id_bits = 64;
    if (full->id_bits != 32 && full->id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: id_bits %d is neither 32 nor 64", (int)full->id_bits);
    if (full->keep_duplicates != 0 && full->keep_duplicates != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: keep_duplicates %d is neither 0 nor 1", (int)full->keep_duplicates);
    return BOSC_OK;
}

bosc_status bi_plan_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t n, size_t size)
{
    if (n > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, array, size);
}

bosc_status bi_plan_check_rotations(bosc_ctx *ctx, const char *name, const double *rotations, int64_t n,
                                    int64_t *stride)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (*stride == 0) *stride = 4;
    if (*stride < 4) return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than 4", (long long)*stride);
    if (n > 0 && *stride > INT64_MAX / 16 / n)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld: more than memory can hold", (long long)*stride);
    return bi_plan_check_array(ctx, name, rotations, n, sizeof *rotations);
}

bosc_status bosc_plan_create(bosc_ctx *ctx, const bosc_plan_opts *opts, bosc_plan **plan)
{
    bosc_plan_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check_opts(ctx, opts, &full));
    if (!plan) return bi_fail(ctx, BOSC_ERR_ARG, "plan: NULL");
    return BI_NEW_HANDLE(ctx, plan, .opts = full);
}

void bi_plan_clear(bosc_plan *plan)
{
    bosc_plan empty = {.memory = plan->memory,
                       .host = plan->host,
                       .opts = plan->opts,
                       .device_block = plan->device_block,
                       .host_block = plan->host_block};
    memcpy(empty.work, plan->work, sizeof empty.work);
    *plan = empty;
}

void bosc_plan_free(bosc_plan *plan)
{
    if (!plan) return;
    bi_block_free(&plan->memory, &plan->device_block);
    bi_block_free(&plan->host, &plan->host_block);
    for (int b = 0; b < BI_PLAN_WORK_BLOCKS; b++) bi_block_free(&plan->host, &plan->work[b]);
    bi_memory_release(&plan->host, plan, sizeof *plan);
}

bosc_status bosc_plan_get_info(bosc_ctx *ctx, const bosc_plan *plan, bosc_plan_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_plan_check(ctx, plan));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_plan_info));
    bosc_plan_info full = plan->info;
    full.id_bits = plan->opts.id_bits;
    full.bytes = (int64_t)plan->device_block.bytes;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
