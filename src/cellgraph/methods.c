/* The methods of a few steps each: HEURISTIC, ZOBRIST and TRIE. The join's steps are in method_join.c. */
#include <boscage/trie.h>

#include "cellgraph/drivers.h"
#include "trie/append_pairs.h"

/* ---- HEURISTIC: compares all pairs that pivots do not rule out ---- */

/* An item has a row from each end, so that all items have equally many pairs. */
static bosc_status compare_rows(bosc_ctx *ctx, struct bi_cellgraph_heuristic *all)
{
    struct bi_batches p = bi_batches_of(ctx, (all->view.count + 1) / 2, 2 * (double)all->view.count);
    while (bi_next_batch(ctx, &p)) {
        all->first = p.begin;
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_compare, p.end - p.begin, all));
    }
    return p.status;
}

bosc_status bi_cellgraph_find_by_heuristic(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                           const bosc_cellgraph_opts *opts, const struct bi_cellgraph_edge_list *found)
{
    struct bi_cellgraph_heuristic all = {.view = *view,
                                         .found = *found,
                                         .pivots = opts->pivots,
                                         .published = opts->heuristic_search != BOSC_CELLGRAPH_HEURISTIC_ROWS,
                                         .ends_early = opts->heuristic_search == BOSC_CELLGRAPH_HEURISTIC_BLOCKS,
                                         .blocks = opts->blocks,
                                         .threads = opts->threads};
    if (opts->method == BOSC_CELLGRAPH_AUTO) all.pivots = all.published = all.ends_early = 0;
    if (all.pivots > view->count) all.pivots = (int32_t)view->count;
    BI_TRY(bi_scratch_of(ctx, view->count * all.pivots, 4, &all.distances));
    if (all.ends_early && ctx->ops->cellgraph->measure_pivots)
        BI_TRY(ctx->ops->cellgraph->measure_pivots(ctx, &all));
    else
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_pivot_distances, view->count, &all));
    if (all.published && ctx->ops->cellgraph->compare_pairs) return ctx->ops->cellgraph->compare_pairs(ctx, &all);
    return compare_rows(ctx, &all);
}

/* ---- ZOBRIST: looks up each vector with a letter replaced, by its hash ---- */

int64_t bi_cellgraph_lay_out_dictionary(void *base, int64_t count, struct bi_cellgraph_dictionary *d)
{
    const int bits = bi_bit_length((uint64_t)count);
    const int64_t entries = ((int64_t)1 << bits) + 1, words = (int64_t)1 << (bits - 1);
    *d = (struct bi_cellgraph_dictionary){.count = count, .index_bits = bits};
    d->hashes = base;
    if (base) {
        d->order = (uint32_t *)(d->hashes + count);
        d->starts = d->order + count;
        d->filter = d->starts + entries;
    }
    return 12 * count + 4 * (entries + words);
}

bosc_status bi_cellgraph_build_dictionary(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                          struct bi_cellgraph_dictionary *d)
{
    void *base;
    BI_TRY(bi_scratch(ctx, (size_t)bi_cellgraph_lay_out_dictionary(NULL, view->count, d), &base));
    bi_cellgraph_lay_out_dictionary(base, view->count, d);
    return bi_cellgraph_fill_dictionary(ctx, view, d);
}

bosc_status bi_cellgraph_fill_dictionary(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                         const struct bi_cellgraph_dictionary *d)
{
    const int bits = d->index_bits, sorted_bits = (bits + 7) / 8 * 8;
    const int64_t entries = ((int64_t)1 << bits) + 1, words = (int64_t)1 << (bits - 1);
    BI_TRY(ctx->backend->fill(ctx, d->starts, 0, (size_t)entries * 4));
    BI_TRY(ctx->backend->fill(ctx, d->filter, 0, (size_t)words * 4));
    struct bi_mark mark = bi_arena_mark(ctx);
    uint32_t *numbers;
    BI_TRY(bi_scratch_of(ctx, view->count, 4, &numbers));
    BI_TRY(ctx->backend->core->iota(ctx, 4, numbers, view->count));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, view->hashes, 4, numbers, view->count, d->hashes, d->order,
                                          64 - sorted_bits, 64));
    bi_arena_rewind(ctx, mark);
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_index_hash, view->count, d));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, d->starts, entries, d->starts);
}

