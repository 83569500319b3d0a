/* Fills arrays with random bits, points, keys, words and relief. */
#include "base/bits.h"
#include "core/call.h"
#include "random/random.h"

enum { MAX_DIM = 1024, MAX_LENGTH = 65536 }; /* as of boscage/random.h */

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

/* Draws an angle for each row, sorts them along the scan lines, and writes the points. */
static bosc_status fill_lidar(bosc_ctx *ctx, struct bi_random_points_args args)
{
    const struct bi_random_steps *steps = ctx->ops->random->steps;
    const int bits = BI_RANDOM_ANGLE_BITS + bi_bit_length(BI_RANDOM_POSES * BI_RANDOM_BEAMS - 1);
    BI_TRY(bi_scratch_of(ctx, args.n, sizeof *args.angles, &args.angles));
    BI_TRY(steps->lidar_angles(ctx, args.n, &args));
    BI_TRY(ctx->backend->core->sort_keys(ctx, BOSC_U64, args.angles, args.n, args.angles, 0, bits));
    BI_TRY_WITH_COST(ctx, args.dim, steps->lidar_points(ctx, args.n, &args));
    return BOSC_OK;
}

static bosc_status fill_points(bosc_ctx *ctx, struct bi_random_points_args args, int64_t n)
{
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, args.points, (size_t)n * (size_t)args.dim * bosc_dtype_size(args.dtype), &out, &staged));
    args.points = out.reachable;
    if (args.kind == BOSC_RANDOM_POINTS_LIDAR)
        BI_TRY(fill_lidar(ctx, args));
    else
        BI_TRY_WITH_COST(ctx, args.dim, ctx->ops->random->steps->points(ctx, n, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_random_points(bosc_ctx *ctx, bosc_random_points_kind kind, uint64_t seed, int64_t n, int32_t dim,
                               bosc_dtype dtype, void *points)
{
    BI_ENTER(ctx);
    if ((int)kind < BOSC_RANDOM_POINTS_UNIFORM || kind > BOSC_RANDOM_POINTS_HALF_EQUAL)
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
    /* LIDAR: also the angles and, at most, eight passes of a sort. */
    bi_progress_set_total(ctx, (double)n * (kind == BOSC_RANDOM_POINTS_LIDAR ? dim + 9 : dim));
    struct bi_random_points_args args = {
        .seed = seed, .kind = kind, .dtype = dtype, .dim = dim, .points = points, .n = n};
    if (kind == BOSC_RANDOM_POINTS_MIXTURE) args.zipf = bi_zipf_of(BI_RANDOM_MIXTURE);
    BI_RETURN_WITH_SCRATCH(ctx, fill_points(ctx, args, n));
}

static bosc_status fill_keys(bosc_ctx *ctx, struct bi_random_keys_args args, int64_t n)
{
    const struct bi_random_steps *steps = ctx->ops->random->steps;
    struct bi_random_bits_args bits = {args.seed, BI_RANDOM_KEYS_STREAM, BI_RANDOM_TABLES, NULL};
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_scratch_of(ctx, bits.n, sizeof *bits.bits, &bits.bits));
    BI_TRY(bi_stage_out(ctx, args.keys, (size_t)n * (args.is_64bit ? 8 : 4), &out, &staged));
    args.keys = out.reachable;
    args.tables = bits.bits;
    BI_TRY(steps->bits(ctx, bits.n / 4, &bits));
    BI_TRY(steps->keys(ctx, n, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_random_keys(bosc_ctx *ctx, bosc_random_keys_kind kind, uint64_t seed, int64_t n, int32_t key_bits,
                             void *keys)
{
    BI_ENTER(ctx);
    if ((int)kind < BOSC_RANDOM_KEYS_DISTINCT || kind > BOSC_RANDOM_KEYS_EQUAL)
        return bi_fail(ctx, BOSC_ERR_ARG, "kind: %d is no kind of keys", (int)kind);
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is negative", (long long)n);
    if (key_bits != 32 && key_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "key_bits: %d is neither 32 nor 64", (int)key_bits);
    if (n > (int64_t)UINT32_MAX) return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld keys; at most 2^32 - 1", (long long)n);
    if (n == 0) return BOSC_OK;
    if (!keys) return bi_fail(ctx, BOSC_ERR_ARG, "keys: NULL");
    if ((uintptr_t)keys % ((size_t)key_bits / 8)) return bi_fail(ctx, BOSC_ERR_ARG, "keys: %p is not aligned", keys);
    bi_progress_set_total(ctx, (double)n + BI_RANDOM_TABLES / 4);
    struct bi_random_keys_args args = {.seed = seed, .kind = kind, .is_64bit = key_bits == 64, .keys = keys};
    if (kind == BOSC_RANDOM_KEYS_ZIPF) args.zipf = bi_zipf_of(BI_RANDOM_ZIPF_KEYS);
    BI_RETURN_WITH_SCRATCH(ctx, fill_keys(ctx, args, n));
}

static bosc_status fill_words(bosc_ctx *ctx, struct bi_random_words_args args, int64_t n)
{
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, args.words, (size_t)n * (size_t)args.length, &out, &staged));
    args.words = out.reachable;
    BI_TRY_WITH_COST(ctx, args.length, ctx->ops->random->steps->words(ctx, n, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_random_words(bosc_ctx *ctx, bosc_random_words_kind kind, uint64_t seed, int64_t n, int32_t length,
                              int32_t letters, uint8_t *words)
{
    BI_ENTER(ctx);
    if ((int)kind < BOSC_RANDOM_WORDS_UNIFORM || kind > BOSC_RANDOM_WORDS_PAIRS)
        return bi_fail(ctx, BOSC_ERR_ARG, "kind: %d is no kind of words", (int)kind);
    if (length < 1 || length > MAX_LENGTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "length: %d is not in 1 to %d", (int)length, MAX_LENGTH);
    if (letters < 2 || letters > 256) return bi_fail(ctx, BOSC_ERR_ARG, "letters: %d is not in 2 to 256", (int)letters);
    if (n < 0 || n > PTRDIFF_MAX / length)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is negative or more than memory has", (long long)n);
    if (n == 0) return BOSC_OK;
    if (!words) return bi_fail(ctx, BOSC_ERR_ARG, "words: NULL");
    bi_progress_set_total(ctx, (double)n * length);
    BI_RETURN_WITH_SCRATCH(ctx, fill_words(ctx, (struct bi_random_words_args){seed, kind, length, letters, words}, n));
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
