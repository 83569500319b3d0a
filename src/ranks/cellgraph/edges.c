/* Edges of a cell graph over ranks. The letters are split into two halves. Vertices that differ in one letter agree in
 * the half without it, and are gathered on the rank of that half's hash, where an ordinary graph finds the pairs.
 * Pairs that differ in the hashed half may be gathered on one rank too, by chance; they are left to the other pass, so
 * each edge is found once. */
#include "core/blocks.h"
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

/* ---- on the gathering rank ---- */

/* Edges, in scratch, to be sent to the ranks of their lower rows. */
struct sent_edges {
    int64_t count;
    uint32_t *owners;
    int64_t *high_rows;
    uint64_t *low_rows;
};

/* Selects the edges whose ends differ in `half`, as keys and positions in scratch. */
static bosc_status select_half(bosc_ctx *ctx, const struct bi_cellgraph_edges *all, const struct bi_letters *shape,
                               int32_t half, struct bi_cellgraph_edges *selected)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_ranks_cellgraph_in_half in_half = {all->positions, shape->per_word, half, NULL};
    uint64_t *edges;
    uint32_t *positions;
    int64_t *count;
    *selected = (struct bi_cellgraph_edges){.vertex_bits = all->vertex_bits};
    if (all->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, all->count, sizeof *edges, &edges));
    BI_TRY(bi_scratch_of(ctx, all->count, sizeof *positions, &positions));
    BI_TRY(bi_scratch_of(ctx, all->count, sizeof *in_half.is_kept, &in_half.is_kept));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(ctx->ops->dist->steps->cellgraph_in_half(ctx, all->count, &in_half));
    BI_TRY(core->compact(ctx, sizeof *edges, all->edges, in_half.is_kept, all->count, edges, count));
    BI_TRY(core->compact(ctx, sizeof *positions, all->positions, in_half.is_kept, all->count, positions, count));
    selected->edges = edges;
    selected->positions = positions;
    return bi_read_back(ctx, &selected->count, count, sizeof *count);
}

/* Finds the edges among gathered vectors. rows: their representatives. */
static bosc_status find_gathered_edges(bosc_ctx *ctx, bosc_cellgraph *gathered, const uint64_t *vectors,
                                       const int64_t *rows, int64_t n, int32_t half,
                                       const struct bi_ranks_slices *slices, struct sent_edges *sent)
{
    struct bi_cellgraph_edges selected;
    const int64_t *offsets;
    BI_TRY(bosc_cellgraph_build(ctx, gathered, vectors, n, 0));
    const struct bi_cellgraph_edges all = bi_cellgraph_edges_of(gathered);
    BI_TRY(select_half(ctx, &all, &gathered->shape, half, &selected));
    BI_TRY(bi_ranks_cellgraph_stage_offsets(ctx, slices, &offsets));
    sent->count = selected.count;
    BI_TRY(bi_scratch_of(ctx, sent->count, sizeof *sent->owners, &sent->owners));
    BI_TRY(bi_scratch_of(ctx, sent->count, sizeof *sent->high_rows, &sent->high_rows));
    BI_TRY(bi_scratch_of(ctx, sent->count, sizeof *sent->low_rows, &sent->low_rows));
    const struct bi_ranks_cellgraph_pack_edges send = {
        selected.edges,     selected.positions, selected.vertex_bits, rows,          offsets,
        slices->rank_count, sent->owners,       sent->high_rows,      sent->low_rows};
    return ctx->ops->dist->steps->cellgraph_pack_edges(ctx, sent->count, &send);
}

/* ---- on the rank of the lower row ---- */

