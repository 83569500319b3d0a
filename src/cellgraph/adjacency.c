/* Both arcs of every edge as CSR rows. */
#include "cellgraph/drivers.h"

/* Sorts both arcs of every edge. */
static bosc_status build_by_steps(bosc_ctx *ctx, struct bi_cellgraph_arcs *a, int64_t vertices)
{
    const int64_t arcs = 2 * a->edges.count;
    uint64_t *sorted;
    uint32_t *positions;
    BI_TRY(bi_scratch_of(ctx, arcs, 8, &sorted));
    BI_TRY(bi_scratch_of(ctx, arcs, 4, &positions));
    BI_TRY(bi_scratch_of(ctx, arcs, 8, &a->arcs));
    BI_TRY(bi_scratch_of(ctx, arcs, 4, &a->of_arcs));
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_arc, a->edges.count, a));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, a->arcs, 4, a->of_arcs, arcs, sorted, positions, 0,
                                          2 * a->edges.vertex_bits));
    a->arcs = sorted;
    BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_row_end, arcs, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_MAX, BOSC_INCLUSIVE, BOSC_I64, a->offsets, vertices + 1, a->offsets));
    if (a->neighbours) BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_neighbour, arcs, a));
    return a->positions ? ctx->backend->copy(ctx, a->positions, positions, (size_t)arcs * 4) : BOSC_OK;
}

bosc_status bi_cellgraph_build_adjacency(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_arcs *a)
{
    const struct bi_cellgraph_ops *ops = ctx->ops->cellgraph;
    a->edges = bi_cellgraph_edges_of(graph);
    BI_TRY(bi_scratch_of(ctx, graph->vertices + 1, 8, &a->offsets));
    BI_TRY(ctx->backend->fill(ctx, a->offsets, 0, (size_t)(graph->vertices + 1) * 8));
    if (graph->edges == 0) return BOSC_OK;
    if (ops->rows && graph->edges < (int64_t)UINT32_MAX) return ops->rows(ctx, a, graph->vertices, graph->shape.length);
    return build_by_steps(ctx, a, graph->vertices);
}
