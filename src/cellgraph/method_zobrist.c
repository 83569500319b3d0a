/* ZOBRIST: looks up each vector with a letter replaced, by its hash. */
#include "cellgraph/drivers.h"

bosc_status bi_cellgraph_build_dictionary(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                          struct bi_cellgraph_dictionary *d)
{
    int bits = bi_bit_length((uint64_t)view->count), sorted_bits = (bits + 7) / 8 * 8;
    int64_t entries = ((int64_t)1 << bits) + 1, words = (int64_t)1 << (bits - 1);
    *d = (struct bi_cellgraph_dictionary){.count = view->count, .index_bits = bits};
    BI_TRY(bi_scratch_of(ctx, view->count, 8, &d->hashes));
    BI_TRY(bi_scratch_of(ctx, view->count, 4, &d->order));
    BI_TRY(bi_scratch_of(ctx, entries, 4, &d->starts));
    BI_TRY(bi_scratch_of(ctx, words, 4, &d->filter));
    BI_TRY(ctx->backend->fill(ctx, d->starts, 0, (size_t)entries * 4));
    BI_TRY(ctx->backend->fill(ctx, d->filter, 0, (size_t)words * 4));
    struct bi_mark mark = bi_arena_mark(ctx);
    struct bi_cellgraph_iota iota;
    BI_TRY(bi_scratch_of(ctx, view->count, 4, &iota.numbers));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_iota, view->count, &iota));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, view->hashes, 4, iota.numbers, view->count, d->hashes,
                                          d->order, 64 - sorted_bits, 64));
    bi_arena_rewind(ctx, mark);
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_index_hash, view->count, d));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, d->starts, entries, d->starts);
}

int64_t bi_cellgraph_vote_sample_size(int64_t vertices)
{
    enum { MAX_SAMPLES = 64, FRACTION = 8 }; /* chosen, so that the lookups outweigh the vote */
    const int64_t samples = vertices / FRACTION;
    return samples < 1 ? 1 : samples > MAX_SAMPLES ? MAX_SAMPLES : samples;
}

bosc_status bi_cellgraph_find_common_letters(bosc_ctx *ctx, const struct bi_cellgraph_view *view, const uint32_t **to)
{
    struct bi_cellgraph_vote common = {.view = *view, .samples = bi_cellgraph_vote_sample_size(view->count)};
    BI_TRY(bi_scratch_of(ctx, view->shape.words, 8, &common.common));
    BI_TRY(ctx->backend->fill(ctx, common.common, 0, (size_t)view->shape.words * 8));
    *to = common.common;
    return BI_CELLGRAPH_STEP(ctx, cellgraph_vote, view->shape.length, &common);
}

bosc_status bi_cellgraph_find_by_zobrist(bosc_ctx *ctx, const struct bi_cellgraph_view *view, const uint32_t *common,
                                         const struct bi_cellgraph_edge_list *found)
{
    struct bi_cellgraph_probe probe = {.view = *view, .found = *found, .common = common};
    BI_TRY(bi_cellgraph_build_dictionary(ctx, view, &probe.dictionary));
    if (!common) BI_TRY(bi_cellgraph_find_common_letters(ctx, view, &probe.common));
    return BI_CELLGRAPH_STEP(ctx, cellgraph_probe_neighbours, view->count, &probe);
}