int64_t bi_cellgraph_vote_sample_size(int64_t vertices)
{
    enum { MAX_SAMPLES = 64, FRACTION = 8 }; /* a vote reads at most an eighth of the vertices: lookups outweigh it */
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

/* ---- TRIE: finds pairs in a trie of the vertices ---- */

/* True for the searches of a trie with arrays of all children. */
static bool has_published_trie(const bosc_cellgraph_opts *o)
{
    return o->trie_search == BOSC_CELLGRAPH_TRIE_LOOKUP || o->trie_search == BOSC_CELLGRAPH_TRIE_BLOCKS;
}

bosc_trie_opts bi_cellgraph_make_trie_opts(const bosc_cellgraph_opts *o)
{
    const bool published = has_published_trie(o);
    return (bosc_trie_opts){.size = sizeof(bosc_trie_opts),
                            .length = o->length,
                            .letter_bits = o->letter_bits,
                            .layout = published ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT,
                            .value_bits = 32,
                            .digit_bits = o->digit_bits,
                            .blocks = published ? o->blocks : 0,
                            .threads = published ? o->threads : 0,
                            .by_values = published && o->trie_by_values};
}

static bosc_status create_trie(bosc_ctx *ctx, bosc_cellgraph *graph)
{
    const bosc_trie_opts opts = bi_cellgraph_make_trie_opts(&graph->opts);
    return graph->trie ? BOSC_OK : bosc_trie_create(ctx, &opts, &graph->trie);
}

static bosc_status update_trie_bytes(bosc_ctx *ctx, bosc_cellgraph *graph)
{
    bosc_trie_info info = {.size = sizeof info};
    BI_TRY(bosc_trie_get_info(ctx, graph->trie, &info));
    graph->trie_bytes = info.bytes;
    return BOSC_OK;
}

bosc_status bi_cellgraph_trie_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n)
{
    BI_TRY(create_trie(ctx, graph));
    BI_TRY(bosc_trie_reserve(ctx, graph->trie, n));
    return update_trie_bytes(ctx, graph);
}

/* Builds the trie of the vertices; values are their numbers. The handle is kept for the next build. */
static bosc_status build_trie(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_view *view)
{
    BI_TRY(create_trie(ctx, graph));
    BI_TRY(bosc_trie_build(ctx, graph->trie, view->vectors, NULL, view->count, 0));
    return update_trie_bytes(ctx, graph);
}

bosc_status bi_cellgraph_find_by_trie(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_view *view,
                                      const struct bi_cellgraph_edge_list *found)
{
    struct bi_cellgraph_trie_pairs near = {.found = *found};
    int64_t *pairs, count;
    uint32_t *vertices, *positions;
    BI_TRY(build_trie(ctx, graph, view));
    if (graph->opts.trie_search == BOSC_CELLGRAPH_TRIE_DOBROWOLSKI)
        return ctx->ops->cellgraph->dobrowolski(ctx, graph->trie, view, found);
    if (has_published_trie(&graph->opts)) {
        const struct bi_trie_pair_list to = {found->edges, found->positions, found->count, found->capacity,
                                             found->vertex_bits};
        return bi_trie_append_pairs(ctx, graph->trie, graph->opts.trie_search == BOSC_CELLGRAPH_TRIE_BLOCKS, &to);
    }
    BI_TRY(bi_scratch_of(ctx, found->capacity, 16, &pairs));
    BI_TRY(bi_scratch_of(ctx, found->capacity, 8, &vertices));
    BI_TRY(bi_scratch_of(ctx, found->capacity, 4, &positions));
    bosc_status status = bosc_trie_pairs(ctx, graph->trie, pairs, positions, found->capacity, &count);
    if (status == BOSC_ERR_SPACE) {
        BI_TRY(ctx->backend->copy(ctx, found->count, &count, sizeof count));
        return ctx->backend->sync(ctx); /* `count` is on the stack */
    }
    BI_TRY(status);
    BI_TRY(bosc_trie_get_values(ctx, graph->trie, pairs, 2 * count, vertices));
    near.vertices = vertices;
    near.positions = positions;
    return BI_CELLGRAPH_STEP(ctx, cellgraph_add_trie_pair, count, &near);
}
