/* The driver that builds a graph, and what drivers share. */
#include "cellgraph/driver.h"
#include "core/call.h"

bosc_status bi_cell_scratch(bosc_ctx *ctx, int64_t count, size_t size, void *at)
{
    return bi_scratch_of(ctx, count, size, at);
}

bosc_status bi_cell_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int block, int64_t count, size_t size)
{
    return bi_block_reserve(ctx, &graph->memory, &graph->blocks[block], (size_t)count * size);
}

bosc_status bi_cell_reserve_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t vertices)
{
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_VERTEX_OF, n, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_FIRSTS, vertices, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_MULTIPLICITIES, vertices, 4));
    BI_TRY(bi_cell_reserve(ctx, graph, BI_CELL_HASHES, vertices, 8));
    return bi_cell_reserve(ctx, graph, BI_CELL_VECTORS, vertices, (size_t)graph->shape.words * 8);
}

struct bi_cell_view bi_cell_view_of(const bosc_cellgraph *graph)
{
    return (struct bi_cell_view){graph->shape, graph->vertices, graph->blocks[BI_CELL_VECTORS].data,
                                 graph->blocks[BI_CELL_HASHES].data, graph->blocks[BI_CELL_SEEDS].data};
}

struct bi_cell_edges bi_cell_edges_of(const bosc_cellgraph *graph)
{
    return (struct bi_cell_edges){graph->blocks[BI_CELL_EDGES].data, graph->blocks[BI_CELL_POSITIONS].data,
                                  graph->edges, graph->vertex_bits};
}

bosc_status bi_cell_make_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows,
                                  struct bi_cell_seen *seen)
{
    const bool looks = graph->opts.method == BOSC_CELL_AUTO && bi_cell_wants_look(ctx, &graph->shape, rows->n);
    *seen = (struct bi_cell_seen){.leading = 0};
    return ctx->ops->cellgraph->unique(ctx, graph, rows, looks ? seen : NULL);
}

static bosc_status build_staged(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cell_rows *rows)
{
    bool staged = false;
    struct bi_cell_seen seen;
    size_t bytes = (size_t)((rows->n - 1) * rows->stride + graph->shape.words) * 8;
    BI_TRY(bi_stage_in(ctx, rows->data, bytes, (const void **)&rows->data, &staged));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_cell_make_vertices(ctx, graph, rows, &seen));
    bi_arena_rewind(ctx, mark);
    BI_TRY(bi_cell_find_edges(ctx, graph, NULL, &seen));
    return ctx->backend->sync(ctx);
}

bosc_status bi_cell_build(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cell_rows rows)
{
    graph->n = graph->vertices = graph->edges = graph->compared = 0;
    graph->method = graph->opts.method;
    graph->prepared = false;
    if (rows.n == 0) return BOSC_OK;
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build_staged(ctx, graph, &rows));
    if (status == BOSC_OK)
        graph->n = rows.n;
    else
        graph->vertices = graph->edges = 0;
    return status;
}
