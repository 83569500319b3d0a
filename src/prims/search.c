/* Searches in sorted arrays. */
#include "core/call.h"
#include "prims/check.h"

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
