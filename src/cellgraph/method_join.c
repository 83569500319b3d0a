/* The word-complement join of a skewed segment, by sorts. The segment is halved repeatedly, down to single words. A
 * sort groups vertices by the hash of the words outside the range. Short runs are compared; only the members of long
 * runs continue to the halves. At a single word, the letters that vary in a run are replaced and looked up. A vertex
 * takes part in at most 2 log2(words) sorts, is compared with few others in each, and is looked up with each letter
 * replaced at most once. */
#include "cellgraph/drivers.h"
#include "core/call.h"

/* Bits to sort by. Runs of vertices that agree by chance then have about one member more. */
static int join_bits(int64_t count) { return (bi_bit_length((uint64_t)count) + 7) / 8 * 8; }

/* Finds the begins and ends of long runs. */
static bosc_status find_runs(bosc_ctx *ctx, struct bi_cellgraph_join *join)
{
    uint32_t *numbers, *runs;
    int64_t *count_at;
    BI_TRY(bi_scratch_of(ctx, join->count, 4, &runs));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count_at, &count_at));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_scratch_of(ctx, join->count, 4, &numbers));
    BI_TRY(ctx->backend->core->iota(ctx, 4, numbers, join->count));
    BI_TRY(ctx->backend->core->compact(ctx, 4, numbers, join->long_heads, join->count, runs, count_at));
    bi_arena_rewind(ctx, mark);
    BI_TRY(bi_read_back(ctx, &join->run_count, count_at, sizeof *count_at));
    join->runs = runs;
    BI_TRY(bi_scratch_of(ctx, join->run_count, 4, &join->ends));
    return BI_CELLGRAPH_STEP(ctx, cellgraph_run_end, join->run_count, join);
}

/* Long runs of one word: looks up its varying letters replaced. */
static bosc_status replace_long_runs(bosc_ctx *ctx, struct bi_cellgraph_join *join)
{
    BI_TRY(bi_scratch_of(ctx, join->run_count, 8, &join->varying));
    BI_TRY(ctx->backend->fill(ctx, join->varying, 0, (size_t)join->run_count * 8));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_varying_bits, join->count, join));
    return BI_CELLGRAPH_STEP(ctx, cellgraph_probe_long_run, join->count, join);
}

/* Sorts once, and compares vertices in short runs. `remaining` (count) gets the *left vertices in long runs of several
 * words. The keys of a run agree from bit join->shift on; a long run has over BI_CELLGRAPH_RUN vertices. Two vertices
 * are compared only if all bits of their keys agree. */
static bosc_status join_range(bosc_ctx *ctx, struct bi_cellgraph_join *join, uint32_t *remaining, int64_t *left)
{
    uint64_t *sorted;
    uint32_t *order, any_long;
    int64_t *count_at;
    *left = 0;
    /* 1. Sort by the hash of the words outside the range. */
    join->shift = 64 - join_bits(join->count);
    BI_TRY(bi_scratch_of(ctx, join->count, 8, &join->keys));
    BI_TRY(bi_scratch_of(ctx, join->count, 8, &sorted));
    BI_TRY(bi_scratch_of(ctx, join->count, 4, &order));
    BI_TRY(bi_scratch_of(ctx, join->count, 1, &join->long_heads));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof any_long, &join->any_long));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count_at, &count_at));
    join->sorted = sorted;
    join->order = order;
    BI_TRY(ctx->backend->fill(ctx, join->any_long, 0, sizeof any_long));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_complement_hash, join->count, join));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, join->keys, 4, join->members, join->count, sorted, order,
                                          join->shift, 64));
    /* 2. Compare within short runs, and mark long ones. */
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_compare_run, join->count, join));
    BI_TRY(bi_read_back(ctx, &any_long, join->any_long, sizeof any_long));
    if (!any_long) return BOSC_OK;
    /* 3. Long runs: replace letters of a single word; otherwise return the members. */
    BI_TRY(find_runs(ctx, join));
    if (join->end - join->begin == 1) return replace_long_runs(ctx, join);
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_in_long_run, join->count, join));
    BI_TRY(ctx->backend->core->compact(ctx, 4, order, join->long_heads, join->count, remaining, count_at));
    return bi_read_back(ctx, left, count_at, sizeof *count_at);
}

/* Finds edges between `count` vertices that differ in words `begin` to `end` - 1. */
static bosc_status join_halves(bosc_ctx *ctx, const struct bi_cellgraph_probe *probe, const uint32_t *members,
                               int64_t count, int32_t begin, int32_t end)
{
    struct bi_cellgraph_join join = {.probe = *probe, .begin = begin, .end = end, .count = count, .members = members};
    struct bi_mark outer = bi_arena_mark(ctx);
    uint32_t *remaining;
    int64_t left;
    BI_TRY(bi_scratch_of(ctx, count, 4, &remaining));
    BI_TRY_WITH_SCRATCH(ctx, join_range(ctx, &join, remaining, &left));
    if (left > 0) {
        BI_TRY(join_halves(ctx, probe, remaining, left, begin, begin + (end - begin) / 2));
        BI_TRY(join_halves(ctx, probe, remaining, left, begin + (end - begin) / 2, end));
    }
    bi_arena_rewind(ctx, outer);
    return BOSC_OK;
}

/* Removes the edges of skewed segments from the first `count` edges. */
static bosc_status drop_skewed_edges(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments, int64_t count)
{
    const struct bi_cellgraph_edge_list *found = &segments->found;
    struct bi_cellgraph_edge_filter filter = {.found = *found, .shape = segments->view.shape, .span = segments->span};
    BI_TRY(bi_scratch_of(ctx, count, 8, &filter.edges));
    BI_TRY(bi_scratch_of(ctx, count, 4, &filter.positions));
    filter.skewed = segments->skewed;
    BI_TRY(ctx->backend->copy(ctx, filter.edges, found->edges, (size_t)count * 8));
    BI_TRY(ctx->backend->copy(ctx, filter.positions, found->positions, (size_t)count * 4));
    BI_TRY(ctx->backend->fill(ctx, found->count, 0, 8));
    if (found->counts) BI_TRY(ctx->backend->fill(ctx, found->counts, 0, (size_t)segments->view.count * 4));
    return BI_CELLGRAPH_STEP(ctx, cellgraph_filter_edge, count, &filter);
}

bosc_status bi_cellgraph_join_halves(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments,
                                     const uint32_t *skewed, int64_t count)
{
    int32_t words = segments->view.shape.words;
    struct bi_cellgraph_probe probe = {.view = segments->view, .found = segments->found};
    uint32_t *all;
    if (count > 0) BI_TRY_WITH_SCRATCH(ctx, drop_skewed_edges(ctx, segments, count));
    BI_TRY(bi_cellgraph_build_dictionary(ctx, &segments->view, &probe.dictionary));
    BI_TRY(bi_scratch_of(ctx, segments->view.count, 4, &all));
    BI_TRY(ctx->backend->core->iota(ctx, 4, all, segments->view.count));
    for (int32_t g = 0; g < segments->count; g++) {
        int32_t begin = g * segments->span, end = begin + segments->span;
        if (skewed[g]) BI_TRY(join_halves(ctx, &probe, all, segments->view.count, begin, end < words ? end : words));
    }
    return BOSC_OK;
}
