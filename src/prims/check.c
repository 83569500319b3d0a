#include "prims/check.h"

bosc_status bi_check_numeric_type(bosc_ctx *ctx, bosc_dtype dtype)
{
    if ((int)dtype >= BOSC_F32 && dtype <= BOSC_U64) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "dtype: %d is not one of F32, F64, I32, I64, U32 and U64", (int)dtype);
}

bosc_status bi_check_op(bosc_ctx *ctx, bosc_op op)
{
    if ((int)op >= BOSC_SUM && op <= BOSC_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "op: %d is not one of SUM, MIN and MAX", (int)op);
}

bosc_status bi_check_scan_kind(bosc_ctx *ctx, bosc_scan_kind kind)
{
    if (kind == BOSC_INCLUSIVE || kind == BOSC_EXCLUSIVE) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "kind: %d is neither INCLUSIVE nor EXCLUSIVE", (int)kind);
}

bosc_status bi_check_item_size(bosc_ctx *ctx, size_t item_size)
{
    if (item_size >= 1 && item_size <= BI_MAX_ITEM_SIZE) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "item_size: %zu is not in 1 to %d", item_size, BI_MAX_ITEM_SIZE);
}

bosc_status bi_check_value_size(bosc_ctx *ctx, size_t value_size)
{
    if (value_size == 4 || value_size == 8) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "value_size: %zu is neither 4 nor 8", value_size);
}

bosc_status bi_check_record_size(bosc_ctx *ctx, const char *name, size_t size)
{
    if (size >= 1 && size <= INT32_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: %zu is not in 1 to %d", name, size, INT32_MAX);
}

bosc_status bi_check_count(bosc_ctx *ctx, const char *name, int64_t n, size_t item_size)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is negative", name, (long long)n);
    if ((uint64_t)n > (uint64_t)PTRDIFF_MAX / item_size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld items of %zu bytes are more than memory has", name, (long long)n,
                       item_size);
    return BOSC_OK;
}

bosc_status bi_check_array(bosc_ctx *ctx, const char *name, const void *p, int64_t n, size_t alignment)
{
    if (n == 0) return BOSC_OK;
    if (!p) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    if ((uintptr_t)p % alignment)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %p is not aligned to %zu bytes", name, p, alignment);
    return BOSC_OK;
}

bosc_status bi_check_disjoint(bosc_ctx *ctx, const char *name, const void *p, size_t bytes, const char *other_name,
                              const void *other, size_t other_bytes, bool same)
{
    uintptr_t a = (uintptr_t)p, b = (uintptr_t)other;
    if (!bytes || !other_bytes || (same && a == b)) return BOSC_OK;
    if (a < b ? b - a >= bytes : a - b >= other_bytes) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: overlaps %s", name, other_name);
}

bosc_status bi_finish_staged(bosc_ctx *ctx, bool staged) { return staged ? ctx->backend->sync(ctx) : BOSC_OK; }
