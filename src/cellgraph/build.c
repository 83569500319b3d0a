/* Builds a graph: vertices, then edges. Additions build a second graph from the old vertices and the new rows. */
#include <string.h>

#include "cellgraph/drivers.h"
#include "core/call.h"

/* ---- builds ---- */

/* Makes the vertices of rows. *stats (host) gets the sample with which AUTO chooses how to find edges. table: of the
 * rows, or NULL. */
static bosc_status deduplicate_rows(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                    struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table)
{
    const bool sampled = graph->opts.method == BOSC_CELLGRAPH_AUTO && !graph->opts.implied_edges &&
                         bi_cellgraph_needs_sample(ctx, &graph->shape, rows->n);
    *stats = (struct bi_cellgraph_sample_stats){.leading = 0};
    graph->span = bi_cellgraph_span(graph->shape.words);
    if (table) BI_TRY(bi_cellgraph_find_first_rows(ctx, table));
    return ctx->ops->cellgraph->unique(ctx, graph, rows, sampled ? stats : NULL, table);
}

/* Stages the rows, makes the vertices and, unless only these are wanted, the edges. */
static bosc_status build_staged(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_rows *rows, bool with_edges)
{
    bool staged = false;
    struct bi_cellgraph_sample_stats stats;
    struct bi_cellgraph_table table, *used = NULL;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + graph->shape.words) * 8;
    BI_TRY(bi_stage_in(ctx, rows->data, bytes, (const void **)&rows->data, &staged));
    if (!with_edges) {
        BI_TRY_WITH_SCRATCH(ctx, ctx->ops->cellgraph->unique(ctx, graph, rows, NULL, NULL));
    } else {
        if (bi_cellgraph_uses_table(ctx, &graph->opts, rows->n)) {
            used = &table;
            BI_TRY(bi_cellgraph_build_table(ctx, &graph->shape, rows, used));
        }
        BI_TRY_WITH_SCRATCH(ctx, deduplicate_rows(ctx, graph, rows, &stats, used));
        BI_TRY(bi_cellgraph_find_edges(ctx, graph, NULL, &stats, used));
    }
    return ctx->backend->sync(ctx);
}

/* Builds the graph from its rows; after a failure it is empty. */
static bosc_status build_or_clear(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_rows rows, bool with_edges)
{
    bi_cellgraph_clear(graph);
    if (rows.n == 0) return BOSC_OK;
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build_staged(ctx, graph, &rows, with_edges));
    if (status == BOSC_OK)
        graph->n = rows.n;
    else
        graph->vertices = graph->edges = 0;
    return status;
}

bosc_status bi_cellgraph_build_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows)
{
    return build_or_clear(ctx, graph, *rows, false);
}

bosc_status bosc_cellgraph_build(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                 int64_t stride)
{
    struct bi_cellgraph_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    BI_TRY(bi_cellgraph_check_rows(ctx, graph, vectors, n, stride, 0, &rows));
    bi_progress_set_total(ctx, 40 * (double)n);
    return build_or_clear(ctx, graph, rows, !graph->opts.implied_edges);
}

/* ---- additions ----
 *
 * Adds vectors: builds a second graph from the old vertices and the new rows, which replaces the first once it is
 * complete. Old vertices come first, so they keep their numbers. */

/* Copies the vectors of the old vertices, then the new rows. */
static bosc_status append_rows(bosc_ctx *ctx, const bosc_cellgraph *old, const struct bi_cellgraph_rows *fresh,
                               struct bi_cellgraph_rows *all)
{
    size_t words = (size_t)old->shape.words;
    uint64_t *data;
    BI_TRY(bi_scratch_of(ctx, old->vertices + fresh->n, words * 8, &data));
    struct bi_cellgraph_gather gather = {*fresh, old->shape, data + (size_t)old->vertices * words};
    if (old->vertices > 0)
        BI_TRY(
            ctx->backend->copy(ctx, data, old->blocks[BI_CELLGRAPH_VECTORS].data, (size_t)old->vertices * words * 8));
    *all = (struct bi_cellgraph_rows){data, old->vertices + fresh->n, old->shape.words};
    return BI_CELLGRAPH_STEP(ctx, cellgraph_gather, fresh->n, &gather);
}

