#include "core/stage.h"

#include <string.h>

#include "core/arena.h"
#include "core/message.h"

bosc_status bi_stage_in(bosc_ctx *ctx, const void *array, size_t bytes, const void **reachable, bool *staged)
{
    *reachable = array;
    if (bytes == 0 || ctx->backend->reaches(ctx, array)) return BOSC_OK;
    void *copy;
    BI_TRY(bi_scratch(ctx, bytes, &copy));
    BI_TRY(ctx->backend->copy(ctx, copy, array, bytes));
    *reachable = copy;
    *staged = true;
    return BOSC_OK;
}

bosc_status bi_stage_out(bosc_ctx *ctx, void *array, size_t bytes, struct bi_out *out, bool *staged)
{
    *out = (struct bi_out){.user = array, .reachable = array, .bytes = bytes};
    if (bytes == 0 || !array || ctx->backend->reaches(ctx, array)) return BOSC_OK;
    *staged = true;
    return bi_scratch(ctx, bytes, &out->reachable);
}

bosc_status bi_stage_back(bosc_ctx *ctx, const struct bi_out *out)
{
    if (out->user == out->reachable) return BOSC_OK;
    return ctx->backend->copy(ctx, out->user, out->reachable, out->bytes);
}

bosc_status bi_read_back(bosc_ctx *ctx, void *to, const void *from, size_t bytes)
{
    void *landing = ctx->pinned && bytes <= BI_MAX_PINNED_READ ? ctx->pinned : to;
    BI_TRY(ctx->backend->copy(ctx, landing, from, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    if (landing != to) memcpy(to, landing, bytes);
    return BOSC_OK;
}

bosc_status bi_sum_i64(bosc_ctx *ctx, const int64_t *values, int64_t n, int64_t *sum)
{
    int64_t *total;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *total, &total));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_I64, values, n, total));
    return bi_read_back(ctx, sum, total, sizeof *sum);
}
