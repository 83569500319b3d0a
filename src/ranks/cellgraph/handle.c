/* Handles of cell graphs over ranks: creation, release, information. */
#include "ranks/cellgraph/cellgraph.h"

bosc_status bi_ranks_cellgraph_check(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph)
{
    return graph ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
}

bosc_status bi_ranks_cellgraph_reserve_block(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int block, int64_t count,
                                             size_t size)
{
    return bi_block_reserve(ctx, &graph->memory, &graph->blocks[block], (size_t)count * size);
}

static bosc_status check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const bosc_cellgraph_opts *o)
{
    const struct bi_ranks_argument shared[] = {
        {"opts: length", o->length},           {"opts: letter_bits", o->letter_bits},
        {"opts: method", o->method},           {"opts: pivots", o->pivots},
        {"opts: id_bits", o->id_bits},         {"opts: heuristic_search", o->heuristic_search},
        {"opts: trie_search", o->trie_search}, {"opts: digit_bits", o->digit_bits}};
    return bi_ranks_check_same(ctx, comm, local_status, shared, 8);
}

/* The graphs of a rank have fewer than 2^32 - 1 rows, whose numbers stay internal. */
bosc_cellgraph_opts bi_ranks_cellgraph_gathered_opts(const bosc_cellgraph_opts *opts)
{
    bosc_cellgraph_opts gathered = *opts;
    gathered.id_bits = 32;
    return gathered;
}

bosc_cellgraph_opts bi_ranks_cellgraph_local_opts(const bosc_cellgraph_opts *opts)
{
    bosc_cellgraph_opts local = bi_ranks_cellgraph_gathered_opts(opts);
    local.method = BOSC_CELLGRAPH_HEURISTIC; /* this method reserves nothing of its own */
    local.pivots = 0;
    return local;
}

static bosc_status create_graphs(bosc_ctx *ctx, bosc_ranks_cellgraph *graph)
{
    const bosc_cellgraph_opts local = bi_ranks_cellgraph_local_opts(&graph->opts),
                              gathered = bi_ranks_cellgraph_gathered_opts(&graph->opts);
    if (graph->comm->rank_count == 1) return bosc_cellgraph_create(ctx, &graph->opts, &graph->local);
    BI_TRY(bosc_cellgraph_create(ctx, &local, &graph->local));
    return bosc_cellgraph_create(ctx, &gathered, &graph->gathered);
}

static bosc_status allocate_graph(bosc_ctx *ctx, bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                  bosc_ranks_cellgraph **graph)
{
    bosc_ranks_cellgraph *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_ranks_cellgraph){.comm = comm, .memory = ctx->memory, .host = ctx->host, .opts = *opts};
    const bosc_status status = create_graphs(ctx, fresh);
    if (status == BOSC_OK)
        *graph = fresh;
    else
        bosc_ranks_cellgraph_free(fresh);
    return status;
}

bosc_status bosc_ranks_cellgraph_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                        bosc_ranks_cellgraph **graph)
{
    bosc_cellgraph_opts full = {0};
    bosc_ranks_cellgraph *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = bi_cellgraph_check_opts(ctx, opts, &full);
    if (local_status == BOSC_OK && !graph) local_status = bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    BI_TRY(check_same(ctx, comm, local_status, &full));
    const bosc_status status = bi_comm_agree(ctx, comm, allocate_graph(ctx, comm, &full, &fresh));
    if (status == BOSC_OK)
        *graph = fresh;
    else
        bosc_ranks_cellgraph_free(fresh);
    return status;
}

void bosc_ranks_cellgraph_free(bosc_ranks_cellgraph *graph)
{
    if (!graph) return;
    const struct bi_memory host = graph->host;
    bosc_cellgraph_free(graph->local);
    bosc_cellgraph_free(graph->gathered);
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) bi_block_free(&graph->memory, &graph->blocks[b]);
    bi_memory_release(&host, graph, sizeof *graph);
}

bosc_status bosc_ranks_cellgraph_get_info(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                          bosc_ranks_cellgraph_info *info)
{
    bosc_cellgraph_info local = {.size = sizeof local}, gathered = {.size = sizeof gathered};
    BI_ENTER(ctx);
    BI_TRY(bi_check_handle(ctx, "graph", graph ? &graph->memory : NULL));
    if (!info) return bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    BI_TRY(bi_check_info(ctx, "info", "bosc_ranks_cellgraph_info", info->size, sizeof *info));
    BI_TRY(bosc_cellgraph_get_info(ctx, graph->local, &local));
    if (graph->gathered) BI_TRY(bosc_cellgraph_get_info(ctx, graph->gathered, &gathered));
    bosc_ranks_cellgraph_info full = {.n = graph->rows.all,
                                      .vertices = graph->vertices.all,
                                      .edges = graph->edges.all,
                                      .own_n = graph->rows.own,
                                      .own_vertices = graph->vertices.own,
                                      .own_edges = graph->edges.own,
                                      .first_row = graph->rows.first,
                                      .first_vertex = graph->vertices.first,
                                      .first_edge = graph->edges.first,
                                      .words = local.words,
                                      .length = local.length,
                                      .letter_bits = local.letter_bits,
                                      .id_bits = graph->opts.id_bits,
                                      .bytes = local.bytes + gathered.bytes};
    for (int b = 0; b < BI_RANKS_CELLGRAPH_BLOCKS; b++) full.bytes += (int64_t)graph->blocks[b].bytes;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
