/* Sorts, merges, and searches of sorted arrays. */
#include "core/call.h"
#include "prims/check.h"

struct pairs {
    const void *keys, *values; /* values: NULL if value_size is 0 */
    int64_t n;
};

static bosc_status check_pairs(bosc_ctx *ctx, const char *keys_name, const char *values_name, struct pairs a,
                               size_t key_size, size_t value_size)
{
    BI_TRY(bi_check_array(ctx, keys_name, a.keys, a.n, key_size));
    const size_t alignment = value_size == 4 || value_size == 8 ? value_size : 1;
    return value_size ? bi_check_array(ctx, values_name, a.values, a.n, alignment) : BOSC_OK;
}

static bosc_status stage_pairs(bosc_ctx *ctx, struct pairs *a, size_t key_size, size_t value_size, bool *staged)
{
    BI_TRY(bi_stage_in(ctx, a->keys, (size_t)a->n * key_size, &a->keys, staged));
    return bi_stage_in(ctx, a->values, (size_t)a->n * value_size, &a->values, staged);
}

static bosc_status sort_staged(bosc_ctx *ctx, bosc_dtype dtype, struct pairs in, size_t value_size, void *keys_out,
                               void *values_out)
{
    const struct bi_core_ops *core = ctx->backend->core;
    size_t key_size = bosc_dtype_size(dtype);
    struct bi_out keys, values;
    bool staged = false;
    BI_TRY(stage_pairs(ctx, &in, key_size, value_size, &staged));
    BI_TRY(bi_stage_out(ctx, keys_out, (size_t)in.n * key_size, &keys, &staged));
    BI_TRY(bi_stage_out(ctx, values_out, (size_t)in.n * value_size, &values, &staged));
    int bits = (int)key_size * 8;
    if (value_size)
        BI_TRY(core->sort_pairs(ctx, dtype, in.keys, value_size, in.values, in.n, keys.reachable, values.reachable, 0,
                                bits));
    else
        BI_TRY(core->sort_keys(ctx, dtype, in.keys, in.n, keys.reachable, 0, bits));
    BI_TRY(bi_stage_back(ctx, &keys));
    BI_TRY(bi_stage_back(ctx, &values));
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    size_t size = bosc_dtype_size(dtype), bytes = (size_t)n * size;
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_array(ctx, "keys", keys, n, size));
    BI_TRY(bi_check_array(ctx, "out", out, n, size));
    BI_TRY(bi_check_disjoint(ctx, "out", out, bytes, "keys", keys, bytes, true));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, sort_staged(ctx, dtype, (struct pairs){keys, NULL, n}, 0, out, NULL));
}

bosc_status bosc_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                            int64_t n, void *keys_out, void *values_out)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    BI_TRY(bi_check_record_size(ctx, "value_size", value_size));
    BI_TRY(bi_check_count(ctx, "n", n, value_size > 8 ? value_size : 8));
    size_t size = bosc_dtype_size(dtype), key_bytes = (size_t)n * size, value_bytes = (size_t)n * value_size;
    BI_TRY(check_pairs(ctx, "keys", "values", (struct pairs){keys, values, n}, size, value_size));
    BI_TRY(check_pairs(ctx, "keys_out", "values_out", (struct pairs){keys_out, values_out, n}, size, value_size));
    BI_TRY(bi_check_disjoint(ctx, "keys_out", keys_out, key_bytes, "keys", keys, key_bytes, true));
    BI_TRY(bi_check_disjoint(ctx, "keys_out", keys_out, key_bytes, "values", values, value_bytes, false));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "values", values, value_bytes, true));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "keys", keys, key_bytes, false));
    BI_TRY(bi_check_disjoint(ctx, "values_out", values_out, value_bytes, "keys_out", keys_out, key_bytes, false));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx,
                           sort_staged(ctx, dtype, (struct pairs){keys, values, n}, value_size, keys_out, values_out));
}

