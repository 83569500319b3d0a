/* Reductions and scans. */
#include "core/call.h"
#include "prims/check.h"

static bosc_status reduce_staged(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    size_t size = bosc_dtype_size(dtype);
    struct bi_out to;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, in, (size_t)n * size, &in, &staged));
    BI_TRY(bi_stage_out(ctx, result, size, &to, &staged));
    BI_TRY(ctx->backend->core->reduce(ctx, op, dtype, in, n, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_op(ctx, op));
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "in", in, n, size));
    BI_TRY(bi_check_array(ctx, "result", result, 1, size));
    BI_TRY(bi_check_disjoint(ctx, "result", result, size, "in", in, (size_t)n * size, false));
    BI_RETURN_WITH_SCRATCH(ctx, reduce_staged(ctx, op, dtype, in, n, result));
}

static bosc_status scan_staged(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                               const uint8_t *heads, int64_t n, void *out)
{
    const struct bi_core_ops *core = ctx->backend->core;
    size_t bytes = (size_t)n * bosc_dtype_size(dtype);
    struct bi_out to;
    const void *reachable_heads = NULL;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, in, bytes, &in, &staged));
    if (heads) BI_TRY(bi_stage_in(ctx, heads, (size_t)n, &reachable_heads, &staged));
    BI_TRY(bi_stage_out(ctx, out, bytes, &to, &staged));
    if (heads)
        BI_TRY(core->scan_segmented(ctx, op, kind, dtype, in, reachable_heads, n, to.reachable));
    else
        BI_TRY(core->scan(ctx, op, kind, dtype, in, n, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return bi_finish_staged(ctx, staged);
}

static bosc_status check_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                              int64_t n, void *out)
{
    BI_TRY(bi_check_op(ctx, op));
    BI_TRY(bi_check_scan_kind(ctx, kind));
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "in", in, n, size));
    BI_TRY(bi_check_array(ctx, "out", out, n, size));
    return bi_check_disjoint(ctx, "out", out, (size_t)n * size, "in", in, (size_t)n * size, true);
}

bosc_status bosc_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                      void *out)
{
    BI_ENTER(ctx);
    BI_TRY(check_scan(ctx, op, kind, dtype, in, n, out));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, scan_staged(ctx, op, kind, dtype, in, NULL, n, out));
}

bosc_status bosc_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                const uint8_t *heads, int64_t n, void *out)
{
    BI_ENTER(ctx);
    BI_TRY(check_scan(ctx, op, kind, dtype, in, n, out));
    BI_TRY(bi_check_array(ctx, "heads", heads, n, 1));
    BI_TRY(bi_check_disjoint(ctx, "out", out, (size_t)n * bosc_dtype_size(dtype), "heads", heads, (size_t)n, false));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, scan_staged(ctx, op, kind, dtype, in, heads, n, out));
}
