/* Vertices over ranks. Each rank routes its distinct vectors to the owners of their hashes, which mark the first rank
 * of each and count its rows on all ranks. Every rank numbers the vectors that it is first to have and sends the
 * numbers to the owners; these pass them on to the other ranks. */
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

/* This rank's distinct vectors, in the order of their first rows. All but the first four members are in scratch. */
struct distinct {
    int64_t count;
    const uint64_t *vectors;
    const uint32_t *first_rows, *multiplicities;
    int64_t *counts;     /* number of equal rows on this rank, then on all */
    uint8_t *is_first;   /* no lower rank has it */
    int64_t *global_ids; /* vertices over all ranks */
    int64_t *first_ids;  /* (own vertices): vectors first on this rank */
};

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
    const struct bi_ranks_cellgraph_add_offset widen = {d->multiplicities, 0, d->counts};
    return ctx->ops->dist->steps->cellgraph_add_offset(ctx, d->count, &widen);
}

/* ---- owners ---- */

/* Groups equal vectors. They arrive in the order of their rows over all ranks. */
static bosc_status group_equal(bosc_ctx *ctx, bosc_cellgraph *gathered, const uint64_t *vectors, const int64_t *counts,
                               int64_t n, struct bi_ranks_cellgraph_groups *groups)
{
    const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
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

/* ---- the querying ranks ---- */

/* Numbers the vectors first on this rank from 0, and lists them. */
static bosc_status number_first(bosc_ctx *ctx, struct distinct *d, int64_t *first_count)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_ranks_global_ids rows = {.first = 0};
    const struct bi_ranks_widen_flags widen = {d->is_first, d->global_ids};
    int64_t *count;
    if (d->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *rows.ids, &rows.ids));
    BI_TRY(ctx->ops->dist->steps->global_ids(ctx, d->count, &rows));
    BI_TRY(ctx->ops->dist->steps->widen_flags(ctx, d->count, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, d->global_ids, d->count, d->global_ids));
    BI_TRY(core->compact(ctx, sizeof *d->first_ids, rows.ids, d->is_first, d->count, d->first_ids, count));
    return bi_read_back(ctx, first_count, count, sizeof *count);
}

static bosc_status gather_block(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct distinct *d, const void *in,
                                size_t size, int block)
{
    BI_TRY(bi_ranks_cellgraph_reserve_block(ctx, graph, block, graph->vertices.own, size));
    const struct bi_ranks_move_rows rows = {d->first_ids, in, (int64_t)size, graph->blocks[block].data};
    return ctx->ops->dist->steps->gather_rows(ctx, graph->vertices.own, &rows);
}

/* Stores the vertices first on this rank, and the vertex of each row. */
static bosc_status store_vertices(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct distinct *d)
{
    const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
    const int64_t n = graph->rows.own;
    struct bi_ranks_cellgraph_add_offset rows = {d->first_rows, graph->rows.first, NULL};
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *rows.out, &rows.out));
    BI_TRY(steps->cellgraph_add_offset(ctx, d->count, &rows));
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

/* ---- both ---- */

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
    local_status = ctx->ops->dist->steps->add_offset(ctx, d->count, &add);
    /* 3. Owners answer every vector with the number of its representative. */
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, sizeof *d->global_ids, d->global_ids, &global_ids));
    local_status = bi_scratch_of(ctx, received, sizeof *all_ids, &all_ids);
    const struct bi_ranks_cellgraph_gather number = {groups.vertex_of, groups.representative_ids, global_ids, all_ids};
    if (local_status == BOSC_OK) local_status = ctx->ops->dist->steps->cellgraph_gather(ctx, received, &number);
    return bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *d->global_ids, all_ids, d->global_ids);
}

bosc_status bi_ranks_cellgraph_find_vertices(bosc_ctx *ctx, bosc_ranks_cellgraph *graph,
                                             const struct bi_cellgraph_rows *rows)
{
    struct distinct d = {0};
    struct bi_ranks_route route;
    bosc_status local_status = find_distinct(ctx, graph, rows, &d);
    bosc_status status = bi_ranks_cellgraph_begin_route(ctx, graph, local_status, d.vectors, d.count, ~0ull, &route);
    if (status == BOSC_OK) status = query_owners(ctx, graph, &d, &route);
    bi_ranks_route_end(ctx, &route);
    BI_TRY(status);
    return bi_comm_agree(ctx, graph->comm, store_vertices(ctx, graph, &d));
}
