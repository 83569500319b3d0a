/* Builds a trie: sorts the rows, merges equal ones to keys, and builds nodes. */
#include "base/clock.h"
#include "core/call.h"
#include "trie/drivers.h"

static bosc_status build_staged(bosc_ctx *ctx, bosc_trie *trie, struct bi_trie_input *input)
{
    struct bi_trie_order order;
    struct bi_trie_sorted keys;
    BI_TRY(bi_trie_stage_input(ctx, trie, input));
    struct bi_mark mark = bi_arena_mark(ctx);
    const double begin = bi_now();
    BI_TRY(bi_trie_sort_rows(ctx, &trie->shape, &input->rows, &order)); /* waits for the number of keys */
    const double sorted = bi_now();
    BI_TRY(bi_trie_reserve_keys(ctx, trie, order.count, &keys));
    BI_TRY(bi_trie_gather_keys(ctx, trie, &order, input->values, 0, &keys));
    bi_arena_rewind(ctx, mark);
    trie->keys = order.count;
    BI_TRY(bi_trie_build_nodes(ctx, trie));
    BI_TRY(ctx->backend->sync(ctx));
    trie->times = (bosc_trie_times){.sort = sorted - begin, .build = bi_now() - sorted};
    return BOSC_OK;
}

bosc_status bosc_trie_build(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values, int64_t n,
                            int64_t stride)
{
    struct bi_trie_input input;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check_input(ctx, trie, keys, values, n, stride, &input));
    if (n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows, but a trie is built from less than 2^31", (long long)n);
    trie->rows = trie->keys = trie->nodes = 0;
    trie->times = (bosc_trie_times){0};
    if (n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, 170 * (double)n);
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build_staged(ctx, trie, &input));
    if (status == BOSC_OK)
        trie->rows = n;
    else
        trie->keys = trie->nodes = 0;
    return status;
}
