/* Components of a cell graph over ranks: the ranks' edges become graphs of all vertices, whose components are computed
 * over ranks. A mask covers the rank's own vertices, in reach. */
#include <boscage/ranks/forest.h>
#include <boscage/graph.h>

#include "core/call.h"
#include "ranks/cellgraph/cellgraph.h"
#include "ranks/steps/steps.h"

static struct bi_ranks_cellgraph_end end_of(const bosc_ranks_cellgraph *graph, const uint8_t *mask)
{
    return (struct bi_ranks_cellgraph_end){.first_row = graph->rows.first,
                                           .first_vertex = graph->vertices.first,
                                           .vertex_of = graph->blocks[BI_RANKS_CELLGRAPH_VERTEX_OF].data,
                                           .mask = mask};
}

struct high_ends {
    const bosc_ranks_cellgraph *graph;
    const uint8_t *mask;
};

/* On the rank that has the rows of edges' higher ends: returns their vertices. */
static bosc_status find_vertices(bosc_ctx *ctx, const void *user, const void *rows, int64_t count, void *vertices)
{
    const struct high_ends *ends = user;
    struct bi_ranks_cellgraph_end end = end_of(ends->graph, ends->mask);
    end.rows = rows;
    end.vertices = vertices;
    return ctx->ops->ranks->steps->cellgraph_high_end(ctx, count, &end);
}

static bosc_status find_owners(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const struct bi_ranks_slices *slices,
                               uint32_t **owners)
{
    const int64_t edges = graph->edges.own;
    struct bi_ranks_cellgraph_owner_of_high find = {.high_rows = graph->blocks[BI_RANKS_CELLGRAPH_HIGHS].data,
                                                    .ranks = slices->rank_count};
    BI_TRY(bi_ranks_cellgraph_stage_offsets(ctx, slices, &find.offsets));
    BI_TRY(bi_scratch_of(ctx, edges, sizeof *find.owners, &find.owners));
    *owners = find.owners;
    return ctx->ops->ranks->steps->cellgraph_owner_of_high(ctx, edges, &find);
}

/* high_vertices: (own edges): the vertices of the higher ends. */
static bosc_status find_high_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                      const struct bi_ranks_slices *slices, const uint8_t *mask,
                                      uint32_t *high_vertices)
{
    uint32_t *owners = NULL;
    const bosc_status local_status = find_owners(ctx, graph, slices, &owners);
    const struct high_ends ends = {graph, mask};
    const struct bi_ranks_owner_query query = {.n = graph->edges.own,
                                               .owners = owners,
                                               .items = graph->blocks[BI_RANKS_CELLGRAPH_HIGHS].data,
                                               .item_size = sizeof(int64_t),
                                               .answer_size = sizeof *high_vertices,
                                               .answer = find_vertices,
                                               .user = &ends,
                                               .out = high_vertices};
    return bi_ranks_query_owners(ctx, graph->comm, local_status, &query);
}

static bosc_status find_low_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const uint8_t *mask,
                                     uint32_t *low_vertices)
{
    struct bi_ranks_cellgraph_end low = end_of(graph, mask);
    low.low_rows = graph->blocks[BI_RANKS_CELLGRAPH_LOWS].data;
    low.vertices = low_vertices;
    return ctx->ops->ranks->steps->cellgraph_low_end(ctx, graph->edges.own, &low);
}

/* Builds the graph of this rank's edges between included vertices. */
static bosc_status build_edge_graph(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                    const struct bi_ranks_cellgraph_drop_edges *ends, bosc_graph **edges)
{
    const bosc_graph_opts opts = {.size = sizeof opts, .id_bits = 32, .drop_loops = 1, .assume_valid = 1};
    BI_TRY(ctx->ops->ranks->steps->cellgraph_drop_edges(ctx, graph->edges.own, ends));
    BI_TRY(bosc_graph_create(ctx, &opts, edges));
    return bosc_graph_build(ctx, *edges, ends->low_vertices, ends->high_vertices, NULL, graph->vertices.all,
                            graph->edges.own);
}

/* Labels all vertices. */
static bosc_status label_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                  const struct bi_ranks_cellgraph_drop_edges *ends, uint32_t *labels, int64_t *count)
{
    bosc_graph *edges = NULL;
    bosc_status status = bi_comm_agree(ctx, graph->comm, build_edge_graph(ctx, graph, ends, &edges));
    BI_IF_OK(status, bosc_ranks_components_compute(ctx, graph->comm, edges, NULL, labels, count));
    bosc_graph_free(edges);
    return status;
}

/* Counts this rank's excluded vertices. */
static bosc_status count_excluded(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const uint8_t *mask,
                                  int64_t *excluded)
{
    int64_t *counter, included;
    *excluded = 0;
    if (!mask || graph->vertices.own == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *counter, &counter));
    BI_TRY(ctx->backend->core->compact(ctx, 1, mask, mask, graph->vertices.own, NULL, counter));
    BI_TRY(bi_read_back(ctx, &included, counter, sizeof included));
    *excluded = graph->vertices.own - included;
    return BOSC_OK;
}

