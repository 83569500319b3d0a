/* Finds the first item of each distinct key, from the ids of bosc_hash_unique. These ascend by first occurrence, so an
 * item is the first of its key exactly if its id exceeds all earlier ids. */
#include "ranks/prims/representatives.h"

#include <boscage/hash.h>

#include "core/call.h"
#include "ranks/steps/steps.h"

static bosc_status mark_representatives(bosc_ctx *ctx, int64_t n, const struct bi_ranks_representatives *items)
{
    int64_t *exclusive_max;
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *exclusive_max, &exclusive_max));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_EXCLUSIVE, BOSC_I64, items->ids, n, exclusive_max));
    const struct bi_ranks_mark_representatives mark = {items->ids, exclusive_max, items->is_first,
                                                       items->representative_ids};
    return ctx->ops->dist->steps->mark_representatives(ctx, n, &mark);
}

bosc_status bi_ranks_find_representatives(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits,
                                          struct bi_ranks_representatives *items)
{
    BI_TRY(bi_scratch_of(ctx, n, sizeof *items->ids, &items->ids));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *items->is_first, &items->is_first));
    BI_TRY(bosc_hash_unique(ctx, keys, n, key_bits, items->ids, NULL, &items->count));
    BI_TRY(bi_scratch_of(ctx, items->count, sizeof *items->representative_ids, &items->representative_ids));
    BI_RETURN_WITH_SCRATCH(ctx, mark_representatives(ctx, n, items));
}