static bosc_status merge_staged(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, struct pairs a, struct pairs b,
                                void *keys_out, void *values_out)
{
    size_t key_size = bosc_dtype_size(dtype), n = (size_t)a.n + (size_t)b.n;
    struct bi_out keys, values;
    bool staged = false;
    BI_TRY(stage_pairs(ctx, &a, key_size, value_size, &staged));
    BI_TRY(stage_pairs(ctx, &b, key_size, value_size, &staged));
    BI_TRY(bi_stage_out(ctx, keys_out, n * key_size, &keys, &staged));
    BI_TRY(bi_stage_out(ctx, values_out, n * value_size, &values, &staged));
    BI_TRY(ctx->backend->core->merge_pairs(ctx, dtype, value_size, a.keys, a.values, a.n, b.keys, b.values, b.n,
                                           keys.reachable, values.reachable));
    BI_TRY(bi_stage_back(ctx, &keys));
    BI_TRY(bi_stage_back(ctx, &values));
    return bi_finish_staged(ctx, staged);
}

/* An output must not overlap keys and values of either input. */
static bosc_status check_output(bosc_ctx *ctx, const char *name, const void *p, size_t bytes, const char *const *names,
                                struct pairs a, struct pairs b, size_t key_size, size_t value_size)
{
    BI_TRY(bi_check_disjoint(ctx, name, p, bytes, names[0], a.keys, (size_t)a.n * key_size, false));
    BI_TRY(bi_check_disjoint(ctx, name, p, bytes, names[1], a.values, (size_t)a.n * value_size, false));
    BI_TRY(bi_check_disjoint(ctx, name, p, bytes, names[2], b.keys, (size_t)b.n * key_size, false));
    return bi_check_disjoint(ctx, name, p, bytes, names[3], b.values, (size_t)b.n * value_size, false);
}

static bosc_status check_and_merge(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, struct pairs a, struct pairs b,
                                   void *keys_out, void *values_out, const char *const *names)
{
    size_t key_size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "na", a.n, 8));
    BI_TRY(bi_check_count(ctx, "nb", b.n, 8));
    int64_t n = (int64_t)((uint64_t)a.n + (uint64_t)b.n);
    BI_TRY(bi_check_count(ctx, "nb", n, 8));
    struct pairs out = {keys_out, values_out, n};
    BI_TRY(check_pairs(ctx, names[0], names[1], a, key_size, value_size));
    BI_TRY(check_pairs(ctx, names[2], names[3], b, key_size, value_size));
    BI_TRY(check_pairs(ctx, names[4], names[5], out, key_size, value_size));
    size_t key_bytes = (size_t)n * key_size, value_bytes = (size_t)n * value_size;
    BI_TRY(check_output(ctx, names[4], keys_out, key_bytes, names, a, b, key_size, value_size));
    BI_TRY(check_output(ctx, names[5], values_out, value_bytes, names, a, b, key_size, value_size));
    BI_TRY(bi_check_disjoint(ctx, names[5], values_out, value_bytes, names[4], keys_out, key_bytes, false));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, merge_staged(ctx, dtype, value_size, a, b, keys_out, values_out));
}

bosc_status bosc_merge(bosc_ctx *ctx, bosc_dtype dtype, const void *a, int64_t na, const void *b, int64_t nb, void *out)
{
    static const char *const names[] = {"a", "", "b", "", "out", ""};
    BI_ENTER(ctx);
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    return check_and_merge(ctx, dtype, 0, (struct pairs){a, NULL, na}, (struct pairs){b, NULL, nb}, out, NULL, names);
}

bosc_status bosc_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                             const void *a_values, int64_t na, const void *b_keys, const void *b_values, int64_t nb,
                             void *keys_out, void *values_out)
{
    static const char *const names[] = {"a_keys", "a_values", "b_keys", "b_values", "keys_out", "values_out"};
    BI_ENTER(ctx);
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    BI_TRY(bi_check_value_size(ctx, value_size));
    return check_and_merge(ctx, dtype, value_size, (struct pairs){a_keys, a_values, na},
                           (struct pairs){b_keys, b_values, nb}, keys_out, values_out, names);
}

