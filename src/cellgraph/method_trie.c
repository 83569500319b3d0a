/* TRIE: finds pairs in a trie of the vertices. */
#include <boscage/trie.h>

#include "cellgraph/drivers.h"

bosc_trie_opts bi_cellgraph_make_trie_opts(const bosc_cellgraph_opts *o)
{
    const bool published = o->trie_search == BOSC_CELLGRAPH_TRIE_LOOKUP;
    return (bosc_trie_opts){.size = sizeof(bosc_trie_opts),
                            .length = o->length,
                            .letter_bits = o->letter_bits,
                            .layout = published ? BOSC_TRIE_PUBLISHED : BOSC_TRIE_COMPACT,
                            .value_bits = 32,
                            .digit_bits = o->digit_bits,
                            .blocks = published ? o->blocks : 0,
                            .threads = published ? o->threads : 0};
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
