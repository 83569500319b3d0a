/* The driver that adds vectors: those of the old vertices and the new rows become the vertices of a second graph, which
 * takes the place of the first once it is done. Old vertices come first, so they keep their numbers. */
#include <string.h>

#include "cellgraph/drivers.h"
#include "core/call.h"

/* The old vertices' vectors, and the new rows behind them. */
static bosc_status join_rows(bosc_ctx *ctx, const bosc_cellgraph *old, const struct bi_cellgraph_rows *fresh,
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

/* Makes the rows of *next, which are old vertices and new rows, all rows. */
static bosc_status count_rows(bosc_ctx *ctx, const bosc_cellgraph *old, int64_t fresh, bosc_cellgraph *next)
{
    struct bi_cellgraph_merge merge = {.known = old->vertices,
                                       .moved = (uint32_t)(old->n - old->vertices),
                                       .old_firsts = old->blocks[BI_CELLGRAPH_FIRSTS].data,
                                       .old_multiplicities = old->blocks[BI_CELLGRAPH_MULTIPLICITIES].data,
                                       .firsts = next->blocks[BI_CELLGRAPH_FIRSTS].data,
                                       .multiplicities = next->blocks[BI_CELLGRAPH_MULTIPLICITIES].data};
    uint32_t *kept;
    BI_TRY(bi_scratch_of(ctx, fresh, 4, &kept));
    BI_TRY(ctx->backend->copy(ctx, kept, (uint32_t *)next->blocks[BI_CELLGRAPH_VERTEX_OF].data + old->vertices,
                              (size_t)fresh * 4));
    BI_TRY(ctx->backend->sync(ctx)); /* the block may be replaced */
    BI_TRY(bi_cellgraph_reserve_block(ctx, next, BI_CELLGRAPH_VERTEX_OF, old->n + fresh, 4));
    uint32_t *vertex_of = next->blocks[BI_CELLGRAPH_VERTEX_OF].data;
    if (old->n > 0)
        BI_TRY(ctx->backend->copy(ctx, vertex_of, old->blocks[BI_CELLGRAPH_VERTEX_OF].data, (size_t)old->n * 4));
    BI_TRY(ctx->backend->copy(ctx, vertex_of + old->n, kept, (size_t)fresh * 4));
    next->n = old->n + fresh;
    return BI_CELLGRAPH_STEP(ctx, cellgraph_merge, next->vertices, &merge);
}

static bosc_status add_staged(bosc_ctx *ctx, const bosc_cellgraph *old, struct bi_cellgraph_rows *fresh,
                              bosc_cellgraph *next)
{
    bool staged = false;
    struct bi_cellgraph_rows all;
    struct bi_cellgraph_sample_stats stats;
    size_t bytes = (size_t)((fresh->n - 1) * fresh->stride + old->shape.words) * 8;
    BI_TRY(bi_stage_in(ctx, fresh->data, bytes, (const void **)&fresh->data, &staged));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(join_rows(ctx, old, fresh, &all));
    BI_TRY(bi_cellgraph_make_vertices(ctx, next, &all, &stats));
    BI_TRY(count_rows(ctx, old, fresh->n, next));
    bi_arena_rewind(ctx, mark);
    BI_TRY(bi_cellgraph_find_edges(ctx, next, old, &stats));
    return ctx->backend->sync(ctx);
}

static bosc_status add(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_rows rows)
{
    bosc_cellgraph next = {.memory = graph->memory,
                           .host = graph->host,
                           .opts = graph->opts,
                           .shape = graph->shape,
                           .trie = graph->trie,
                           .trie_bytes = graph->trie_bytes,
                           .exchanged = graph->opts.keep_memory && !graph->exchanged};
    if (rows.n == 0) return BOSC_OK;
    bosc_status status;
    memcpy(next.blocks, graph->spare, sizeof next.blocks);
    memset(graph->spare, 0, sizeof graph->spare);
    BI_WITH_SCRATCH(ctx, status = add_staged(ctx, graph, &rows, &next));
    graph->trie = next.trie; /* it holds nothing that is needed between builds */
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
    return add(ctx, graph, rows);
}
