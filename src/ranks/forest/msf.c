/* Minimum spanning forests over ranks. Boruvka's rounds run over the edges of all ranks. Every rank then has the list of
 * the forest's edges and derives the answer. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct msf_call {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_forest_slice *slice;
    void *edges, *labels; /* the caller's, or NULL */
    bool sum;
    uint64_t *ids; /* of this rank's edges in the forest, ascending */
    int64_t count;
    struct bi_ranks_rounds rounds;
    struct bi_msf_rows rows; /* of the slice, with ids over all ranks */
    struct bi_msf_found found;
    bool is_cut;          /* edges were cut to reach the requested number of trees */
    uint32_t *tree_of;    /* n: labels */
    struct bi_out out[2]; /* edges and labels */
    bosc_msf_info info;
};

/* Allocates room for the rounds' results. */
static bosc_status init_rounds(struct msf_call *f)
{
    f->rounds = (struct bi_ranks_rounds){.n = f->slice->view.n,
                                         .is_64bit = f->slice->rows.keys_64bit,
                                         .from_rows = true,
                                         .first = (uint64_t)f->slice->first_entry};
    return bi_ranks_forest_allocate_rounds(f->ctx, &f->rounds);
}

/* Keeps only the lightest edges if more trees are requested. */
static bosc_status cut_forest(struct msf_call *f)
{
    const int64_t trees = f->slice->opts.trees;
    int64_t present;
    BI_TRY(bi_msf_count_roots(f->ctx, &f->slice->rows, NULL, &present));
    const int64_t max_edges = present < trees ? 0 : present - trees;
    f->is_cut = trees > 0 && f->found.count > max_edges;
    if (f->is_cut) BI_TRY(bi_msf_select_lightest(f->ctx, &f->rows, max_edges, &f->found));
    f->info.edges = f->found.count;
    f->info.trees = present - f->found.count;
    f->info.rounds = f->rounds.count;
    return BOSC_OK;
}

/* Selects this rank's edges from the ascending list of all. */
static bosc_status select_own_cut(struct msf_call *f)
{
    const int64_t ends[2] = {f->slice->first_entry, f->slice->first_entry + f->slice->view.entries};
    int64_t own[2] = {0, 0};
    void *queries, *positions;
    BI_TRY(bi_scratch(f->ctx, sizeof ends, &queries));
    BI_TRY(bi_scratch(f->ctx, sizeof ends, &positions));
    if (f->found.count) {
        BI_TRY(f->ctx->backend->copy(f->ctx, queries, ends, sizeof ends));
        BI_TRY(f->ctx->backend->core->search_sorted(f->ctx, BOSC_U64, f->found.ids, f->found.count, queries, 2,
                                                    positions));
        BI_TRY(bi_read_back(f->ctx, own, positions, sizeof own));
    }
    f->ids = (uint64_t *)f->found.ids + own[0];
    f->count = own[1] - own[0];
    return BOSC_OK;
}

/* Selects this rank's edges from the rounds' records, ascending. */
static bosc_status select_own_found(struct msf_call *f)
{
    const int64_t found = f->rounds.found;
    struct bi_ranks_forest_own_ids own = {.records = f->rounds.records,
                                          .is_64bit = f->rounds.is_64bit,
                                          .first = (uint64_t)f->slice->first_entry,
                                          .entries = (uint64_t)f->slice->view.entries};
    int64_t *count;
    uint64_t *unsorted;
    f->count = 0;
    if (found == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(f->ctx, found, sizeof *own.ids, &own.ids));
    BI_TRY(bi_scratch_of(f->ctx, found, 1, &own.is_own));
    BI_TRY(bi_scratch_of(f->ctx, found, sizeof *unsorted, &unsorted));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *count, &count));
    BI_TRY(f->ctx->ops->ranks->steps->forest_own_ids(f->ctx, found, &own));
    BI_TRY(f->ctx->backend->core->compact(f->ctx, sizeof *own.ids, own.ids, own.is_own, found, unsorted, count));
    BI_TRY(bi_read_back(f->ctx, &f->count, count, sizeof *count));
    f->ids = own.ids;
    if (f->count == 0) return BOSC_OK;
    return f->ctx->backend->core->sort_keys(f->ctx, BOSC_U64, unsorted, f->count, f->ids, 0,
                                            bi_bit_length((uint64_t)f->slice->entries));
}

/* Finishes the forest from the list of edges that all ranks have. The list is sorted only for a cut and for sums of
 * floats. */
static bosc_status finish_forest(struct msf_call *f)
{
    const struct bi_msf_rows *rows = &f->slice->rows;
    const bool floats = f->slice->view.weight == BOSC_F32 || f->slice->view.weight == BOSC_F64;
    const bool needs_order = f->slice->opts.trees > 0 || (f->sum && floats);
    struct bi_ranks_forest_list_weights list = {
        rows->order, f->rounds.records, rows->keys_64bit, rows->keys_64bit, NULL, NULL};
    f->rows = *rows;
    f->rows.is_64bit = true;
    /* 1. The ids and keys of the edges, as far as the request needs them. */
    if (needs_order) BI_TRY(bi_scratch_of(f->ctx, f->rounds.found, sizeof *list.ids, &list.ids));
    if (needs_order || f->sum) {
        BI_TRY(bi_scratch_of(f->ctx, f->rounds.found, rows->keys_64bit ? 8 : 4, &list.keys));
        BI_TRY(f->ctx->ops->ranks->steps->forest_list_weights(f->ctx, f->rounds.found, &list));
    }
    f->found = (struct bi_msf_found){.count = f->rounds.found, .ids = list.ids, .keys = list.keys};
    /* 2. Cut, sort, sum; then select this rank's edges. */
    BI_TRY(cut_forest(f));
    if (needs_order) BI_TRY(bi_msf_sort_found(f->ctx, &f->rows, &f->found));
    if (f->sum) BI_TRY(bi_msf_sum(f->ctx, &f->slice->view, &f->rows, &f->found, &f->info));
    return f->is_cut ? select_own_cut(f) : select_own_found(f);
}

