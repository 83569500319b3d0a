/* Minimum spanning forests over ranks. Boruvka's rounds run over the edges of all ranks. Every rank then has the list
 * of the forest's edges and derives the answer. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct msf_call {
    struct bi_ranks_forest_call f;
    void *edges, *labels; /* the caller's, or NULL */
    struct bi_ranks_rounds rounds;
    struct bi_out out[2]; /* edges and labels */
};

/* Allocates room for the rounds' results. */
static bosc_status init_rounds(struct msf_call *c)
{
    const struct bi_ranks_forest_slice *slice = c->f.slice;
    c->rounds = (struct bi_ranks_rounds){.n = slice->view.n,
                                         .is_64bit = slice->rows.keys_64bit,
                                         .from_rows = true,
                                         .most_edges = slice->view.m,
                                         .first = (uint64_t)slice->first_entry};
    return bi_ranks_forest_allocate_rounds(c->f.ctx, &c->rounds);
}

/* Labels the components of this rank's edges of the forest. */
static bosc_status label_own_edges(struct bi_ranks_forest_call *f)
{
    struct bi_ranks_forest_word *words;
    struct bi_ranks_edges list;
    uint8_t *found;
    BI_TRY(bi_ranks_forest_index(f->ctx, f->slice, f->ids, f->count, &words));
    BI_TRY(bi_ranks_forest_allocate_edges(f->ctx, f->count, &list));
    BI_TRY(bi_scratch(f->ctx, (size_t)f->count, (void **)&found));
    BI_TRY(bi_ranks_forest_fetch(f->ctx, f->slice, words, f->ids, f->count, &list, found));
    const struct bi_ranks_forest_union_edges unite = {list.edges, f->tree_of};
    BI_TRY(bi_ranks_forest_reset_labels(f->ctx, f->slice->view.n, f->tree_of));
    BI_TRY(f->ctx->ops->ranks->steps->forest_union_edges(f->ctx, f->count, &unite));
    return bi_ranks_forest_flatten(f->ctx, f->slice->view.n, f->tree_of);
}

/* Labels the trees. Without a cut the tree of rounds has the labels; after a cut the ranks merge labels of their own
 * edges, if any rank requests them. */
static bosc_status label_forest(struct bi_ranks_forest_call *f, const struct bi_ranks_rounds *rounds)
{
    bosc_status local_status = BOSC_OK;
    if (!(f->requests & BI_RANKS_REQUEST_LABELS)) return BOSC_OK;
    if (f->labels || f->is_cut) local_status = bi_scratch_of(f->ctx, f->slice->view.n, sizeof *f->tree_of, &f->tree_of);
    if (f->is_cut) {
        if (local_status == BOSC_OK) BI_WITH_SCRATCH(f->ctx, local_status = label_own_edges(f));
        return bi_ranks_forest_merge_labels(f->ctx, f->comm, f->slice, local_status, f->tree_of);
    }
    if (local_status == BOSC_OK && f->labels)
        BI_WITH_SCRATCH(f->ctx, local_status = bi_ranks_forest_label_rounds(f->ctx, rounds, f->tree_of));
    return bi_comm_agree(f->ctx, f->comm, local_status);
}

static bosc_status stage_outputs(struct msf_call *c)
{
    const size_t size = (size_t)c->f.slice->view.id_bits / 8;
    bool staged = false;
    BI_TRY(bi_stage_out(c->f.ctx, c->edges, c->edges ? (size_t)c->f.count * size : 0, &c->out[0], &staged));
    return bi_stage_out(c->f.ctx, c->labels, c->labels ? (size_t)c->f.slice->view.n * size : 0, &c->out[1], &staged);
}

static bosc_status write_outputs(struct msf_call *c)
{
    if (c->edges && c->f.count > 0) {
        BI_TRY(bi_graph_convert_words(c->f.ctx, c->f.ids, true, c->out[0].reachable, c->f.slice->view.id_bits == 64,
                                      c->f.count));
        BI_TRY(bi_stage_back(c->f.ctx, &c->out[0]));
    }
    if (c->labels)
        BI_TRY(bi_msf_store_labels(c->f.ctx, &c->f.slice->view, &c->f.slice->rows, c->f.tree_of, &c->out[1]));
    return c->f.ctx->backend->sync(c->f.ctx);
}

