/* Queries with many answers: neighbours and matches, as rows of compressed sparse form, and all pairs. */
#include "core/call.h"
#include "trie/driver.h"

struct lists {
    const bosc_trie *trie;
    struct bi_trie_lists args;
    int64_t room;
};

static bosc_status run(bosc_ctx *ctx, const struct bi_trie_lists *a)
{
    if (a->masks) return BI_TRIE_STEP(ctx, trie_matches, a->queries.n, a);
    return BI_TRIE_STEP(ctx, trie_neighbours, a->queries.n, a);
}

/* The counts, then 0: an exclusive scan of them is the offsets. */
static bosc_status make_offsets(bosc_ctx *ctx, struct lists *l, int64_t *offsets)
{
    struct bi_out to;
    bool staged = false;
    int64_t m = l->args.queries.n;
    BI_TRY(bi_stage_out(ctx, offsets, ((size_t)m + 1) * 8, &to, &staged));
    BI_TRY(bi_trie_scratch(ctx, m + 1, 8, &l->args.counts));
    BI_TRY(ctx->backend->fill(ctx, l->args.counts + m, 0, 8));
    BI_TRY(run(ctx, &l->args));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, l->args.counts, m + 1, to.reachable));
    BI_TRY(bi_stage_back(ctx, &to));
    return ctx->backend->sync(ctx);
}

static bosc_status fill_rows(bosc_ctx *ctx, struct lists *l, const int64_t *offsets)
{
    struct bi_out ranks, positions;
    bool staged = false;
    int64_t m = l->args.queries.n, total;
    BI_TRY(bi_stage_in(ctx, offsets, ((size_t)m + 1) * 8, (const void **)&l->args.offsets, &staged));
    BI_TRY(bi_check_offsets(ctx, ctx->ops->trie->ascending, l->args.offsets, m, l->room, &l->args.bad, &total));
    if (m == 0) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, l->args.ranks, l->args.ranks ? (size_t)total * 8 : 0, &ranks, &staged));
    BI_TRY(bi_stage_out(ctx, l->args.positions, l->args.positions ? (size_t)total * 4 : 0, &positions, &staged));
    l->args.ranks = ranks.reachable;
    l->args.positions = positions.reachable;
    BI_TRY(run(ctx, &l->args));
    BI_TRY(bi_check_filled(ctx, l->args.bad));
    BI_TRY(bi_stage_back(ctx, &ranks));
    BI_TRY(bi_stage_back(ctx, &positions));
    return ctx->backend->sync(ctx);
}

static bosc_status list(bosc_ctx *ctx, struct lists *l, int64_t *offsets)
{
    bool staged = false;
    const uint64_t *masks = l->args.masks;
    BI_TRY(bi_trie_check_array(ctx, "offsets", offsets, true, sizeof *offsets));
    BI_TRY(bi_trie_check_array(ctx, "ranks", l->args.ranks, false, sizeof *l->args.ranks));
    BI_TRY(bi_trie_check_array(ctx, "positions", l->args.positions, false, sizeof *l->args.positions));
    if (l->room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)l->room);
    BI_TRY(bi_trie_stage_rows(ctx, &l->trie->shape, &l->args.queries, &staged));
    if (masks) {
        struct bi_trie_rows rows = l->args.queries;
        rows.data = masks;
        BI_TRY(bi_trie_stage_rows(ctx, &l->trie->shape, &rows, &staged));
        l->args.masks = rows.data;
    }
    l->args.view = bi_trie_view_of(l->trie);
    if (l->args.ranks || l->args.positions) return fill_rows(ctx, l, offsets);
    return make_offsets(ctx, l, offsets);
}

/* Checks the queries, and the masks as far as there have to be any, and makes the list. */
static bosc_status ask(bosc_ctx *ctx, struct lists *l, const uint64_t *queries, bool masked, int64_t m, int64_t stride,
                       int64_t *offsets)
{
    struct bi_trie_rows masks;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, l->trie));
    BI_TRY(bi_trie_check_rows(ctx, &l->trie->shape, "queries", queries, "m", m, stride, &l->args.queries));
    if (masked) BI_TRY(bi_trie_check_rows(ctx, &l->trie->shape, "masks", l->args.masks, "m", m, stride, &masks));
    BI_RETURN_WITH_SCRATCH(ctx, list(ctx, l, offsets));
}

bosc_status bosc_trie_matches(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, const uint64_t *masks,
                              int64_t m, int64_t stride, int64_t *offsets, int64_t *ranks, int64_t room)
{
    struct lists l = {.trie = trie, .room = room, .args = {.masks = masks, .ranks = ranks}};
    return ask(ctx, &l, queries, true, m, stride, offsets);
}

bosc_status bosc_trie_neighbours(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t m,
                                 int64_t stride, int64_t *offsets, int64_t *ranks, uint32_t *positions, int64_t room)
{
    struct lists l = {.trie = trie, .room = room, .args = {.ranks = ranks, .positions = positions}};
    return ask(ctx, &l, queries, false, m, stride, offsets);
}

static bosc_status find_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions, int64_t room,
                              int64_t *count)
{
    struct bi_trie_pairs a = {.view = bi_trie_view_of(trie)};
    struct bi_out to_pairs, to_positions;
    bool staged = false;
    int64_t n = trie->keys;
    BI_TRY(bi_trie_scratch(ctx, n + 1, 8, &a.offsets));
    BI_TRY(ctx->backend->fill(ctx, a.offsets + n, 0, 8));
    BI_TRY(BI_TRIE_STEP(ctx, trie_pairs, n, &a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a.offsets, n + 1, a.offsets));
    BI_TRY(bi_read_back(ctx, count, a.offsets + n, sizeof *count));
    if (*count == 0 || (!pairs && !positions)) return BOSC_OK;
    if (*count > room)
        return bi_fail(ctx, BOSC_ERR_SPACE, "room: %lld pairs, but there are %lld", (long long)room, (long long)*count);
    BI_TRY(bi_stage_out(ctx, pairs, pairs ? (size_t)*count * 16 : 0, &to_pairs, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? (size_t)*count * 4 : 0, &to_positions, &staged));
    BI_TRY(bi_trie_scratch(ctx, *count, 8, &a.others));
    a.pairs = to_pairs.reachable;
    a.positions = to_positions.reachable;
    BI_TRY(BI_TRIE_STEP(ctx, trie_pairs, n, &a));
    BI_TRY(bi_stage_back(ctx, &to_pairs));
    BI_TRY(bi_stage_back(ctx, &to_positions));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_trie_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions, int64_t room,
                            int64_t *count)
{
    int64_t found = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_array(ctx, "pairs", pairs, false, sizeof *pairs));
    BI_TRY(bi_trie_check_array(ctx, "positions", positions, false, sizeof *positions));
    if (room < 0) return bi_fail(ctx, BOSC_ERR_ARG, "room: %lld is less than 0", (long long)room);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = find_pairs(ctx, trie, pairs, positions, room, &found));
    if (status == BOSC_OK || status == BOSC_ERR_SPACE) *count = found;
    return status;
}
