/* Builds a cell graph over ranks. 1. Equal rows are gathered and become vertices. 2. Vertices that agree in half of
 * their letters are gathered, and ordinary graphs find the pairs among them. */
#include "core/arena.h"
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

/* Begins the route of vectors (count x words), in reach, to the owners of the hash of their bits in `mask`.
 * bi_ranks_route_end ends it. */
static bosc_status begin_route(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, bosc_status local_status,
                               const uint64_t *vectors, int64_t count, uint64_t mask, struct bi_ranks_route *route)
{
    struct bi_ranks_cellgraph_hash hash = {vectors, graph->local->shape.words, mask, NULL};
    BI_IF_OK(local_status, bi_scratch_of(ctx, count, sizeof *hash.hashes, &hash.hashes));
    BI_IF_OK(local_status, ctx->ops->ranks->steps->cellgraph_hash(ctx, count, &hash));
    return bi_ranks_route_begin(ctx, graph->comm, local_status, hash.hashes, 64, count, route);
}

/* ---- vertices ----
 *
 * Each rank routes its distinct vectors to the owners of their hashes, which mark the first rank of each and count its
 * rows on all ranks. Every rank numbers the vectors that it is first to have and sends the numbers to the owners; these
 * pass them on to the other ranks. */

/* This rank's distinct vectors, in the order of their first rows. Vectors, first_rows and multiplicities are blocks of
 * the local graph; the other arrays are scratch. */
struct distinct {
    int64_t count;
    const uint64_t *vectors;
    const uint32_t *first_rows, *multiplicities;
    int64_t *counts;     /* number of equal rows on this rank, then on all */
    uint8_t *is_first;   /* no lower rank has it */
    int64_t *global_ids; /* vertices over all ranks */
    int64_t *first_ids;  /* (own vertices): vectors first on this rank */
};

/* Finds this rank's distinct vectors; d->counts: their numbers of rows. */
static bosc_status find_distinct(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                 struct distinct *d)
{
    bosc_cellgraph *local = graph->local;
    BI_TRY(bi_cellgraph_build_vertices(ctx, local, rows));
    d->count = local->vertices;
    d->vectors = local->blocks[BI_CELLGRAPH_VECTORS].data;
    d->first_rows = local->blocks[BI_CELLGRAPH_REPRESENTATIVES].data;
    d->multiplicities = local->blocks[BI_CELLGRAPH_MULTIPLICITIES].data;
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->counts, &d->counts));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->is_first, &d->is_first));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->global_ids, &d->global_ids));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->first_ids, &d->first_ids));
    const struct bi_ranks_offset_ids widen = {d->multiplicities, 0, d->counts};
    return ctx->ops->ranks->steps->offset_ids(ctx, d->count, &widen);
}

/* On the owner: groups equal vectors. They arrive in the order of their rows over all ranks. */
static bosc_status group_equal(bosc_ctx *ctx, bosc_cellgraph *gathered, const uint64_t *vectors, const int64_t *counts,
                               int64_t n, struct bi_ranks_cellgraph_groups *groups)
{
    const struct bi_ranks_steps *steps = ctx->ops->ranks->steps;
    struct bi_cellgraph_rows rows;
    BI_TRY(bi_cellgraph_check_rows(ctx, gathered, vectors, n, 0, 0, &rows));
    BI_TRY(bi_cellgraph_build_vertices(ctx, gathered, &rows));
    *groups =
        (struct bi_ranks_cellgraph_groups){.vertex_of = gathered->blocks[BI_CELLGRAPH_VERTEX_OF].data,
                                           .representative_ids = gathered->blocks[BI_CELLGRAPH_REPRESENTATIVES].data,
                                           .counts = counts};
    BI_TRY(bi_scratch_of(ctx, n, sizeof *groups->all_counts, &groups->all_counts));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *groups->is_first, &groups->is_first));
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, gathered->vertices, sizeof *groups->group_sums, &groups->group_sums));
    BI_TRY(ctx->backend->fill(ctx, groups->group_sums, 0, (size_t)gathered->vertices * sizeof *groups->group_sums));
    BI_TRY(steps->cellgraph_sum_groups(ctx, n, groups));
    return steps->cellgraph_write_answers(ctx, n, groups);
}

/* Numbers the vectors first on this rank from 0, and lists them. */
static bosc_status number_first(bosc_ctx *ctx, struct distinct *d, int64_t *first_count)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_ranks_widen_flags widen = {d->is_first, d->global_ids};
    int64_t *count, *all;
    if (d->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *all, &all));
    BI_TRY(core->iota(ctx, sizeof *all, all, d->count));
    BI_TRY(ctx->ops->ranks->steps->widen_flags(ctx, d->count, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, d->global_ids, d->count, d->global_ids));
    BI_TRY(core->compact(ctx, sizeof *d->first_ids, all, d->is_first, d->count, d->first_ids, count));
    return bi_read_back(ctx, first_count, count, sizeof *count);
}

