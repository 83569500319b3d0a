/* Components over ranks: the ranks' edges as graphs of all vertices, whose components are known. */
#include <boscage/dist/forest.h>
#include <boscage/graph.h>

#include "core/call.h"
#include "dist/cellgraph.h"
#include "dist/steps/steps.h"

/* The rank that has the row of each edge's higher end tells its vertex. */
static bosc_status ask_highs(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const struct bi_dist_route *route,
                             uint32_t *vertices)
{
    const int64_t came = route->x.received;
    struct bi_dist_cellgraph_end end = {.first_row = graph->rows.first,
                                        .vertex_of = graph->blocks[BI_DIST_CELLGRAPH_VERTEX_OF].data};
    void *rows;
    BI_TRY(bi_dist_route_items(ctx, graph->comm, BOSC_OK, route, sizeof *end.rows,
                               graph->blocks[BI_DIST_CELLGRAPH_HIGHS].data, &rows));
    end.rows = rows;
    bosc_status mine = bi_scratch_of(ctx, came, sizeof *end.vertices, &end.vertices);
    if (mine == BOSC_OK) mine = ctx->ops->dist->steps->cellgraph_high_end(ctx, came, &end);
    return bi_dist_route_answers(ctx, graph->comm, mine, route, sizeof *end.vertices, end.vertices, vertices);
}

static bosc_status find_owners(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const struct bi_dist_slices *slices,
                               uint32_t **owners)
{
    const int64_t edges = graph->edges.own;
    struct bi_dist_cellgraph_owner_of_high find = {.highs = graph->blocks[BI_DIST_CELLGRAPH_HIGHS].data,
                                                   .ranks = slices->rank_count};
    BI_TRY(bi_dist_cellgraph_bring_offsets(ctx, slices, &find.offsets));
    BI_TRY(bi_scratch_of(ctx, edges, sizeof *find.owners, &find.owners));
    *owners = find.owners;
    return ctx->ops->dist->steps->cellgraph_owner_of_high(ctx, edges, &find);
}

/* highs: (own edges) the vertices of the higher ends. */
static bosc_status find_highs(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const struct bi_dist_slices *slices,
                              uint32_t *highs)
{
    struct bi_dist_route route;
    uint32_t *owners = NULL;
    const bosc_status mine = find_owners(ctx, graph, slices, &owners);
    bosc_status status = bi_dist_route_to_owners(ctx, graph->comm, mine, owners, graph->edges.own, &route);
    if (status == BOSC_OK) status = ask_highs(ctx, graph, &route, highs);
    bi_dist_route_end(ctx, &route);
    return status;
}

/* Labels of all vertices, in scratch. */
static bosc_status label(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const uint32_t *lows, const uint32_t *highs,
                         uint32_t **labels, int64_t *count)
{
    const bosc_graph_opts opts = {.size = sizeof opts, .id_bits = 32, .assume_valid = 1};
    bosc_graph *edges = NULL;
    bosc_status mine = bi_scratch_of(ctx, graph->vertices.all, sizeof **labels, labels);
    if (mine == BOSC_OK) mine = bosc_graph_create(ctx, &opts, &edges);
    if (mine == BOSC_OK) mine = bosc_graph_build(ctx, edges, lows, highs, NULL, graph->vertices.all, graph->edges.own);
    bosc_status status = bi_comm_agree(ctx, graph->comm, mine);
    if (status == BOSC_OK) status = bosc_dist_components_compute(ctx, graph->comm, edges, NULL, *labels, count);
    bosc_graph_free(edges);
    return status;
}

static bosc_status find_ends(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, uint32_t *ends[2])
{
    BI_TRY(bi_scratch_of(ctx, graph->edges.own, sizeof **ends, &ends[0]));
    BI_TRY(bi_scratch_of(ctx, graph->edges.own, sizeof **ends, &ends[1]));
    const struct bi_dist_cellgraph_end low = {.lows = graph->blocks[BI_DIST_CELLGRAPH_LOWS].data,
                                              .vertex_of = graph->blocks[BI_DIST_CELLGRAPH_VERTEX_OF].data,
                                              .vertices = ends[0]};
    return ctx->ops->dist->steps->cellgraph_low_end(ctx, graph->edges.own, &low);
}

/* Labels of this rank's vertices, of id_bits. */
static bosc_status resize_own(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const uint32_t *labels, const void **own)
{
    struct bi_dist_cellgraph_widen widen = {.in = labels + graph->vertices.first};
    *own = widen.in;
    if (graph->opts.id_bits == 32) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, graph->vertices.own, sizeof *widen.out, &widen.out));
    *own = widen.out;
    return ctx->ops->dist->steps->cellgraph_widen(ctx, graph->vertices.own, &widen);
}

static bosc_status give(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const void *own, void *labels)
{
    const size_t bytes = (size_t)graph->vertices.own * (size_t)graph->opts.id_bits / 8;
    if (!labels || bytes == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, labels, own, bytes));
    return ctx->backend->sync(ctx);
}

static bosc_status components(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, const struct bi_dist_slices *slices,
                              void *labels, int64_t *count)
{
    uint32_t *ends[2] = {NULL, NULL}, *all_labels = NULL;
    const void *own = NULL;
    BI_TRY(bi_comm_agree(ctx, graph->comm, find_ends(ctx, graph, ends)));
    BI_TRY_WITH_SCRATCH(ctx, find_highs(ctx, graph, slices, ends[1]));
    BI_TRY(label(ctx, graph, ends[0], ends[1], &all_labels, count));
    BI_TRY(bi_comm_agree(ctx, graph->comm, resize_own(ctx, graph, all_labels, &own)));
    return bi_comm_agree(ctx, graph->comm, give(ctx, graph, own, labels));
}

static bosc_status components_of_ranks(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, bosc_status mine, void *labels,
                                       int64_t *count)
{
    struct bi_dist_slices slices;
    bosc_status status = bi_dist_slices_begin(ctx, graph->comm, mine, graph->rows.own, &slices);
    *count = 0;
    if (status == BOSC_OK && graph->vertices.all >= (int64_t)UINT32_MAX)
        status = bi_fail(ctx, BOSC_ERR_LIMIT, "graph: %lld vertices of all ranks; components serve less than 2^32 - 1",
                         (long long)graph->vertices.all);
    if (status == BOSC_OK && graph->vertices.all > 0) status = components(ctx, graph, &slices, labels, count);
    bi_dist_slices_end(ctx, &slices);
    return status;
}

bosc_status bosc_dist_cellgraph_components(bosc_ctx *ctx, const bosc_dist_cellgraph *graph, void *labels,
                                           int64_t *count)
{
    int64_t found;
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_dist_cellgraph_check(ctx, graph));
    bosc_status mine = bi_check_handle(ctx, "graph", &graph->memory);
    if (mine == BOSC_OK) mine = bi_check_aligned(ctx, "labels", labels, (size_t)graph->opts.id_bits / 8);
    bi_expect(ctx, 12 * (double)graph->vertices.all);
    if (!graph->met) {
        BI_TRY(bi_comm_agree(ctx, graph->comm, mine));
        return bosc_cellgraph_components(ctx, graph->local, labels, count);
    }
    BI_WITH_SCRATCH(ctx, status = components_of_ranks(ctx, graph, mine, labels, &found));
    if (status == BOSC_OK && count) *count = found;
    return status;
}
