/* First items of equal keys, by the ids of bosc_hash_unique. */
#include "ranks/prims/representatives.h"

#include <boscage/hash.h>

#include "core/call.h"
#include "ranks/steps/steps.h"

static bosc_status mark(bosc_ctx *ctx, int64_t n, const struct bi_ranks_first_items *items)
{
    int64_t *before;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *before, &before));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_EXCLUSIVE, BOSC_I64, items->ids, n, before));
    const struct bi_ranks_firsts mark = {items->ids, before, items->is_first, items->firsts};
    return ctx->ops->dist->steps->mark_firsts(ctx, n, &mark);
}

bosc_status bi_ranks_find_firsts(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                 struct bi_ranks_first_items *items)
{
    BI_TRY(bi_scratch_of(ctx, n, sizeof *items->ids, &items->ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *items->is_first, &items->is_first));
    BI_TRY(bosc_hash_unique(ctx, keys, n, key_bits, items->ids, NULL, &items->count));
    BI_TRY(bi_scratch_of(ctx, items->count, sizeof *items->firsts, &items->firsts));
    BI_RETURN_WITH_SCRATCH(ctx, mark(ctx, n, items));
}
