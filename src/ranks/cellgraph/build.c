/* Builds a cell graph over ranks: equal rows are gathered and become vertices; then vertices that agree in half of
 * their letters are gathered, and ordinary graphs find the pairs among them. */
#include "ranks/cellgraph/cellgraph.h"

/* A communicator of one rank: the graph is that of one context, after a failure too. */
static bosc_status build_alone(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_cellgraph_rows *rows)
{
    const bosc_cellgraph *local = graph->local;
    const bosc_status status = bosc_cellgraph_build(ctx, graph->local, rows->data, rows->n, rows->stride);
    graph->rows = (struct bi_ranks_shard){0, local->n, local->n};
    graph->vertices = (struct bi_ranks_shard){0, local->vertices, local->vertices};
    graph->edges = (struct bi_ranks_shard){0, local->edges, local->edges};
    return status;
}

static bosc_status find_vertices_and_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph,
                                           const struct bi_cellgraph_rows *rows, const struct bi_ranks_slices *slices)
{
    BI_TRY_WITH_SCRATCH(ctx, bi_ranks_cellgraph_find_vertices(ctx, graph, rows));
    BI_RETURN_WITH_SCRATCH(ctx, bi_ranks_cellgraph_find_edges(ctx, graph, slices));
}

static bosc_status build_over_ranks(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                    const struct bi_ranks_slices *slices)
{
    graph->vertices = graph->edges = (struct bi_ranks_shard){0};
    graph->rows = (struct bi_ranks_shard){slices->offsets[slices->rank], rows->n, slices->total};
    const bosc_status status = find_vertices_and_edges(ctx, graph, rows, slices);
    if (status != BOSC_OK) graph->rows = graph->vertices = graph->edges = (struct bi_ranks_shard){0};
    return status;
}

static bosc_status build_graph(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                               const struct bi_ranks_slices *slices)
{
    if (graph->opts.id_bits == 32 && slices->total >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows of all ranks; ids of 32 bits serve less than 2^32 - 1",
                       (long long)slices->total);
    return graph->gathered ? build_over_ranks(ctx, graph, rows, slices) : build_alone(ctx, graph, rows);
}

bosc_status bosc_ranks_cellgraph_build(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                       int64_t stride)
{
    struct bi_cellgraph_rows rows = {0};
    struct bi_ranks_slices slices;
    BI_ENTER(ctx);
    BI_TRY(bi_ranks_cellgraph_check(ctx, graph));
    bosc_status local_status = bi_check_handle(ctx, "graph", &graph->memory);
    if (local_status == BOSC_OK)
        local_status = bi_cellgraph_check_rows(ctx, graph->local, vectors, n, stride, 0, &rows);
    bi_progress_set_total(ctx, 150 * (double)rows.n);
    bosc_status status = bi_ranks_slices_begin(ctx, graph->comm, local_status, rows.n, &slices);
    if (status == BOSC_OK) status = build_graph(ctx, graph, &rows, &slices);
    bi_ranks_slices_end(ctx, &slices);
    return status;
}
