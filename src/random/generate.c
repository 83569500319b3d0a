/* Fills arrays with random bits, points and relief. */
#include "base/bits.h"
#include "core/call.h"
#include "random/random.h"

enum { MAX_DIM = 1024 }; /* as of boscage/random.h */

static bosc_status fill_bits(bosc_ctx *ctx, struct bi_random_bits_args args)
{
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, args.bits, (size_t)args.n * sizeof *args.bits, &out, &staged));
    args.bits = out.reachable;
    BI_TRY(ctx->ops->random->steps->bits(ctx, bi_div_up(args.n, 4), &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_random_bits(bosc_ctx *ctx, uint64_t seed, uint64_t stream, int64_t n, uint32_t *bits)
{
    BI_ENTER(ctx);
    if (n < 0 || n > PTRDIFF_MAX / (int64_t)sizeof *bits - 4)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is negative or more than memory has", (long long)n);
    if (n == 0) return BOSC_OK;
    if (!bits) return bi_fail(ctx, BOSC_ERR_ARG, "bits: NULL");
    if ((uintptr_t)bits % sizeof *bits) return bi_fail(ctx, BOSC_ERR_ARG, "bits: %p is not aligned", (void *)bits);
    bi_progress_set_total(ctx, (double)n / 4);
    BI_RETURN_WITH_SCRATCH(ctx, fill_bits(ctx, (struct bi_random_bits_args){seed, stream, n, bits}));
}

static bosc_status fill_points(bosc_ctx *ctx, struct bi_random_points_args args, int64_t n)
{
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, args.points, (size_t)n * (size_t)args.dim * bosc_dtype_size(args.dtype), &out, &staged));
    args.points = out.reachable;
    BI_TRY_WITH_COST(ctx, args.dim, ctx->ops->random->steps->points(ctx, n, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_random_points(bosc_ctx *ctx, bosc_random_points_kind kind, uint64_t seed, int64_t n, int32_t dim,
                               bosc_dtype dtype, void *points)
{
    BI_ENTER(ctx);
    if ((int)kind < BOSC_RANDOM_POINTS_UNIFORM || kind > BOSC_RANDOM_POINTS_SPHERE)
        return bi_fail(ctx, BOSC_ERR_ARG, "kind: %d is no kind of points", (int)kind);
    if (dim < 1 || dim > MAX_DIM) return bi_fail(ctx, BOSC_ERR_ARG, "dim: %d is not in 1 to %d", (int)dim, MAX_DIM);
    if (dtype != BOSC_F32 && dtype != BOSC_F64 && dtype != BOSC_I32 && dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "dtype: %d is not one of F32, F64, I32 and I64", (int)dtype);
    size_t size = bosc_dtype_size(dtype);
    if (n < 0 || (uint64_t)n > (uint64_t)PTRDIFF_MAX / (size * (size_t)dim))
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is negative or more than memory has", (long long)n);
    if (n == 0) return BOSC_OK;
    if (!points) return bi_fail(ctx, BOSC_ERR_ARG, "points: NULL");
    if ((uintptr_t)points % size) return bi_fail(ctx, BOSC_ERR_ARG, "points: %p is not aligned", points);
    bi_progress_set_total(ctx, (double)n * dim);
    BI_RETURN_WITH_SCRATCH(ctx, fill_points(ctx, (struct bi_random_points_args){seed, kind, dtype, dim, points}, n));
}

static bosc_status fill_heights(bosc_ctx *ctx, struct bi_random_relief_args args, int64_t n)
{
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_scratch_of(ctx, BI_RANDOM_RELIEF_ENTRIES, sizeof *args.entries, &args.entries));
    BI_TRY(bi_stage_out(ctx, args.heights, (size_t)n * sizeof *args.heights, &out, &staged));
    args.heights = out.reachable;
    BI_TRY(ctx->ops->random->steps->relief_entries(ctx, BI_RANDOM_RELIEF_ENTRIES, &args));
    BI_TRY(ctx->ops->random->steps->relief(ctx, n, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_random_heights(bosc_ctx *ctx, bosc_random_heights_kind kind, uint64_t seed, int64_t width,
                                int64_t height, float *heights)
{
    int64_t n = 0, bytes = 0;
    BI_ENTER(ctx);
    if ((int)kind < BOSC_RANDOM_HEIGHTS_MOUNTAINS || kind > BOSC_RANDOM_HEIGHTS_ISLANDS)
        return bi_fail(ctx, BOSC_ERR_ARG, "kind: %d is no kind of heights", (int)kind);
    if (width < 0) return bi_fail(ctx, BOSC_ERR_ARG, "width: %lld is negative", (long long)width);
    if (height < 0 || __builtin_mul_overflow(width, height, &n) ||
        __builtin_mul_overflow(n, (int64_t)sizeof *heights, &bytes))
        return bi_fail(ctx, BOSC_ERR_ARG, "height: %lld is negative or more than memory has", (long long)height);
    if (n == 0) return BOSC_OK;
    if (!heights) return bi_fail(ctx, BOSC_ERR_ARG, "heights: NULL");
    if ((uintptr_t)heights % sizeof *heights)
        return bi_fail(ctx, BOSC_ERR_ARG, "heights: %p is not aligned", (void *)heights);
    bi_progress_set_total(ctx, (double)n);
    struct bi_random_relief_args args = {.seed = seed, .kind = kind, .width = width, .heights = heights};
    BI_RETURN_WITH_SCRATCH(ctx, fill_heights(ctx, args, n));
}