/* Grows the edge blocks by `added` edges. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int64_t added)
{
    struct bi_block *const blocks[] = {&graph->blocks[BI_RANKS_CELLGRAPH_HIGHS],
                                       &graph->blocks[BI_RANKS_CELLGRAPH_LOWS]};
    const size_t used = (size_t)graph->edges.own * 8, bytes = (size_t)(graph->edges.own + added) * 8;
    return bi_blocks_grow(ctx, &graph->memory, blocks, 2, (const size_t[]){bytes, bytes}, (const size_t[]){used, used});
}

static bosc_status receive_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct sent_edges *sent,
                                 const struct bi_ranks_route *route)
{
    const int64_t received = route->x.received;
    void *highs, *lows;
    BI_TRY(bi_ranks_route_items(ctx, graph->comm, BOSC_OK, route, 8, sent->high_rows, &highs));
    BI_TRY(bi_ranks_route_items(ctx, graph->comm, BOSC_OK, route, 8, sent->low_rows, &lows));
    bosc_status local_status = grow_blocks(ctx, graph, received);
    if (local_status == BOSC_OK && received) {
        int64_t *highs_end = (int64_t *)graph->blocks[BI_RANKS_CELLGRAPH_HIGHS].data + graph->edges.own;
        uint64_t *lows_end = (uint64_t *)graph->blocks[BI_RANKS_CELLGRAPH_LOWS].data + graph->edges.own;
        local_status = ctx->backend->copy(ctx, highs_end, highs, (size_t)received * 8);
        if (local_status == BOSC_OK) local_status = ctx->backend->copy(ctx, lows_end, lows, (size_t)received * 8);
    }
    graph->edges.own += received;
    return bi_comm_agree(ctx, graph->comm, local_status);
}

static bosc_status route_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, bosc_status local_status,
                               const struct sent_edges *sent)
{
    struct bi_ranks_route route;
    bosc_status status = bi_ranks_route_to_owners(ctx, graph->comm, local_status, sent->owners, sent->count, &route);
    if (status == BOSC_OK) status = receive_edges(ctx, graph, sent, &route);
    bi_ranks_route_end(ctx, &route);
    return status;
}

/* ---- passes ---- */

/* Returns the bits of a half's letters in each word: those at even (0) or odd (1) positions. */
static uint64_t half_mask(const struct bi_letters *shape, int32_t half)
{
    uint64_t bits = 0;
    for (int32_t j = half; j < shape->per_word; j += 2)
        bits |= ((1ull << shape->letter_bits) - 1) << j * shape->letter_bits;
    return bits;
}

static bosc_status exchange_half(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_ranks_slices *slices,
                                 int32_t half, const struct bi_ranks_route *route)
{
    const size_t row = (size_t)graph->local->shape.words * 8;
    struct sent_edges sent = {0};
    void *vectors, *rows;
    BI_TRY(bi_ranks_route_items(ctx, graph->comm, BOSC_OK, route, row, graph->blocks[BI_RANKS_CELLGRAPH_VECTORS].data,
                                &vectors));
    BI_TRY(bi_ranks_route_items(ctx, graph->comm, BOSC_OK, route, 8,
                                graph->blocks[BI_RANKS_CELLGRAPH_REPRESENTATIVES].data, &rows));
    const bosc_status local_status =
        find_gathered_edges(ctx, graph->gathered, vectors, rows, route->x.received, half, slices, &sent);
    return route_edges(ctx, graph, local_status, &sent);
}

/* Finds the edges between vertices that differ in `half` and agree in the other one. */
static bosc_status find_half_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_ranks_slices *slices,
                                   int32_t half)
{
    struct bi_ranks_route route;
    bosc_status status =
        bi_ranks_cellgraph_begin_route(ctx, graph, BOSC_OK, graph->blocks[BI_RANKS_CELLGRAPH_VECTORS].data,
                                       graph->vertices.own, half_mask(&graph->local->shape, 1 - half), &route);
    if (status == BOSC_OK) status = exchange_half(ctx, graph, slices, half, &route);
    bi_ranks_route_end(ctx, &route);
    return status;
}

/* Sorts edges by (lower row, higher row): two stable sorts, the higher row first. */
static bosc_status sort_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph)
{
    const struct bi_core_ops *core = ctx->backend->core;
    void *highs = graph->blocks[BI_RANKS_CELLGRAPH_HIGHS].data, *lows = graph->blocks[BI_RANKS_CELLGRAPH_LOWS].data;
    const int64_t n = graph->edges.own;
    if (n == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, core->sort_pairs(ctx, BOSC_U64, highs, 8, lows, n, highs, lows, 0,
                                              bi_bit_length((uint64_t)graph->rows.all)));
    BI_TRY_WITH_SCRATCH(ctx, core->sort_pairs(ctx, BOSC_U64, lows, 8, highs, n, lows, highs, 32,
                                              32 + bi_bit_length((uint64_t)graph->rows.own)));
    return ctx->backend->sync(ctx);
}

bosc_status bi_ranks_cellgraph_find_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph,
                                          const struct bi_ranks_slices *slices)
{
    const int32_t halves = graph->opts.length > 1 ? 2 : 1; /* one letter is at an even position */
    for (int32_t half = 0; half < halves; half++) BI_TRY_WITH_SCRATCH(ctx, find_half_edges(ctx, graph, slices, half));
    return bi_comm_offset(ctx, graph->comm, sort_edges(ctx, graph), graph->edges.own, &graph->edges.first,
                          &graph->edges.all);
}
