/* Copies of a trie's contents. */
#include "core/call.h"
#include "trie/drivers.h"

static bosc_status copy_out(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t n, struct bi_trie_copy *copy,
                            void *values)
{
    struct bi_out outs[2];
    bool staged = false;
    size_t value = (size_t)trie->opts.value_bits / 8;
    BI_TRY(
        bi_stage_out(ctx, copy->keys, copy->keys ? (size_t)(n * trie->shape.letters.words) * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, copy->counts_64bit, copy->counts_64bit ? (size_t)n * 8 : 0, &outs[1], &staged));
    copy->keys = outs[0].reachable;
    copy->counts_64bit = outs[1].reachable;
    if (copy->keys || copy->counts_64bit) BI_TRY(BI_TRIE_STEP(ctx, trie_copy_out, n, copy));
    for (int k = 0; k < 2; k++) BI_TRY(bi_stage_back(ctx, &outs[k]));
    if (values) {
        staged |= !ctx->backend->reaches(ctx, values);
        BI_TRY(ctx->backend->copy(ctx, values, (char *)trie->blocks[BI_TRIE_VALUES].data + (size_t)begin * value,
                                  (size_t)n * value));
    }
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_get_keys(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t end, uint64_t *keys,
                               void *values, int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    if (begin < 0 || begin > trie->keys)
        return bi_fail(ctx, BOSC_ERR_ARG, "begin: %lld is not in 0 to %lld", (long long)begin, (long long)trie->keys);
    if (end < begin || end > trie->keys)
        return bi_fail(ctx, BOSC_ERR_ARG, "end: %lld is not in %lld to %lld", (long long)end, (long long)begin,
                       (long long)trie->keys);
    BI_TRY(bi_trie_check_array(ctx, "keys", keys, false, sizeof *keys));
    BI_TRY(bi_trie_check_array(ctx, "values", values, false, (size_t)trie->opts.value_bits / 8));
    BI_TRY(bi_trie_check_array(ctx, "counts", counts, false, sizeof *counts));
    if (begin == end) return BOSC_OK;
    struct bi_trie_sorted all = bi_trie_sorted_of(trie);
    struct bi_trie_copy copy = {trie->shape, all.keys + begin * trie->shape.letters.words, all.counts + begin, keys,
                                counts};
    BI_RETURN_WITH_SCRATCH(ctx, copy_out(ctx, trie, begin, end - begin, &copy, values));
}

static bosc_status get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t rank_count,
                              void *values)
{
    struct bi_out out;
    bool staged = false;
    struct bi_trie_values a = {NULL, trie->blocks[BI_TRIE_VALUES].data, trie->keys, trie->opts.value_bits, NULL};
    BI_TRY(bi_stage_in(ctx, ranks, (size_t)rank_count * 8, (const void **)&a.ranks, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)rank_count * (size_t)a.value_bits / 8, &out, &staged));
    a.values = out.reachable;
    BI_TRY(BI_TRIE_STEP(ctx, trie_value, rank_count, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t rank_count,
                                 void *values)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    if (rank_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %lld is less than 0", (long long)rank_count);
    if (rank_count > INT64_MAX / 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %lld ranks are more than memory can hold",
                       (long long)rank_count);
    BI_TRY(bi_trie_check_array(ctx, "ranks", ranks, rank_count > 0, sizeof *ranks));
    BI_TRY(bi_trie_check_array(ctx, "values", values, rank_count > 0, (size_t)trie->opts.value_bits / 8));
    if (rank_count == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, get_values(ctx, trie, ranks, rank_count, values));
}
