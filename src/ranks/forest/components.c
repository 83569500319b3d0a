/* Connected components over ranks: each rank's labels are a forest of stars over the vertices, and the ranks join each
 * other's. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

enum { BYTES_A_VERTEX = 24 /* of scratch */ };

struct labelling {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_part *part;
    uint32_t *labels;
    int64_t *count; /* the caller's, or NULL */
    int64_t components;
};

/* Labels as the caller of one context gets them, and then as vertices. */
static bosc_status label_own(struct labelling *l)
{
    const struct bi_ranks_part *part = l->part;
    const bool same = part->view.id_bits == 32 && !part->opts.vertex_mask;
    void *own = NULL;
    BI_TRY(bi_scratch_of(l->ctx, part->view.n, sizeof *l->labels, &l->labels));
    if (same) return bosc_components_compute(l->ctx, part->graph, &part->opts, l->labels, NULL);
    const struct bi_mark before = bi_arena_mark(l->ctx);
    BI_TRY(bi_scratch_of(l->ctx, part->view.n, (size_t)part->view.id_bits / 8, &own));
    BI_TRY(bosc_components_compute(l->ctx, part->graph, &part->opts, own, NULL));
    const struct bi_ranks_forest_parents parents = {own, part->view.id_bits == 64, l->labels};
    BI_TRY(l->ctx->ops->dist->steps->forest_parents(l->ctx, part->view.n, &parents));
    bi_arena_rewind(l->ctx, before);
    return BOSC_OK;
}

/* Where each rank can have all vertices. */
static bosc_status label_replicated(struct labelling *l)
{
    bosc_status local_status = label_own(l);
    BI_TRY(bi_ranks_forest_merge_labels(l->ctx, l->comm, l->part, local_status, l->labels));
    local_status = l->count ? bi_msf_count_roots(l->ctx, &l->part->rows, l->labels, &l->components) : BOSC_OK;
    return bi_comm_agree(l->ctx, l->comm, local_status);
}

static bosc_status label_sharded(struct labelling *l, bool wanted)
{
    struct bi_ranks_sharded_forest found = {
        .ctx = l->ctx, .comm = l->comm, .part = l->part, .trees_alone = true, .labels = wanted};
    BI_TRY(bi_ranks_sharded_compute(&found));
    l->labels = found.tree_of;
    l->components = found.info.trees;
    return BOSC_OK;
}

static bosc_status components(struct labelling *l, void *labels)
{
    bosc_ctx *ctx = l->ctx;
    const struct bi_ranks_part *part = l->part;
    const size_t bytes = labels ? (size_t)part->view.n * (size_t)part->view.id_bits / 8 : 0;
    struct bi_out out;
    bool staged = false;
    BI_TRY(bi_ranks_forest_is_sharded(part, BYTES_A_VERTEX) ? label_sharded(l, labels != NULL) : label_replicated(l));
    bosc_status local_status = bi_stage_out(ctx, labels, bytes, &out, &staged);
    BI_TRY(bi_comm_agree(ctx, l->comm, local_status));
    if (labels) local_status = bi_msf_give_labels(ctx, &part->view, &part->rows, l->labels, &out);
    if (local_status == BOSC_OK) local_status = ctx->backend->sync(ctx);
    return bi_comm_agree(ctx, l->comm, local_status);
}

static bosc_status begin_and_label(struct labelling *l, bosc_status local_status, void *labels)
{
    BI_TRY(bi_ranks_forest_begin(l->ctx, l->comm, local_status, l->part));
    return components(l, labels);
}

bosc_status bosc_ranks_components_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                          const bosc_msf_opts *opts, void *labels, int64_t *count)
{
    struct bi_ranks_part part = {0};
    struct labelling l = {.ctx = ctx, .comm = comm, .part = &part, .count = count};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = bi_ranks_forest_check(ctx, graph, opts, &part);
    if (local_status == BOSC_OK) local_status = bi_forest_check_ids(ctx, &part.view, "labels", labels);
    bi_progress_set_total(ctx, 12 * (double)part.view.n);
    if (comm->rank_count == 1) {
        BI_TRY(bi_comm_agree(ctx, comm, local_status));
        return bosc_components_compute(ctx, graph, opts, labels, count);
    }
    BI_WITH_SCRATCH(ctx, status = begin_and_label(&l, local_status, labels));
    bi_ranks_forest_end(ctx, &part);
    if (status == BOSC_OK && count) *count = l.components;
    return status;
}
