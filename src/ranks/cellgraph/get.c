/* Copies a rank's part of a cell graph to the caller's arrays. */
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

/* An output array, and the block that it copies. */
struct output {
    void *to; /* NULL: not requested */
    int block;
    int64_t count;
    bool ids; /* ids of id_bits; else words of 64 bits */
    struct bi_out out;
};

/* Stages an output. All are staged before any is written. */
static bosc_status stage_output(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, struct output *c, bool *staged)
{
    const size_t id_size = (size_t)graph->opts.id_bits / 8;
    if (!c->to || c->count == 0) return BOSC_OK;
    if (c->ids) return bi_stage_out(ctx, c->to, (size_t)c->count * id_size, &c->out, staged);
    *staged |= !ctx->backend->reaches(ctx, c->to);
    return BOSC_OK;
}

static bosc_status write_output(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const struct output *c)
{
    const void *from = graph->blocks[c->block].data;
    const struct bi_ranks_resize_ids ids = {from, c->out.reachable, graph->opts.id_bits == 64};
    if (!c->to || c->count == 0) return BOSC_OK;
    if (!c->ids) return ctx->backend->copy(ctx, c->to, from, (size_t)c->count * 8);
    BI_TRY(ctx->ops->dist->steps->resize_ids(ctx, c->count, &ids));
    return bi_stage_back(ctx, &c->out);
}

static bosc_status write_outputs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, struct output copies[4])
{
    bool staged = false;
    for (int i = 0; i < 4; i++) BI_TRY(stage_output(ctx, graph, &copies[i], &staged));
    for (int i = 0; i < 4; i++) BI_TRY(write_output(ctx, graph, &copies[i]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_ranks_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, uint64_t *vectors,
                                              void *representatives, int64_t *multiplicities, void *vertex_of)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!graph->gathered)
        return bosc_cellgraph_get_vertices(ctx, graph->local, vectors, representatives, multiplicities, vertex_of);
    const size_t id_size = (size_t)graph->opts.id_bits / 8;
    BI_TRY(bi_check_aligned(ctx, "vectors", vectors, sizeof *vectors));
    BI_TRY(bi_check_aligned(ctx, "representatives", representatives, id_size));
    BI_TRY(bi_check_aligned(ctx, "multiplicities", multiplicities, sizeof *multiplicities));
    BI_TRY(bi_check_aligned(ctx, "vertex_of", vertex_of, id_size));
    const int64_t n = graph->vertices.own;
    struct output copies[] = {{vectors, BI_RANKS_CELLGRAPH_VECTORS, n * graph->local->shape.words, false, {0}},
                              {representatives, BI_RANKS_CELLGRAPH_REPRESENTATIVES, n, true, {0}},
                              {multiplicities, BI_RANKS_CELLGRAPH_MULTIPLICITIES, n, false, {0}},
                              {vertex_of, BI_RANKS_CELLGRAPH_VERTEX_OF, graph->rows.own, true, {0}}};
    BI_RETURN_WITH_SCRATCH(ctx, write_outputs(ctx, graph, copies));
}

static bosc_status write_pairs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *pairs, uint32_t *positions)
{
    const size_t edges = (size_t)graph->edges.own;
    struct bi_ranks_cellgraph_unpack_edges step = {.high_rows = graph->blocks[BI_RANKS_CELLGRAPH_HIGHS].data,
                                                   .low_rows = graph->blocks[BI_RANKS_CELLGRAPH_LOWS].data,
                                                   .first_row = graph->rows.first,
                                                   .is_64bit = graph->opts.id_bits == 64};
    struct bi_out to_pairs, to_positions;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, pairs, pairs ? edges * (step.is_64bit ? 16 : 8) : 0, &to_pairs, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? edges * sizeof *positions : 0, &to_positions, &staged));
    if (pairs) step.pairs = to_pairs.reachable;
    if (positions) step.positions = to_positions.reachable;
    BI_TRY(ctx->ops->dist->steps->cellgraph_unpack_edges(ctx, graph->edges.own, &step));
    BI_TRY(bi_stage_back(ctx, &to_pairs));
    BI_TRY(bi_stage_back(ctx, &to_positions));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_ranks_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *pairs,
                                           uint32_t *positions)
{
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!graph->gathered) return bosc_cellgraph_get_pairs(ctx, graph->local, pairs, positions);
    BI_TRY(bi_check_aligned(ctx, "pairs", pairs, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "positions", positions, sizeof *positions));
    if (graph->edges.own == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, write_pairs(ctx, graph, pairs, positions));
}
