/* All pairs of keys that differ in one letter. */
#include "core/call.h"
#include "trie/drivers.h"

/* Looks up the neighbours of each key; with the launch of the options, if the backend has one. */
static bosc_status run_pairs_step(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_pairs *a)
{
    const bosc_trie_opts *o = &trie->opts;
    const bool chosen = o->layout == BOSC_TRIE_PUBLISHED && (o->blocks || o->threads);
    if (!chosen || !ctx->ops->trie->launch_pairs) return BI_TRIE_STEP(ctx, trie_pairs, trie->keys, a);
    return ctx->ops->trie->launch_pairs(ctx, a, o->blocks, o->threads);
}

static bosc_status find_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions,
                              int64_t capacity, int64_t *count)
{
    struct bi_trie_pairs a = {.view = bi_trie_view_of(trie)};
    struct bi_out to_pairs, to_positions;
    bool staged = false;
    int64_t n = trie->keys;
    BI_TRY(bi_scratch_of(ctx, n + 1, 8, &a.offsets));
    BI_TRY(ctx->backend->fill(ctx, a.offsets + n, 0, 8));
    BI_TRY(run_pairs_step(ctx, trie, &a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a.offsets, n + 1, a.offsets));
    BI_TRY(bi_read_back(ctx, count, a.offsets + n, sizeof *count));
    if (*count == 0 || (!pairs && !positions)) return BOSC_OK;
    if (*count > capacity)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld pairs, but there are %lld", (long long)capacity,
                       (long long)*count);
    BI_TRY(bi_stage_out(ctx, pairs, pairs ? (size_t)*count * 16 : 0, &to_pairs, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? (size_t)*count * 4 : 0, &to_positions, &staged));
    BI_TRY(bi_scratch_of(ctx, *count, 8, &a.others));
    a.pairs = to_pairs.reachable;
    a.positions = to_positions.reachable;
    BI_TRY(run_pairs_step(ctx, trie, &a));
    BI_TRY(bi_stage_back(ctx, &to_pairs));
    BI_TRY(bi_stage_back(ctx, &to_positions));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_trie_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions, int64_t capacity,
                            int64_t *count)
{
    int64_t found = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_array(ctx, "pairs", pairs, false, sizeof *pairs));
    BI_TRY(bi_trie_check_array(ctx, "positions", positions, false, sizeof *positions));
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    bi_progress_set_total(ctx, 32 * (double)trie->keys);
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = find_pairs(ctx, trie, pairs, positions, capacity, &found));
    if (status == BOSC_OK || status == BOSC_ERR_SPACE) *count = found;
    return status;
}