/* Every rank has all vertices. */
static bosc_status find_replicated(struct msf_call *c)
{
    struct bi_ranks_forest_call *f = &c->f;
    bool is_found;
    BI_TRY(bi_ranks_forest_share_requests(f, BOSC_OK));
    BI_TRY(bi_ranks_forest_pool(f, &is_found));
    if (!is_found) BI_TRY(bi_ranks_forest_gather(f, &is_found));
    if (is_found) return f->is_cut ? label_forest(f, NULL) : BOSC_OK;
    BI_TRY(bi_ranks_forest_run_rounds(f->ctx, f->comm, f->slice, init_rounds(c), &c->rounds));
    f->info.rounds = c->rounds.count;
    BI_TRY(bi_ranks_forest_finish(f, c->rounds.records, c->rounds.is_64bit, c->rounds.found));
    return label_forest(f, &c->rounds);
}

static bosc_status compute_over_ranks(struct msf_call *c, bosc_status local_status)
{
    struct bi_ranks_forest_call *f = &c->f;
    BI_TRY(bi_ranks_forest_begin(f->ctx, f->comm, local_status, f->slice));
    BI_TRY(bi_ranks_forest_is_sharded(f->slice, BI_RANKS_FOREST_BYTES) ? bi_ranks_sharded_compute(f)
                                                                       : find_replicated(c));
    BI_TRY(bi_comm_agree(f->ctx, f->comm, stage_outputs(c)));
    return bi_comm_agree(f->ctx, f->comm, write_outputs(c));
}

/* A communicator of one rank. */
static bosc_status compute_alone(struct msf_call *c, bosc_status local_status, const bosc_graph *graph,
                                 const bosc_msf_opts *opts, bool count)
{
    bosc_msf_info info = {.size = sizeof info};
    struct bi_ranks_forest_call *f = &c->f;
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    BI_TRY(bosc_msf_compute(f->ctx, graph, opts, c->edges, c->labels, f->sum || count ? &info : NULL));
    f->info = (bosc_msf_info){.edges = info.edges,
                              .trees = info.trees,
                              .weight = info.weight,
                              .weight_low = info.weight_low,
                              .weight_high = info.weight_high};
    f->count = info.edges;
    return BOSC_OK;
}

static bosc_status check(const struct msf_call *c, const bosc_graph *graph, const bosc_msf_opts *opts,
                         const bosc_msf_info *info)
{
    const struct bi_ranks_forest_call *f = &c->f;
    BI_TRY(bi_ranks_forest_check(f->ctx, graph, opts, f->slice));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->slice->view, "edges", c->edges));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->slice->view, "labels", c->labels));
    return info ? bi_check_info(f->ctx, "info", "bosc_msf_info", info->size, sizeof *info) : BOSC_OK;
}

bosc_status bosc_ranks_msf_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph, const bosc_msf_opts *opts,
                                   void *edges, int64_t *count, void *labels, bosc_msf_info *info)
{
    struct bi_ranks_forest_slice slice = {0};
    struct msf_call c = {
        .f = {.ctx = ctx, .comm = comm, .slice = &slice, .sum = info != NULL, .labels = labels != NULL},
        .edges = edges,
        .labels = labels};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = check(&c, graph, opts, info);
    bi_progress_set_total(ctx, 16 * (double)slice.view.m + 40 * (double)slice.view.n);
    if (comm->rank_count == 1)
        status = compute_alone(&c, local_status, graph, opts, count != NULL);
    else
        BI_WITH_SCRATCH(ctx, status = compute_over_ranks(&c, local_status));
    bi_ranks_forest_end(ctx, &slice);
    if (status != BOSC_OK) return status;
    if (count) *count = c.f.count;
    if (info) bi_copy_info(info, &c.f.info, sizeof c.f.info);
    return BOSC_OK;
}
