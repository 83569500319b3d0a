/* Loads a saved graph over ranks. */
#include "core/call.h"
#include "core/check.h"
#include "ranks/graph/read.h"

static bosc_status check(bosc_ctx *ctx, bosc_read_at_fn read, bosc_graph **graph, const bosc_ranks_graph_info *info)
{
    if (!read) return bi_fail(ctx, BOSC_ERR_ARG, "read: NULL");
    if (!graph) return bi_fail(ctx, BOSC_ERR_ARG, "graph: NULL");
    return info ? bi_check_info(ctx, "info", "bosc_ranks_graph_info", info->size, sizeof *info) : BOSC_OK;
}

static bosc_status read_graph(struct bi_ranks_graph_loader *r, bosc_status local_status, bosc_graph **graph)
{
    BI_TRY(bi_ranks_graph_read_arrays(r, local_status));
    BI_RETURN_WITH_SCRATCH(r->ctx, bi_ranks_graph_build_loaded(r, graph));
}

static void write_info(const struct bi_ranks_graph_loader *r, bosc_ranks_graph_info *info)
{
    const int64_t first = bi_ranks_graph_chunk_begin(r, r->comm->rank);
    const bosc_ranks_graph_info full = {.n = r->header.n,
                                        .m = r->header.m,
                                        .entries = r->header.entries,
                                        .own_entries = bi_ranks_graph_chunk_begin(r, r->comm->rank + 1) - first,
                                        .first_entry = first};
    bi_copy_info(info, &full, sizeof full);
}

bosc_status bosc_ranks_graph_read(bosc_ctx *ctx, bosc_comm *comm, bosc_read_at_fn read, void *user, bosc_graph **graph,
                                  bosc_ranks_graph_info *info)
{
    struct bi_ranks_graph_loader r = {
        .ctx = ctx, .comm = comm, .loader = {.ctx = ctx, .what = "saved graph"}, .read = read, .user = user};
    bosc_graph *fresh = NULL;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    const bosc_status status = read_graph(&r, check(ctx, read, graph, info), &fresh);
    bi_ranks_graph_release(&r);
    if (status == BOSC_OK) {
        *graph = fresh;
        if (info) write_info(&r, info);
    } else {
        bosc_graph_free(fresh);
    }
    return status;
}