/* Fills a block from the vectors first on this rank. */
static bosc_status gather_block(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct distinct *d, const void *in,
                                size_t size, int block)
{
    BI_TRY(bi_ranks_cellgraph_reserve_block(ctx, graph, block, graph->vertices.own, size));
    const struct bi_ranks_move_rows rows = {d->first_ids, in, (int64_t)size, graph->blocks[block].data};
    return ctx->ops->ranks->steps->gather_rows(ctx, graph->vertices.own, &rows);
}

/* Stores the vertices first on this rank, and the vertex of each row. */
static bosc_status store_vertices(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct distinct *d)
{
    const struct bi_ranks_steps *steps = ctx->ops->ranks->steps;
    const int64_t n = graph->rows.own;
    struct bi_ranks_offset_ids rows = {d->first_rows, graph->rows.first, NULL};
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *rows.out, &rows.out));
    BI_TRY(steps->offset_ids(ctx, d->count, &rows));
    BI_TRY(gather_block(ctx, graph, d, d->vectors, (size_t)graph->local->shape.words * 8, BI_RANKS_CELLGRAPH_VECTORS));
    BI_TRY(gather_block(ctx, graph, d, rows.out, sizeof *rows.out, BI_RANKS_CELLGRAPH_REPRESENTATIVES));
    BI_TRY(gather_block(ctx, graph, d, d->counts, sizeof *d->counts, BI_RANKS_CELLGRAPH_MULTIPLICITIES));
    BI_TRY(bi_ranks_cellgraph_reserve_block(ctx, graph, BI_RANKS_CELLGRAPH_VERTEX_OF, n, sizeof(int64_t)));
    const struct bi_ranks_cellgraph_gather vertex_of = {graph->local->blocks[BI_CELLGRAPH_VERTEX_OF].data, NULL,
                                                        d->global_ids,
                                                        graph->blocks[BI_RANKS_CELLGRAPH_VERTEX_OF].data};
    BI_TRY(steps->cellgraph_gather(ctx, n, &vertex_of));
    return ctx->backend->sync(ctx);
}

/* Exchanges with the owners: d->counts and d->global_ids become those over all ranks. */
static bosc_status query_owners(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, struct distinct *d,
                                const struct bi_ranks_route *route)
{
    bosc_comm *comm = graph->comm;
    const size_t row = (size_t)graph->local->shape.words * 8;
    const int64_t received = route->x.received;
    struct bi_ranks_cellgraph_groups groups = {0};
    void *vectors, *counts, *global_ids;
    int64_t *all_ids = NULL;
    /* 1. Owners mark the first rank of each vector and sum its rows. */
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, row, d->vectors, &vectors));
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, sizeof *d->counts, d->counts, &counts));
    bosc_status local_status = group_equal(ctx, graph->gathered, vectors, counts, received, &groups);
    BI_TRY(bi_ranks_route_answers(ctx, comm, local_status, route, 1, groups.is_first, d->is_first));
    BI_TRY(bi_ranks_route_answers(ctx, comm, BOSC_OK, route, sizeof *d->counts, groups.all_counts, d->counts));
    /* 2. Each rank numbers its first vectors after those of the lower ranks. */
    BI_WITH_SCRATCH(ctx, local_status = number_first(ctx, d, &graph->vertices.own));
    BI_TRY(bi_comm_offset(ctx, comm, local_status, graph->vertices.own, &graph->vertices.first, &graph->vertices.all));
    const struct bi_ranks_add_offset add = {d->global_ids, graph->vertices.first};
    local_status = ctx->ops->ranks->steps->add_offset(ctx, d->count, &add);
    /* 3. Owners answer every vector with the number of its representative. */
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, sizeof *d->global_ids, d->global_ids, &global_ids));
    local_status = bi_scratch_of(ctx, received, sizeof *all_ids, &all_ids);
    const struct bi_ranks_cellgraph_gather number = {groups.vertex_of, groups.representative_ids, global_ids, all_ids};
    BI_IF_OK(local_status, ctx->ops->ranks->steps->cellgraph_gather(ctx, received, &number));
    return bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *d->global_ids, all_ids, d->global_ids);
}

static bosc_status find_vertices(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_cellgraph_rows *rows)
{
    struct distinct d = {0};
    struct bi_ranks_route route;
    bosc_status local_status = find_distinct(ctx, graph, rows, &d);
    bosc_status status = begin_route(ctx, graph, local_status, d.vectors, d.count, ~0ull, &route);
    BI_IF_OK(status, query_owners(ctx, graph, &d, &route));
    bi_ranks_route_end(ctx, &route);
    BI_TRY(status);
    return bi_comm_agree(ctx, graph->comm, store_vertices(ctx, graph, &d));
}