static bosc_status sort_superkey_staged(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                        int32_t first, uint32_t *perm)
{
    struct bi_out to;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, points, (size_t)n * (size_t)dim * bosc_dtype_size(dtype), &points, &staged));
    BI_TRY(bi_stage_out(ctx, perm, (size_t)n * sizeof *perm, &to, &staged));
    BI_TRY(ctx->backend->core->sort_superkey(ctx, dtype, points, n, dim, dim, first, to.reachable, NULL));
    BI_TRY(bi_stage_back(ctx, &to));
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                               int32_t first, uint32_t *perm)
{
    BI_ENTER(ctx);
    if (dtype != BOSC_F32 && dtype != BOSC_F64 && dtype != BOSC_I32 && dtype != BOSC_I64)
        return bi_fail(ctx, BOSC_ERR_ARG, "dtype: %d is not one of F32, F64, I32 and I64", (int)dtype);
    if (dim < 1 || dim > 1024) return bi_fail(ctx, BOSC_ERR_ARG, "dim: %d is not in 1 to 1024", (int)dim);
    if (first < 0 || first >= dim)
        return bi_fail(ctx, BOSC_ERR_ARG, "first: %d is not in 0 to %d", (int)first, (int)dim - 1);
    size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "n", n, size * (size_t)dim));
    if (n >= UINT32_MAX) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is not below 2^32 - 1", (long long)n);
    BI_TRY(bi_check_array(ctx, "points", points, n, size));
    BI_TRY(bi_check_array(ctx, "perm", perm, n, sizeof *perm));
    BI_TRY(bi_check_disjoint(ctx, "perm", perm, (size_t)n * sizeof *perm, "points", points,
                             (size_t)n * (size_t)dim * size, false));
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, sort_superkey_staged(ctx, dtype, points, n, dim, first, perm));
}

/* ---- searches ---- */

struct search_arrays {
    const void *keys, *queries;
    int64_t n, query_count;
};

static bosc_status search_staged(bosc_ctx *ctx, bosc_dtype dtype, struct search_arrays a, int64_t *ranks)
{
    const size_t size = bosc_dtype_size(dtype);
    struct bi_out to;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, a.keys, (size_t)a.n * size, &a.keys, &staged));
    BI_TRY(bi_stage_in(ctx, a.queries, (size_t)a.query_count * size, &a.queries, &staged));
    BI_TRY(bi_stage_out(ctx, ranks, (size_t)a.query_count * sizeof *ranks, &to, &staged));
    BI_TRY(ctx->backend->core->search_sorted(ctx, dtype, a.keys, a.n, a.queries, a.query_count, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return bi_finish_staged(ctx, staged);
}

bosc_status bosc_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                               int64_t query_count, int64_t *ranks)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_numeric_type(ctx, dtype));
    const size_t size = bosc_dtype_size(dtype);
    BI_TRY(bi_check_count(ctx, "n", n, size));
    BI_TRY(bi_check_count(ctx, "query_count", query_count, sizeof *ranks));
    BI_TRY(bi_check_array(ctx, "keys", keys, n, size));
    BI_TRY(bi_check_array(ctx, "queries", queries, query_count, size));
    BI_TRY(bi_check_array(ctx, "ranks", ranks, query_count, sizeof *ranks));
    const size_t bytes = (size_t)query_count * sizeof *ranks;
    BI_TRY(bi_check_disjoint(ctx, "ranks", ranks, bytes, "keys", keys, (size_t)n * size, false));
    BI_TRY(bi_check_disjoint(ctx, "ranks", ranks, bytes, "queries", queries, (size_t)query_count * size, false));
    if (query_count == 0) return BOSC_OK;
    const struct search_arrays a = {keys, queries, n, query_count};
    BI_RETURN_WITH_SCRATCH(ctx, search_staged(ctx, dtype, a, ranks));
}