/* Converts the labels of this rank's vertices to id_bits. */
static bosc_status write_own_labels(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, uint32_t *all,
                                    const uint8_t *mask, const void **labels)
{
    const int64_t own = graph->vertices.own;
    const bool is_64bit = graph->opts.id_bits == 64;
    struct bi_ranks_offset_ids widen = {.in = all + graph->vertices.first};
    struct bi_ranks_cellgraph_clear_label clear = {mask, is_64bit, all + graph->vertices.first};
    if (is_64bit) {
        BI_TRY(bi_scratch_of(ctx, own, sizeof *widen.out, &widen.out));
        BI_TRY(ctx->ops->ranks->steps->offset_ids(ctx, own, &widen));
        clear.labels = widen.out;
    }
    *labels = clear.labels;
    return mask ? ctx->ops->ranks->steps->cellgraph_clear_label(ctx, own, &clear) : BOSC_OK;
}

static bosc_status copy_labels(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const void *own, void *labels)
{
    const size_t bytes = (size_t)graph->vertices.own * (size_t)graph->opts.id_bits / 8;
    if (!labels || bytes == 0) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, labels, own, bytes));
    return ctx->backend->sync(ctx);
}

static bosc_status compute_components(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                      const struct bi_ranks_slices *slices, const uint8_t *vertex_mask, void *labels,
                                      int64_t *count)
{
    const int64_t own = graph->vertices.own, edges = graph->edges.own;
    const uint8_t *mask = NULL;
    struct bi_ranks_cellgraph_drop_edges ends = {NULL, NULL};
    uint32_t *all = NULL;
    const void *own_labels = NULL;
    int64_t excluded = 0;
    bool staged = false;
    /* 1. The vertices of the lower ends are local. */
    bosc_status local_status =
        bi_stage_in(ctx, vertex_mask, vertex_mask ? (size_t)own : 0, (const void **)&mask, &staged);
    BI_IF_OK(local_status, bi_scratch_of(ctx, edges, sizeof *ends.low_vertices, &ends.low_vertices));
    BI_IF_OK(local_status, bi_scratch_of(ctx, edges, sizeof *ends.high_vertices, &ends.high_vertices));
    BI_IF_OK(local_status, bi_scratch_of(ctx, graph->vertices.all, sizeof *all, &all));
    BI_IF_OK(local_status, find_low_vertices(ctx, graph, mask, ends.low_vertices));
    BI_IF_OK(local_status, count_excluded(ctx, graph, mask, &excluded));
    BI_TRY(bi_comm_sum(ctx, graph->comm, local_status, &excluded, 1));
    /* 2. Query the vertices of the higher ends, and label. */
    BI_TRY_WITH_SCRATCH(ctx, find_high_vertices(ctx, graph, slices, mask, ends.high_vertices));
    BI_TRY(label_vertices(ctx, graph, &ends, all, count));
    *count -= excluded;
    BI_TRY(bi_comm_agree(ctx, graph->comm, write_own_labels(ctx, graph, all, mask, &own_labels)));
    return bi_comm_agree(ctx, graph->comm, copy_labels(ctx, graph, own_labels, labels));
}

static bosc_status components_of_ranks(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, bosc_status local_status,
                                       const uint8_t *mask, void *labels, int64_t *count)
{
    struct bi_ranks_slices slices;
    bosc_status status = bi_ranks_slices_begin(ctx, graph->comm, local_status, graph->rows.own, &slices);
    *count = 0;
    if (status == BOSC_OK && graph->vertices.all >= (int64_t)UINT32_MAX)
        status = bi_fail(ctx, BOSC_ERR_LIMIT, "graph: %lld vertices of all ranks; components serve less than 2^32 - 1",
                         (long long)graph->vertices.all);
    if (status == BOSC_OK && graph->vertices.all > 0)
        status = compute_components(ctx, graph, &slices, mask, labels, count);
    bi_ranks_slices_end(ctx, &slices);
    return status;
}

static bosc_status check_and_compute(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, const uint8_t *mask,
                                     void *labels, int64_t *count)
{
    int64_t found;
    bosc_status status;
    BI_TRY(bi_ranks_cellgraph_check(ctx, graph));
    bosc_status local_status = bi_check_handle(ctx, "graph", &graph->memory);
    BI_IF_OK(local_status, bi_check_aligned(ctx, "labels", labels, (size_t)graph->opts.id_bits / 8));
    bi_progress_set_total(ctx, 12 * (double)graph->vertices.all);
    if (!graph->gathered) {
        BI_TRY(bi_comm_agree(ctx, graph->comm, local_status));
        return bosc_cellgraph_components_masked(ctx, graph->local, mask, labels, count);
    }
    BI_WITH_SCRATCH(ctx, status = components_of_ranks(ctx, graph, local_status, mask, labels, &found));
    if (status == BOSC_OK && count) *count = found;
    return status;
}

bosc_status bosc_ranks_cellgraph_components(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *labels,
                                            int64_t *count)
{
    BI_ENTER(ctx);
    return check_and_compute(ctx, graph, NULL, labels, count);
}

bosc_status bosc_ranks_cellgraph_components_masked(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                                   const uint8_t *vertex_mask, void *labels, int64_t *count)
{
    BI_ENTER(ctx);
    return check_and_compute(ctx, graph, vertex_mask, labels, count);
}
