/* Copies of what a rank's part of a cell graph holds. */
#include "core/call.h"
#include "dist/cellgraph.h"
#include "dist/steps/steps.h"

/* Rows or vertices of a block that go to an array of the caller's, of id_bits. */
static bosc_status give_ids(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, int block, int64_t count, void *to,
                            bool *staged)
{
    const bool wide = graph->opts.id_bits == 64;
    struct bi_out out;
    if (!to || count == 0) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, to, (size_t)count * (wide ? 8 : 4), &out, staged));
    const struct bi_dist_resize_ids ids = {graph->blocks[block].data, out.reachable, wide};
    BI_TRY(ctx->ops->dist->steps->resize_ids(ctx, count, &ids));
    return bi_stage_back(ctx, &out);
}

static bosc_status give_block(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, int block, int64_t count, void *to,
                              bool *staged)
{
    if (!to || count == 0) return BOSC_OK;
    *staged |= !ctx->backend->reaches(ctx, to);
    return ctx->backend->copy(ctx, to, graph->blocks[block].data, (size_t)count * 8);
}

static bosc_status give_vertices(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, uint64_t *vectors,
                                 void *representatives, int64_t *multiplicities, void *vertex_of)
{
    const int64_t n = graph->vertices.own;
    bool staged = false;
    BI_TRY(give_ids(ctx, graph, BI_DIST_CELLGRAPH_REPRESENTATIVES, n, representatives, &staged));
    BI_TRY(give_ids(ctx, graph, BI_DIST_CELLGRAPH_VERTEX_OF, graph->rows.own, vertex_of, &staged));
    BI_TRY(give_block(ctx, graph, BI_DIST_CELLGRAPH_MULTIPLICITIES, n, multiplicities, &staged));
    BI_TRY(give_block(ctx, graph, BI_DIST_CELLGRAPH_VECTORS, n * graph->local->shape.words, vectors, &staged));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_dist_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, uint64_t *vectors,
                                             void *representatives, int64_t *multiplicities, void *vertex_of)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!graph->met)
        return bosc_cellgraph_get_vertices(ctx, graph->local, vectors, representatives, multiplicities, vertex_of);
    const size_t id_size = (size_t)graph->opts.id_bits / 8;
    BI_TRY(bi_check_aligned(ctx, "vectors", vectors, sizeof *vectors));
    BI_TRY(bi_check_aligned(ctx, "representatives", representatives, id_size));
    BI_TRY(bi_check_aligned(ctx, "multiplicities", multiplicities, sizeof *multiplicities));
    BI_TRY(bi_check_aligned(ctx, "vertex_of", vertex_of, id_size));
    BI_RETURN_WITH_SCRATCH(ctx, give_vertices(ctx, graph, vectors, representatives, multiplicities, vertex_of));
}

static bosc_status give_pairs(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, void *pairs, uint32_t *positions)
{
    const size_t edges = (size_t)graph->edges.own;
    struct bi_dist_cellgraph_pair give = {.highs = graph->blocks[BI_DIST_CELLGRAPH_HIGHS].data,
                                          .lows = graph->blocks[BI_DIST_CELLGRAPH_LOWS].data,
                                          .first_row = graph->rows.first,
                                          .wide = graph->opts.id_bits == 64};
    struct bi_out to_pairs, to_positions;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, pairs, pairs ? edges * (give.wide ? 16 : 8) : 0, &to_pairs, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? edges * sizeof *positions : 0, &to_positions, &staged));
    if (pairs) give.pairs = to_pairs.reachable;
    if (positions) give.positions = to_positions.reachable;
    BI_TRY(ctx->ops->dist->steps->cellgraph_pair(ctx, graph->edges.own, &give));
    BI_TRY(bi_stage_back(ctx, &to_pairs));
    BI_TRY(bi_stage_back(ctx, &to_positions));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_dist_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, void *pairs,
                                          uint32_t *positions)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!graph->met) return bosc_cellgraph_get_pairs(ctx, graph->local, pairs, positions);
    BI_TRY(bi_check_aligned(ctx, "pairs", pairs, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "positions", positions, sizeof *positions));
    if (graph->edges.own == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, give_pairs(ctx, graph, pairs, positions));
}
