/* The driver of the method that looks for pairs in a trie of the vertices. */
#include <boscage/trie.h>

#include "cellgraph/driver.h"

/* The graph's trie of its vertices, whose values are their numbers. It is kept for the next build. */
static bosc_status make_trie(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_view *view)
{
    bool published = graph->opts.trie_search == BOSC_CELL_TRIE_LOOKUP;
    bosc_trie_opts opts = {.size = sizeof opts,
                           .length = view->shape.length,
                           .letter_bits = view->shape.letter_bits,
                           .layout = published ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT,
                           .value_bits = 32};
    bosc_trie_info info = {.size = sizeof info};
    if (!graph->trie) BI_TRY(bosc_trie_create(ctx, &opts, &graph->trie));
    BI_TRY(bosc_trie_build(ctx, graph->trie, view->vectors, NULL, view->count, 0));
    BI_TRY(bosc_trie_get_info(ctx, graph->trie, &info));
    graph->trie_bytes = info.bytes;
    return BOSC_OK;
}

/* The edges of `count` vertices from `first` on. */
static bosc_status add_slice(bosc_ctx *ctx, const bosc_cellgraph *graph, const struct bi_cell_view *view, int64_t first,
                             int64_t count, const struct bi_cell_found *found)
{
    struct bi_cell_near near = {.found = *found, .first = first};
    const uint64_t *queries = bi_cell_row(view, first);
    int64_t *offsets, *ranks, total;
    uint32_t *neighbours, *positions;
    BI_TRY(bi_cell_scratch(ctx, count + 1, 8, &offsets));
    BI_TRY(bosc_trie_neighbours(ctx, graph->trie, queries, count, 0, offsets, NULL, NULL, 0));
    BI_TRY(bi_read_back(ctx, &total, offsets + count, sizeof total));
    if (total == 0) return BOSC_OK;
    BI_TRY(bi_cell_scratch(ctx, total, 8, &ranks));
    BI_TRY(bi_cell_scratch(ctx, total, 4, &neighbours));
    BI_TRY(bi_cell_scratch(ctx, total, 4, &positions));
    BI_TRY(bosc_trie_neighbours(ctx, graph->trie, queries, count, 0, offsets, ranks, positions, total));
    BI_TRY(bosc_trie_get_values(ctx, graph->trie, ranks, total, neighbours));
    near.offsets = offsets;
    near.neighbours = neighbours;
    near.positions = positions;
    return BI_CELL_STEP(ctx, cell_near, count, &near);
}

bosc_status bi_cell_trie_all(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_view *view,
                             const struct bi_cell_found *found)
{
    enum { SLICE = 1 << 20 }; /* vertices whose neighbours are held at once */
    BI_TRY(make_trie(ctx, graph, view));
    if (graph->opts.trie_search == BOSC_CELL_TRIE_DOBROWOLSKI) return bi_cell_cpu_links(ctx, graph->trie, view, found);
    for (int64_t first = 0; first < view->count; first += SLICE) {
        struct bi_mark mark = bi_arena_mark(ctx);
        BI_TRY(bi_progress(ctx, "trie", (double)first / (double)view->count));
        BI_TRY(add_slice(ctx, graph, view, first, view->count - first < SLICE ? view->count - first : SLICE, found));
        bi_arena_rewind(ctx, mark);
    }
    return BOSC_OK;
}
