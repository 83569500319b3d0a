/* Connected components over ranks: each rank's labels are a forest of stars over the vertices; the ranks unite their
 * labels pairwise. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

enum { BYTES_PER_VERTEX = 24 /* of scratch where vertices are replicated, upper bound */ };

struct labelling {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_forest_slice *slice;
    uint32_t *labels;
    int64_t *count; /* the caller's, or NULL */
    int64_t components;
};

/* Labels the components of this rank's edges, as vertices. */
static bosc_status label_own_edges(struct labelling *l)
{
    const struct bi_ranks_forest_slice *slice = l->slice;
    const bool same = slice->view.id_bits == 32 && !slice->opts.vertex_mask;
    void *own = NULL;
    BI_TRY(bi_scratch_of(l->ctx, slice->view.n, sizeof *l->labels, &l->labels));
    if (same) return bosc_components_compute(l->ctx, slice->graph, &slice->opts, l->labels, NULL);
    const struct bi_mark mark = bi_arena_mark(l->ctx);
    BI_TRY(bi_scratch_of(l->ctx, slice->view.n, (size_t)slice->view.id_bits / 8, &own));
    BI_TRY(bosc_components_compute(l->ctx, slice->graph, &slice->opts, own, NULL));
    const struct bi_ranks_forest_parents parents = {own, slice->view.id_bits == 64, l->labels};
    BI_TRY(l->ctx->ops->ranks->steps->forest_parents(l->ctx, slice->view.n, &parents));
    bi_arena_rewind(l->ctx, mark);
    return BOSC_OK;
}

/* Every rank has all vertices. */
static bosc_status label_replicated(struct labelling *l)
{
    bool is_found;
    BI_TRY(bi_ranks_components_pool(l->ctx, l->comm, l->slice, &l->labels, &l->components, &is_found));
    if (is_found) return BOSC_OK;
    bosc_status local_status = label_own_edges(l);
    BI_TRY(bi_ranks_forest_merge_labels(l->ctx, l->comm, l->slice, local_status, l->labels));
    local_status = l->count ? bi_msf_count_roots(l->ctx, &l->slice->rows, l->labels, &l->components) : BOSC_OK;
    return bi_comm_agree(l->ctx, l->comm, local_status);
}

/* Vertices are distributed over the ranks. */
static bosc_status label_sharded(struct labelling *l, bool is_requested)
{
    struct bi_ranks_forest_call found = {
        .ctx = l->ctx, .comm = l->comm, .slice = l->slice, .components_only = true, .labels = is_requested};
    BI_TRY(bi_ranks_sharded_compute(&found));
    l->labels = found.tree_of;
    l->components = found.info.trees;
    return BOSC_OK;
}

static bosc_status compute_and_write(struct labelling *l, void *labels)
{
    bosc_ctx *ctx = l->ctx;
    const struct bi_ranks_forest_slice *slice = l->slice;
    const size_t bytes = labels ? (size_t)slice->view.n * (size_t)slice->view.id_bits / 8 : 0;
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_ranks_forest_is_sharded(slice, BYTES_PER_VERTEX) ? label_sharded(l, labels != NULL)
                                                               : label_replicated(l));
    bosc_status local_status = bi_stage_out(ctx, labels, bytes, &out, &staged);
    BI_TRY(bi_comm_agree(ctx, l->comm, local_status));
    if (labels) local_status = bi_msf_store_labels(ctx, &slice->view, &slice->rows, l->labels, &out);
    BI_IF_OK(local_status, ctx->backend->sync(ctx));
    return bi_comm_agree(ctx, l->comm, local_status);
}

/* Compares the arguments of all ranks, then labels. */
static bosc_status compare_and_label(struct labelling *l, bosc_status local_status, void *labels)
{
    BI_TRY(bi_ranks_forest_begin(l->ctx, l->comm, local_status, l->slice));
    return compute_and_write(l, labels);
}

bosc_status bosc_ranks_components_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                          const bosc_msf_opts *opts, void *labels, int64_t *count)
{
    struct bi_ranks_forest_slice slice = {0};
    struct labelling l = {.ctx = ctx, .comm = comm, .slice = &slice, .count = count};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = bi_ranks_forest_check(ctx, graph, opts, &slice);
    BI_IF_OK(local_status, bi_forest_check_ids(ctx, &slice.view, "labels", labels));
    bi_progress_set_total(ctx, 12 * (double)slice.view.n);
    if (comm->rank_count == 1) {
        BI_TRY(bi_comm_agree(ctx, comm, local_status));
        return bosc_components_compute(ctx, graph, opts, labels, count);
    }
    BI_WITH_SCRATCH(ctx, status = compare_and_label(&l, local_status, labels));
    bi_ranks_forest_end(ctx, &slice);
    if (status == BOSC_OK && count) *count = l.components;
    return status;
}
