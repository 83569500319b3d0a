/* Vertices over ranks. Each rank's distinct vectors go to the owners of their hashes, who say which rank has each
 * first, and how many rows are equal; each rank numbers its own, and tells the owners, who tell the others. */
#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

/* This rank's distinct vectors, in the order of their first rows; but for the first four, in scratch. */
struct distinct {
    int64_t count;
    const uint64_t *vectors;
    const uint32_t *firsts, *multiplicities;
    int64_t *counts;   /* rows of this rank that are equal, then of all */
    uint8_t *is_first; /* on no lower rank */
    int64_t *numbers;  /* among all */
    int64_t *kept;     /* (own vertices): which ones are first here */
};

static bosc_status find_distinct(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                 struct distinct *d)
{
    bosc_cellgraph *local = graph->local;
    BI_TRY(bi_cellgraph_build_vertices(ctx, local, rows));
    d->count = local->vertices;
    d->vectors = local->blocks[BI_CELLGRAPH_VECTORS].data;
    d->firsts = local->blocks[BI_CELLGRAPH_FIRSTS].data;
    d->multiplicities = local->blocks[BI_CELLGRAPH_MULTIPLICITIES].data;
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->counts, &d->counts));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->is_first, &d->is_first));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->numbers, &d->numbers));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *d->kept, &d->kept));
    const struct bi_ranks_cellgraph_widen widen = {d->multiplicities, 0, d->counts};
    return ctx->ops->dist->steps->cellgraph_widen(ctx, d->count, &widen);
}

/* ---- owners ---- */

/* Brings equal vectors together. They come in the order of their rows over all ranks. */
static bosc_status meet(bosc_ctx *ctx, bosc_cellgraph *met, const uint64_t *vectors, const int64_t *counts, int64_t n,
                        struct bi_ranks_cellgraph_met *m)
{
    const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
    struct bi_cellgraph_rows rows;
    BI_TRY(bi_cellgraph_check_rows(ctx, met, vectors, n, 0, 0, &rows));
    BI_TRY(bi_cellgraph_build_vertices(ctx, met, &rows));
    *m = (struct bi_ranks_cellgraph_met){.vertex_of = met->blocks[BI_CELLGRAPH_VERTEX_OF].data,
                                         .firsts = met->blocks[BI_CELLGRAPH_FIRSTS].data,
                                         .counts = counts};
    BI_TRY(bi_scratch_of(ctx, n, sizeof *m->all_counts, &m->all_counts));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *m->is_first, &m->is_first));
    if (n == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, met->vertices, sizeof *m->sums, &m->sums));
    BI_TRY(ctx->backend->fill(ctx, m->sums, 0, (size_t)met->vertices * sizeof *m->sums));
    BI_TRY(steps->cellgraph_sum(ctx, n, m));
    return steps->cellgraph_answer(ctx, n, m);
}

/* ---- the ranks that asked ---- */

/* Numbers the vectors that are first here, from 0. */
static bosc_status number_kept(bosc_ctx *ctx, struct distinct *d, int64_t *kept_count)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_ranks_global_ids rows = {.first = 0};
    const struct bi_ranks_widen widen = {d->is_first, d->numbers};
    int64_t *count;
    if (d->count == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *count, &count));
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *rows.ids, &rows.ids));
    BI_TRY(ctx->ops->dist->steps->global_ids(ctx, d->count, &rows));
    BI_TRY(ctx->ops->dist->steps->widen(ctx, d->count, &widen));
    BI_TRY(core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, d->numbers, d->count, d->numbers));
    BI_TRY(core->compact(ctx, sizeof *d->kept, rows.ids, d->is_first, d->count, d->kept, count));
    return bi_read_back(ctx, kept_count, count, sizeof *count);
}

static bosc_status take(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct distinct *d, const void *in,
                        size_t size, int block)
{
    BI_TRY(bi_ranks_cellgraph_reserve_block(ctx, graph, block, graph->vertices.own, size));
    const struct bi_ranks_move_rows rows = {d->kept, in, (int64_t)size, graph->blocks[block].data};
    return ctx->ops->dist->steps->take_rows(ctx, graph->vertices.own, &rows);
}

