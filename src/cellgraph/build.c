/* Builds a graph: vertices, then edges. */
#include "cellgraph/drivers.h"
#include "cellgraph/vertices.h"
#include "core/call.h"

bosc_status bi_cellgraph_deduplicate(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                     struct bi_cellgraph_sample_stats *stats)
{
    const bool probes =
        graph->opts.method == BOSC_CELLGRAPH_AUTO && bi_cellgraph_needs_sample(ctx, &graph->shape, rows->n);
    *stats = (struct bi_cellgraph_sample_stats){.leading = 0};
    graph->span = bi_cellgraph_span(graph->shape.words);
    return ctx->ops->cellgraph->unique(ctx, graph, rows, probes ? stats : NULL);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_rows *rows, bool with_edges)
{
    bool staged = false;
    struct bi_cellgraph_sample_stats stats;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + graph->shape.words) * 8;
    BI_TRY(bi_stage_in(ctx, rows->data, bytes, (const void **)&rows->data, &staged));
    if (!with_edges) {
        BI_TRY_WITH_SCRATCH(ctx, ctx->ops->cellgraph->unique(ctx, graph, rows, NULL));
    } else {
        BI_TRY_WITH_SCRATCH(ctx, bi_cellgraph_deduplicate(ctx, graph, rows, &stats));
        BI_TRY(bi_cellgraph_find_edges(ctx, graph, NULL, &stats));
    }
    return ctx->backend->sync(ctx);
}

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
    return build_or_clear(ctx, graph, rows, true);
}
