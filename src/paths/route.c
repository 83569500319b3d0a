/* The path to a vertex, from the predecessors. */
#include "paths/drivers.h"

static bosc_status find_route(bosc_ctx *ctx, struct bi_paths_follow *a, int64_t *length, void *route, int64_t capacity)
{
    const struct bi_paths_steps *steps = ctx->ops->paths->steps;
    const size_t size = a->is_64bit ? 8 : 4;
    struct bi_out out;
    bool staged = false;
    int64_t count;
    BI_TRY(bi_stage_in(ctx, a->predecessors, (size_t)a->n * size, &a->predecessors, &staged));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof count, &a->result));
    BI_TRY(steps->paths_follow(ctx, 1, a));
    BI_TRY(bi_read_back(ctx, &count, a->result, sizeof count));
    if (count < 0)
        return bi_fail(ctx, BOSC_ERR_DATA, "predecessors: from vertex %lld they lead to no source",
                       (long long)a->target);
    *length = count;
    if (!route) return BOSC_OK;
    if (capacity < count)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld; the route has %lld vertices", (long long)capacity,
                       (long long)count);
    BI_TRY(bi_stage_out(ctx, route, (size_t)count * size, &out, &staged));
    a->route = out.reachable;
    a->length = count;
    BI_TRY(steps->paths_follow(ctx, 1, a));
    BI_TRY(bi_stage_back(ctx, &out));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_paths_route(bosc_ctx *ctx, const void *predecessors, int64_t n, int32_t id_bits, int64_t target,
                             void *route, int64_t capacity, int64_t *length)
{
    BI_ENTER(ctx);
    if (id_bits != 32 && id_bits != 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "id_bits: %d is neither 32 nor 64", (int)id_bits);
    if (n < 1 || n >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is not in [1, 2^32 - 1)", (long long)n);
    if (!predecessors) return bi_fail(ctx, BOSC_ERR_ARG, "predecessors: NULL");
    BI_TRY(bi_paths_check_array(ctx, "predecessors", predecessors, id_bits));
    if (target < 0 || target >= n)
        return bi_fail(ctx, BOSC_ERR_ARG, "target: %lld is no vertex of %lld", (long long)target, (long long)n);
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    BI_TRY(bi_paths_check_array(ctx, "route", route, id_bits));
    if (!length) return bi_fail(ctx, BOSC_ERR_ARG, "length: NULL");
    struct bi_paths_follow follow = {.predecessors = predecessors, .is_64bit = id_bits == 64, .n = n, .target = target};
    BI_RETURN_WITH_SCRATCH(ctx, find_route(ctx, &follow, length, route, capacity));
}