/* The vertices that are first here, and the vertex of each row. */
static bosc_status keep(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const struct distinct *d)
{
    const struct bi_ranks_steps *steps = ctx->ops->dist->steps;
    const int64_t n = graph->rows.own;
    struct bi_ranks_cellgraph_widen rows = {d->firsts, graph->rows.first, NULL};
    BI_TRY(bi_scratch_of(ctx, d->count, sizeof *rows.out, &rows.out));
    BI_TRY(steps->cellgraph_widen(ctx, d->count, &rows));
    BI_TRY(take(ctx, graph, d, d->vectors, (size_t)graph->local->shape.words * 8, BI_RANKS_CELLGRAPH_VECTORS));
    BI_TRY(take(ctx, graph, d, rows.out, sizeof *rows.out, BI_RANKS_CELLGRAPH_REPRESENTATIVES));
    BI_TRY(take(ctx, graph, d, d->counts, sizeof *d->counts, BI_RANKS_CELLGRAPH_MULTIPLICITIES));
    BI_TRY(bi_ranks_cellgraph_reserve_block(ctx, graph, BI_RANKS_CELLGRAPH_VERTEX_OF, n, sizeof(int64_t)));
    const struct bi_ranks_cellgraph_gather vertex_of = {graph->local->blocks[BI_CELLGRAPH_VERTEX_OF].data, NULL,
                                                        d->numbers, graph->blocks[BI_RANKS_CELLGRAPH_VERTEX_OF].data};
    BI_TRY(steps->cellgraph_gather(ctx, n, &vertex_of));
    return ctx->backend->sync(ctx);
}

/* ---- both ---- */

static bosc_status ask_owners(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, struct distinct *d,
                              const struct bi_ranks_route *route)
{
    bosc_comm *comm = graph->comm;
    const size_t row = (size_t)graph->local->shape.words * 8;
    const int64_t came = route->x.received;
    struct bi_ranks_cellgraph_met m = {0};
    void *vectors, *counts, *numbers;
    int64_t *all_numbers = NULL;
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, row, d->vectors, &vectors));
    BI_TRY(bi_ranks_route_items(ctx, comm, BOSC_OK, route, sizeof *d->counts, d->counts, &counts));
    bosc_status local_status = meet(ctx, graph->met, vectors, counts, came, &m);
    BI_TRY(bi_ranks_route_answers(ctx, comm, local_status, route, 1, m.is_first, d->is_first));
    BI_TRY(bi_ranks_route_answers(ctx, comm, BOSC_OK, route, sizeof *d->counts, m.all_counts, d->counts));
    BI_WITH_SCRATCH(ctx, local_status = number_kept(ctx, d, &graph->vertices.own));
    BI_TRY(bi_comm_offset(ctx, comm, local_status, graph->vertices.own, &graph->vertices.first, &graph->vertices.all));
    const struct bi_ranks_add add = {d->numbers, graph->vertices.first};
    local_status = ctx->ops->dist->steps->add(ctx, d->count, &add);
    BI_TRY(bi_ranks_route_items(ctx, comm, local_status, route, sizeof *d->numbers, d->numbers, &numbers));
    local_status = bi_scratch_of(ctx, came, sizeof *all_numbers, &all_numbers);
    const struct bi_ranks_cellgraph_gather number = {m.vertex_of, m.firsts, numbers, all_numbers};
    if (local_status == BOSC_OK) local_status = ctx->ops->dist->steps->cellgraph_gather(ctx, came, &number);
    return bi_ranks_route_answers(ctx, comm, local_status, route, sizeof *d->numbers, all_numbers, d->numbers);
}

bosc_status bi_ranks_cellgraph_find_vertices(bosc_ctx *ctx, bosc_ranks_cellgraph *graph,
                                             const struct bi_cellgraph_rows *rows)
{
    struct distinct d = {0};
    struct bi_ranks_route route;
    bosc_status local_status = find_distinct(ctx, graph, rows, &d);
    bosc_status status = bi_ranks_cellgraph_route(ctx, graph, local_status, d.vectors, d.count, ~0ull, &route);
    if (status == BOSC_OK) status = ask_owners(ctx, graph, &d, &route);
    bi_ranks_route_end(ctx, &route);
    BI_TRY(status);
    return bi_comm_agree(ctx, graph->comm, keep(ctx, graph, &d));
}
