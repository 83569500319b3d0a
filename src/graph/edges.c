/* Shared by the readers of a graph: the row of every arc, and one arc of every edge. */
#include "core/call.h"
#include "graph/drivers.h"

bosc_status bi_graph_expand_rows(bosc_ctx *ctx, const void *offsets, bool is_64bit, int64_t n, int64_t m,
                                 uint32_t *rows)
{
    if (m == 0) return BOSC_OK;
    struct bi_graph_mark_rows mark = {offsets, is_64bit, rows};
    BI_TRY(ctx->backend->fill(ctx, rows, 0, (size_t)m * sizeof *rows));
    BI_TRY(ctx->ops->graph->steps->graph_mark_rows(ctx, n, &mark));
    return ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_U32, rows, m, rows);
}

bosc_status bi_graph_list_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_edges *edges)
{
    const struct bi_graph_steps *steps = ctx->ops->graph->steps;
    size_t word = graph->is_64bit ? 8 : 4;
    void *flags, *all, *count;
    BI_TRY(bi_scratch_of(ctx, graph->arcs, sizeof(uint32_t), (void **)&edges->row_of));
    BI_TRY(bi_scratch_of(ctx, graph->arcs, word, &edges->arcs));
    BI_TRY(bi_scratch_of(ctx, graph->arcs, word, &edges->ids));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_scratch_of(ctx, graph->arcs, word, &all));
    BI_TRY(bi_scratch_of(ctx, graph->arcs, 1, &flags));
    BI_TRY(bi_scratch(ctx, sizeof edges->count, &count));
    /* Arcs u -> v with u <= v, selected from all arcs. */
    struct bi_graph_mark_forward forward = {edges->row_of, graph->neighbours.data, flags};
    struct bi_graph_iota iota = {all, graph->is_64bit};
    struct bi_graph_gather_words gather = {graph->edge_ids.data, edges->arcs, graph->is_64bit, edges->ids};
    BI_TRY(bi_graph_expand_rows(ctx, graph->offsets.data, graph->is_64bit, graph->n, graph->arcs, edges->row_of));
    BI_TRY(steps->graph_mark_forward(ctx, graph->arcs, &forward));
    BI_TRY(steps->graph_iota(ctx, graph->arcs, &iota));
    BI_TRY(ctx->backend->core->compact(ctx, word, all, flags, graph->arcs, edges->arcs, count));
    BI_TRY(bi_read_back(ctx, &edges->count, count, sizeof edges->count));
    BI_TRY(steps->graph_gather_words(ctx, edges->count, &gather));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}
