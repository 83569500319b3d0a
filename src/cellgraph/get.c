/* Copies of a graph's contents, and its adjacency: both arcs of every edge as CSR rows. */
#include "cellgraph/drivers.h"
#include "core/call.h"

/* ---- adjacency ---- */

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

/* ---- copies ---- */

/* Numbers of 32 bits, copied to the caller's elements of 32 or 64 bits. */
struct numbers {
    const uint32_t *from;
    void *to;
    int64_t count;
    bool is_64bit;
    struct bi_out out;
};

/* Copies the vectors, and three lists of numbers, to those arrays that the caller gave. */
static bosc_status copy_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, uint64_t *vectors, struct numbers list[3])
{
    bool staged = false;
    for (int k = 0; k < 3; k++) {
        size_t bytes = list[k].to ? (size_t)list[k].count * (list[k].is_64bit ? 8 : 4) : 0;
        BI_TRY(bi_stage_out(ctx, list[k].to, bytes, &list[k].out, &staged));
    }
    for (int k = 0; k < 3; k++) {
        struct bi_cellgraph_ids ids = {list[k].from, list[k].out.reachable, list[k].is_64bit};
        if (list[k].out.bytes == 0) continue;
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_widen_id, list[k].count, &ids));
        BI_TRY(bi_stage_back(ctx, &list[k].out));
    }
    if (vectors && graph->vertices > 0) {
        staged |= !ctx->backend->reaches(ctx, vectors);
        BI_TRY(ctx->backend->copy(ctx, vectors, graph->blocks[BI_CELLGRAPH_VECTORS].data,
                                  (size_t)(graph->vertices * graph->shape.words) * 8));
    }
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, uint64_t *vectors,
                                        void *representatives, int64_t *multiplicities, void *vertex_of)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check(ctx, graph));
    size_t id_size = (size_t)graph->opts.id_bits / 8;
    BI_TRY(bi_check_aligned(ctx, "vectors", vectors, sizeof *vectors));
    BI_TRY(bi_check_aligned(ctx, "representatives", representatives, id_size));
    BI_TRY(bi_check_aligned(ctx, "multiplicities", multiplicities, sizeof *multiplicities));
    BI_TRY(bi_check_aligned(ctx, "vertex_of", vertex_of, id_size));
    struct numbers list[3] = {
        {graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].data, representatives, graph->vertices, id_size == 8, {0}},
        {graph->blocks[BI_CELLGRAPH_MULTIPLICITIES].data, multiplicities, graph->vertices, true, {0}},
        {graph->blocks[BI_CELLGRAPH_VERTEX_OF].data, vertex_of, graph->n, id_size == 8, {0}}};
    BI_RETURN_WITH_SCRATCH(ctx, copy_vertices(ctx, graph, vectors, list));
}

/* Copies the edges as pairs of representatives, and the positions of their letters. */
static bosc_status copy_pairs(bosc_ctx *ctx, const bosc_cellgraph *graph, void *pairs, uint32_t *positions)
{
    struct bi_cellgraph_pairs args = {bi_cellgraph_edges_of(graph), graph->blocks[BI_CELLGRAPH_REPRESENTATIVES].data,
                                      NULL, graph->opts.id_bits == 64};
    struct bi_out out = {0};
    bool staged = false;
    if (pairs) {
        BI_TRY(bi_stage_out(ctx, pairs, (size_t)graph->edges * (args.is_64bit ? 16 : 8), &out, &staged));
        args.pairs = out.reachable;
        BI_TRY(BI_CELLGRAPH_STEP(ctx, cellgraph_pair, bi_cellgraph_items(graph->edges), &args));
    }
    BI_TRY(bi_stage_back(ctx, &out));
    if (positions) {
        staged |= !ctx->backend->reaches(ctx, positions);
        BI_TRY(ctx->backend->copy(ctx, positions, args.edges.positions, (size_t)graph->edges * sizeof *positions));
    }
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_cellgraph *graph, void *pairs, uint32_t *positions)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check_edges(ctx, graph));
    BI_TRY(bi_check_aligned(ctx, "pairs", pairs, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "positions", positions, sizeof *positions));
    if (graph->edges == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, copy_pairs(ctx, graph, pairs, positions));
}

/* Writes both arcs of every edge as CSR rows. */
static bosc_status copy_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t *offsets, void *neighbours,
                             uint32_t *positions)
{
    struct bi_cellgraph_arcs args = {.positions = positions, .is_64bit = graph->opts.id_bits == 64};
    size_t arcs = 2 * (size_t)graph->edges;
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, neighbours, neighbours ? arcs * (args.is_64bit ? 8 : 4) : 0, &out, &staged));
    args.neighbours = out.bytes > 0 ? out.reachable : NULL;
    BI_TRY(bi_cellgraph_build_adjacency(ctx, graph, &args));
    BI_TRY(bi_stage_back(ctx, &out));
    if (offsets) BI_TRY(ctx->backend->copy(ctx, offsets, args.offsets, ((size_t)graph->vertices + 1) * 8));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_cellgraph_get_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t *offsets, void *neighbours,
                                    uint32_t *positions)
{
    BI_ENTER(ctx);
    BI_TRY(bi_cellgraph_check_edges(ctx, graph));
    BI_TRY(bi_check_aligned(ctx, "offsets", offsets, sizeof *offsets));
    BI_TRY(bi_check_aligned(ctx, "neighbours", neighbours, (size_t)graph->opts.id_bits / 8));
    BI_TRY(bi_check_aligned(ctx, "positions", positions, sizeof *positions));
    BI_RETURN_WITH_SCRATCH(ctx, copy_rows(ctx, graph, offsets, neighbours, positions));
}