/* Labels the components of this rank's edges of the forest. */
static bosc_status label_own_edges(struct msf_call *f)
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
static bosc_status label_forest(struct msf_call *f, bosc_status local_status)
{
    int64_t requests = f->labels != NULL;
    BI_IF_OK(local_status, bi_scratch_of(f->ctx, f->slice->view.n, sizeof *f->tree_of, &f->tree_of));
    BI_TRY(bi_comm_sum(f->ctx, f->comm, local_status, &requests, 1));
    if (f->labels && !f->is_cut)
        BI_WITH_SCRATCH(f->ctx, local_status = bi_ranks_forest_label_rounds(f->ctx, &f->rounds, f->tree_of));
    if (!requests || !f->is_cut) return bi_comm_agree(f->ctx, f->comm, local_status);
    BI_WITH_SCRATCH(f->ctx, local_status = label_own_edges(f));
    return bi_ranks_forest_merge_labels(f->ctx, f->comm, f->slice, local_status, f->tree_of);
}

static bosc_status stage_outputs(struct msf_call *f)
{
    const size_t size = (size_t)f->slice->view.id_bits / 8;
    bool staged = false;
    BI_TRY(bi_stage_out(f->ctx, f->edges, f->edges ? (size_t)f->count * size : 0, &f->out[0], &staged));
    return bi_stage_out(f->ctx, f->labels, f->labels ? (size_t)f->slice->view.n * size : 0, &f->out[1], &staged);
}

static bosc_status write_outputs(struct msf_call *f)
{
    if (f->edges && f->count > 0) {
        BI_TRY(
            bi_graph_convert_words(f->ctx, f->ids, true, f->out[0].reachable, f->slice->view.id_bits == 64, f->count));
        BI_TRY(bi_stage_back(f->ctx, &f->out[0]));
    }
    if (f->labels) BI_TRY(bi_msf_store_labels(f->ctx, &f->slice->view, &f->slice->rows, f->tree_of, &f->out[1]));
    return f->ctx->backend->sync(f->ctx);
}

/* Every rank has all vertices. */
static bosc_status find_replicated(struct msf_call *f)
{
    bosc_status local_status = init_rounds(f);
    BI_TRY(bi_ranks_forest_run_rounds(f->ctx, f->comm, f->slice, local_status, &f->rounds));
    local_status = finish_forest(f);
    return label_forest(f, local_status);
}

static bosc_status find_sharded(struct msf_call *f)
{
    struct bi_ranks_sharded_forest found = {
        .ctx = f->ctx, .comm = f->comm, .slice = f->slice, .sum = f->sum, .labels = f->labels != NULL};
    BI_TRY(bi_ranks_sharded_compute(&found));
    f->ids = found.ids;
    f->count = found.count;
    f->tree_of = found.tree_of;
    f->info = found.info;
    return BOSC_OK;
}

static bosc_status compute_over_ranks(struct msf_call *f, bosc_status local_status)
{
    BI_TRY(bi_ranks_forest_begin(f->ctx, f->comm, local_status, f->slice));
    BI_TRY(bi_ranks_forest_is_sharded(f->slice, BI_RANKS_FOREST_BYTES) ? find_sharded(f) : find_replicated(f));
    BI_TRY(bi_comm_agree(f->ctx, f->comm, stage_outputs(f)));
    return bi_comm_agree(f->ctx, f->comm, write_outputs(f));
}

/* A communicator of one rank. */
static bosc_status compute_alone(struct msf_call *f, bosc_status local_status, const bosc_graph *graph,
                                 const bosc_msf_opts *opts, bool count)
{
    bosc_msf_info info = {.size = sizeof info};
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    BI_TRY(bosc_msf_compute(f->ctx, graph, opts, f->edges, f->labels, f->sum || count ? &info : NULL));
    f->info = (bosc_msf_info){.edges = info.edges,
                              .trees = info.trees,
                              .weight = info.weight,
                              .weight_low = info.weight_low,
                              .weight_high = info.weight_high};
    f->count = info.edges;
    return BOSC_OK;
}

static bosc_status check(struct msf_call *f, const bosc_graph *graph, const bosc_msf_opts *opts,
                         const bosc_msf_info *info)
{
    BI_TRY(bi_ranks_forest_check(f->ctx, graph, opts, f->slice));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->slice->view, "edges", f->edges));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->slice->view, "labels", f->labels));
    return info ? bi_check_info(f->ctx, "info", "bosc_msf_info", info->size, sizeof *info) : BOSC_OK;
}

bosc_status bosc_ranks_msf_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph, const bosc_msf_opts *opts,
                                   void *edges, int64_t *count, void *labels, bosc_msf_info *info)
{
    struct bi_ranks_forest_slice slice = {0};
    struct msf_call f = {
        .ctx = ctx, .comm = comm, .slice = &slice, .edges = edges, .labels = labels, .sum = info != NULL};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = check(&f, graph, opts, info);
    bi_progress_set_total(ctx, 16 * (double)slice.view.m + 40 * (double)slice.view.n);
    if (comm->rank_count == 1)
        status = compute_alone(&f, local_status, graph, opts, count != NULL);
    else
        BI_WITH_SCRATCH(ctx, status = compute_over_ranks(&f, local_status));
    bi_ranks_forest_end(ctx, &slice);
    if (status != BOSC_OK) return status;
    if (count) *count = f.count;
    if (info) bi_copy_info(info, &f.info, sizeof f.info);
    return BOSC_OK;
}
