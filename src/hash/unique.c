/* Numbers distinct keys by first occurrence, through a sort of the hashes. */
#include "hash/drivers.h"

static bosc_status number_keys(bosc_ctx *ctx, int32_t key_bits, const void *keys, int64_t n, struct bi_hash_ids *a,
                               int64_t *count)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_hash_groups g;
    uint32_t *flags, *groups, *exclusive_prefix;
    void *sorted;
    BI_TRY(bi_hash_sort(ctx, key_bits, 0, keys, n, &g, &sorted));
    BI_TRY(bi_scratch_of(ctx, n, 4, &flags));
    BI_TRY(bi_scratch_of(ctx, n, 4, &groups));
    BI_TRY(bi_scratch_of(ctx, n, 4, &exclusive_prefix));
    BI_TRY(bi_scratch_of(ctx, n, 1, &a->is_first));
    a->heads = g.heads, a->rows = g.rows, a->group_begins = g.group_begins, a->groups = groups,
    a->exclusive_prefix = exclusive_prefix;
    struct bi_hash_widen widen = {g.heads, flags};
    BI_TRY(BI_HASH_STEP(ctx, mark_first, n, a));
    BI_TRY(BI_HASH_STEP(ctx, widen, n, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_INCLUSIVE, BOSC_U32, flags, n, groups));
    widen.flags = a->is_first;
    BI_TRY(BI_HASH_STEP(ctx, widen, n, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, flags, n, exclusive_prefix));
    *count = g.count;
    return BOSC_OK;
}

static bosc_status assign_ids(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids,
                              void *distinct, int64_t *count)
{
    struct bi_hash_ids args = {0};
    struct bi_out to_ids, to_distinct;
    bool staged = false;
    size_t key_bytes = (size_t)key_bits / 8;
    int64_t *compacted, found;
    if (n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    /* 1. Sort the hashes and number the groups. */
    BI_TRY(bi_stage_in(ctx, keys, (size_t)n * key_bytes, &keys, &staged));
    BI_TRY(bi_stage_out(ctx, ids, (size_t)n * sizeof *ids, &to_ids, &staged));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &compacted));
    args.ids = to_ids.reachable;
    BI_TRY(number_keys(ctx, key_bits, keys, n, &args, &found));
    /* 2. Compact the first key of each group, then write the ids. */
    if (distinct) {
        BI_TRY(bi_stage_out(ctx, distinct, (size_t)found * key_bytes, &to_distinct, &staged));
        BI_TRY(ctx->backend->core->compact(ctx, key_bytes, keys, args.is_first, n, to_distinct.reachable, compacted));
        BI_TRY(bi_stage_back(ctx, &to_distinct));
    }
    BI_TRY(BI_HASH_STEP(ctx, write_ids, n, &args)); /* last, as nothing can fail for lack of memory any more */
    BI_TRY(bi_stage_back(ctx, &to_ids));
    BI_TRY(ctx->backend->sync(ctx));
    *count = found;
    return BOSC_OK;
}

bosc_status bosc_hash_unique(bosc_ctx *ctx, const void *keys, int64_t n, int32_t key_bits, int64_t *ids, void *distinct,
                             int64_t *count)
{
    BI_ENTER(ctx);
    if (key_bits != 32 && key_bits != 64 && key_bits != 128)
        return bi_fail(ctx, BOSC_ERR_ARG, "key_bits: %d is none of 32, 64, 128", (int)key_bits);
    int64_t alignment = bi_hash_key_alignment(key_bits);
    BI_TRY(bi_hash_check_n(ctx, "n", n));
    BI_TRY(bi_hash_check_array(ctx, "keys", keys, n, key_bits / 8, alignment));
    BI_TRY(bi_hash_check_array(ctx, "ids", ids, n, sizeof *ids, sizeof *ids));
    BI_TRY(bi_hash_check_array(ctx, "unique", distinct, 0, 1, alignment));
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    bi_progress_set_total(ctx, 17 * (double)n);
    BI_RETURN_WITH_SCRATCH(ctx, assign_ids(ctx, keys, n, key_bits, ids, distinct, count));
}