/* Turns the vertices of (old vertices, new rows) into those of all rows. */
static bosc_status merge_rows(bosc_ctx *ctx, const bosc_cellgraph *old, int64_t fresh, bosc_cellgraph *next)
{
    struct bi_cellgraph_merge merge = {.known = old->vertices,
                                       .moved = (uint32_t)(old->n - old->vertices),
                                       .old_representatives = old->blocks[BI_CELLGRAPH_REPRESENTATIVES].data,
                                       .old_multiplicities = old->blocks[BI_CELLGRAPH_MULTIPLICITIES].data,
                                       .representatives = next->blocks[BI_CELLGRAPH_REPRESENTATIVES].data,
                                       .multiplicities = next->blocks[BI_CELLGRAPH_MULTIPLICITIES].data};
    uint32_t *saved;
    BI_TRY(bi_scratch_of(ctx, fresh, 4, &saved));
    BI_TRY(ctx->backend->copy(ctx, saved, (uint32_t *)next->blocks[BI_CELLGRAPH_VERTEX_OF].data + old->vertices,
                              (size_t)fresh * 4));
    BI_TRY(ctx->backend->sync(ctx)); /* the block may be replaced */
    BI_TRY(bi_cellgraph_reserve_block(ctx, next, BI_CELLGRAPH_VERTEX_OF, old->n + fresh, 4));
    uint32_t *vertex_of = next->blocks[BI_CELLGRAPH_VERTEX_OF].data;
    if (old->n > 0)
        BI_TRY(ctx->backend->copy(ctx, vertex_of, old->blocks[BI_CELLGRAPH_VERTEX_OF].data, (size_t)old->n * 4));
    BI_TRY(ctx->backend->copy(ctx, vertex_of + old->n, saved, (size_t)fresh * 4));
    next->n = old->n + fresh;
    return BI_CELLGRAPH_STEP(ctx, cellgraph_merge, next->vertices, &merge);
}

/* Builds `next` from the old vertices and the new rows: vertices, then edges. */
static bosc_status add_staged(bosc_ctx *ctx, const bosc_cellgraph *old, struct bi_cellgraph_rows *fresh,
                              bosc_cellgraph *next)
{
    bool staged = false;
    struct bi_cellgraph_rows all;
    struct bi_cellgraph_sample_stats stats;
    size_t bytes = (size_t)((fresh->n - 1) * fresh->stride + old->shape.words) * 8;
    BI_TRY(bi_stage_in(ctx, fresh->data, bytes, (const void **)&fresh->data, &staged));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(append_rows(ctx, old, fresh, &all));
    BI_TRY(deduplicate_rows(ctx, next, &all, &stats, NULL));
    BI_TRY(merge_rows(ctx, old, fresh->n, next));
    bi_arena_rewind(ctx, mark);
    if (!next->opts.implied_edges) BI_TRY(bi_cellgraph_find_edges(ctx, next, old, &stats, NULL));
    return ctx->backend->sync(ctx);
}

static bosc_status add_rows(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_rows rows)
{
    bosc_cellgraph next = {.memory = graph->memory,
                           .host = graph->host,
                           .opts = graph->opts,
                           .shape = graph->shape,
                           .trie = graph->trie,
                           .trie_bytes = graph->trie_bytes,
                           .exchanged = graph->opts.keep_memory && !graph->exchanged};
    if (rows.n == 0) return BOSC_OK;
    /* 1. Build the next graph in the spare blocks. */
    bosc_status status;
    memcpy(next.blocks, graph->spare, sizeof next.blocks);
    memset(graph->spare, 0, sizeof graph->spare);
    BI_WITH_SCRATCH(ctx, status = add_staged(ctx, graph, &rows, &next));
    /* 2. Exchange the graphs on success; keep or free the blocks of the other. The trie has no state between builds. */
    graph->trie = next.trie;
    graph->trie_bytes = next.trie_bytes;
    bosc_cellgraph other = status == BOSC_OK ? *graph : next;
    if (status == BOSC_OK) *graph = next;
    if (graph->opts.keep_memory)
        memcpy(graph->spare, other.blocks, sizeof other.blocks);
    else
        for (int b = 0; b < BI_CELLGRAPH_BLOCKS; b++) bi_block_free(&other.memory, &other.blocks[b]);
    return status;
}

bosc_status bosc_cellgraph_add(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n, int64_t stride)
{
    struct bi_cellgraph_rows rows;
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    BI_TRY(bi_cellgraph_check_rows(ctx, graph, vectors, n, stride, graph->n, &rows));
    bi_progress_set_total(ctx, 40 * (double)(graph->vertices + n));
    if (graph->n == 0) return bosc_cellgraph_build(ctx, graph, vectors, n, stride); /* in the memory that it has */
    return add_rows(ctx, graph, rows);
}