/* ---- edges ----
 *
 * The letters are split into two halves. Vertices that differ in one letter agree in the half without it, and are
 * gathered on the rank of that half's hash, where an ordinary graph finds the pairs. Pairs that differ in the hashed
 * half may be gathered on one rank too, by chance; they are left to the other pass, so each edge is found once. */

bosc_status bi_ranks_cellgraph_stage_offsets(bosc_ctx *ctx, const struct bi_ranks_slices *slices,
                                             const int64_t **offsets)
{
    const int64_t count = slices->rank_count + 1;
    int64_t *copy;
    BI_TRY(bi_scratch_of(ctx, count, sizeof *copy, &copy));
    *offsets = copy;
    BI_TRY(ctx->backend->copy(ctx, copy, slices->offsets, (size_t)count * sizeof *copy));
    return ctx->backend->sync(ctx); /* before the slices are freed */
}

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
    BI_TRY(ctx->ops->ranks->steps->cellgraph_in_half(ctx, all->count, &in_half));
    BI_TRY(core->compact(ctx, sizeof *edges, all->edges, in_half.is_kept, all->count, edges, count));
    BI_TRY(core->compact(ctx, sizeof *positions, all->positions, in_half.is_kept, all->count, positions, count));
    selected->edges = edges;
    selected->positions = positions;
    return bi_read_back(ctx, &selected->count, count, sizeof *count);
}

/* On the gathering rank: finds the edges among gathered vectors. rows: their representatives. */
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
    return ctx->ops->ranks->steps->cellgraph_pack_edges(ctx, sent->count, &send);
}

/* Grows the edge blocks by `added` edges. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int64_t added)
{
    struct bi_block *const blocks[] = {&graph->blocks[BI_RANKS_CELLGRAPH_HIGHS],
                                       &graph->blocks[BI_RANKS_CELLGRAPH_LOWS]};
    const size_t used = (size_t)graph->edges.own * 8, bytes = (size_t)(graph->edges.own + added) * 8;
    return bi_blocks_grow(ctx, &graph->memory, blocks, 2, (const size_t[]){bytes, bytes}, (const size_t[]){used, used});
}

/* On the rank of the lower row: appends the received edges. */
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
        BI_IF_OK(local_status, ctx->backend->copy(ctx, lows_end, lows, (size_t)received * 8));
    }
    graph->edges.own += received;
    return bi_comm_agree(ctx, graph->comm, local_status);
}

static bosc_status route_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, bosc_status local_status,
                               const struct sent_edges *sent)
{
    struct bi_ranks_route route;
    bosc_status status = bi_ranks_route_to_owners(ctx, graph->comm, local_status, sent->owners, sent->count, &route);
    BI_IF_OK(status, receive_edges(ctx, graph, sent, &route));
    bi_ranks_route_end(ctx, &route);
    return status;
}

/* Returns the bits of a half's letters in each word: those at even (0) or odd (1) positions. */
static uint64_t half_mask(const struct bi_letters *shape, int32_t half)
{
    uint64_t bits = 0;
    for (int32_t j = half; j < shape->per_word; j += 2)
        bits |= ((1ull << shape->letter_bits) - 1) << j * shape->letter_bits;
    return bits;
}

/* Gathers the vertices of equal hashes, and sends the edges found to the ranks of their lower rows. */
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
    bosc_status status = begin_route(ctx, graph, BOSC_OK, graph->blocks[BI_RANKS_CELLGRAPH_VECTORS].data,
                                     graph->vertices.own, half_mask(&graph->local->shape, 1 - half), &route);
    BI_IF_OK(status, exchange_half(ctx, graph, slices, half, &route));
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

static bosc_status find_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_ranks_slices *slices)
{
    const int32_t halves = graph->opts.length > 1 ? 2 : 1; /* one letter is at an even position */
    for (int32_t half = 0; half < halves; half++) BI_TRY_WITH_SCRATCH(ctx, find_half_edges(ctx, graph, slices, half));
    return bi_comm_offset(ctx, graph->comm, sort_edges(ctx, graph), graph->edges.own, &graph->edges.first,
                          &graph->edges.all);
}

/* ---- the call ---- */

/* On one rank the graph is that of one context, after a failure too. */
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
    BI_TRY_WITH_SCRATCH(ctx, find_vertices(ctx, graph, rows));
    BI_RETURN_WITH_SCRATCH(ctx, find_edges(ctx, graph, slices));
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
    BI_IF_OK(local_status, bi_cellgraph_check_rows(ctx, graph->local, vectors, n, stride, 0, &rows));
    bi_progress_set_total(ctx, 150 * (double)rows.n);
    bosc_status status = bi_ranks_slices_begin(ctx, graph->comm, local_status, rows.n, &slices);
    BI_IF_OK(status, build_graph(ctx, graph, &rows, &slices));
    bi_ranks_slices_end(ctx, &slices);
    return status;
}
