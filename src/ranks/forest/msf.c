/* Minimum spanning forests over ranks: a forest of each rank's edges, so that at most n - 1 of them are left; Boruvka's
 * rounds over those of all ranks; and the answer from the list of edges that all ranks then have. */
#include "core/call.h"
#include "ranks/forest/sharded.h"

struct forest {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_ranks_part *part;
    void *edges, *labels; /* the caller's, or NULL */
    bool sum;
    uint64_t *ids; /* of this rank's edges that are left, ascending; then of those in the forest */
    int64_t count;
    struct bi_ranks_forest_word *words; /* their index */
    struct bi_ranks_rounds rounds;
    struct bi_msf_rows rows; /* of the part, with the words of ids over all ranks */
    struct bi_msf_found found;
    bool cut;             /* fewer edges than the rounds have found */
    uint32_t *tree_of;    /* n: labels */
    struct bi_out out[2]; /* edges and labels */
    bosc_msf_info info;
};

/* The ids of the forest of this rank's edges. */
static bosc_status find_own(struct forest *f, void *found)
{
    bosc_msf_opts opts = f->part->opts;
    bosc_msf_info info = {.size = sizeof info};
    opts.trees = 0;
    BI_TRY(bosc_msf_compute(f->ctx, f->part->graph, &opts, found, NULL, &info));
    const struct bi_ranks_forest_ids args = {found, f->part->view.id_bits == 64, (uint64_t)f->part->first, f->ids};
    f->count = info.edges;
    return f->ctx->ops->dist->steps->forest_ids(f->ctx, info.edges, &args);
}

/* What is left of this rank's edges, and room for what all ranks find. */
static bosc_status filter(struct forest *f)
{
    const int64_t n = f->part->view.n, m = f->part->view.m, most = n < m ? n : m;
    void *found;
    f->rounds.n = n;
    f->rounds.wide = f->part->rows.wide_keys;
    BI_TRY(bi_ranks_forest_take_rounds(f->ctx, &f->rounds));
    BI_TRY(bi_scratch_of(f->ctx, most, sizeof *f->ids, &f->ids));
    BI_TRY(bi_ranks_forest_take_list(f->ctx, most, f->rounds.wide || f->part->rows.wide, &f->rounds.edges));
    const struct bi_mark before = bi_arena_mark(f->ctx);
    BI_TRY(bi_scratch_of(f->ctx, most, (size_t)f->part->view.id_bits / 8, &found));
    BI_TRY(find_own(f, found));
    bi_arena_rewind(f->ctx, before);
    BI_TRY(bi_ranks_forest_index(f->ctx, f->part, f->ids, f->count, &f->words));
    f->rounds.edges.count = f->count;
    f->rounds.first = (uint64_t)f->part->first;
    BI_RETURN_WITH_SCRATCH(f->ctx, bi_ranks_forest_collect(f->ctx, f->part, f->words, &f->rounds.edges));
}

/* Keeps the lightest of the edges found where there shall be more trees. */
static bosc_status cut(struct forest *f)
{
    const int64_t trees = f->part->opts.trees;
    int64_t present;
    BI_TRY(bi_msf_count_roots(f->ctx, &f->part->rows, NULL, &present));
    const int64_t most = present < trees ? 0 : present - trees;
    f->cut = trees > 0 && f->found.count > most;
    if (f->cut) BI_TRY(bi_msf_keep_lightest(f->ctx, &f->rows, most, &f->found));
    f->info.edges = f->found.count;
    f->info.trees = present - f->found.count;
    f->info.rounds = f->rounds.count;
    return BOSC_OK;
}

/* Of all edges of the forest, which ascend, those of this rank. */
static bosc_status cut_own(struct forest *f)
{
    const int64_t ends[2] = {f->part->first, f->part->first + f->part->view.entries};
    int64_t own[2] = {0, 0};
    void *queries, *places;
    BI_TRY(bi_scratch(f->ctx, sizeof ends, &queries));
    BI_TRY(bi_scratch(f->ctx, sizeof ends, &places));
    if (f->found.count) {
        BI_TRY(f->ctx->backend->copy(f->ctx, queries, ends, sizeof ends));
        BI_TRY(
            f->ctx->backend->core->search_sorted(f->ctx, BOSC_U64, f->found.ids, f->found.count, queries, 2, places));
        BI_TRY(bi_read_back(f->ctx, own, places, sizeof own));
    }
    f->ids = (uint64_t *)f->found.ids + own[0];
    f->count = own[1] - own[0];
    return BOSC_OK;
}

/* Of this rank's edges that were left, those that the rounds have found. */
static bosc_status keep_own(struct forest *f)
{
    uint8_t *chosen;
    uint64_t *kept;
    int64_t *count;
    BI_TRY(bi_scratch(f->ctx, (size_t)f->count, (void **)&chosen));
    BI_TRY(bi_scratch_of(f->ctx, f->count, sizeof *kept, &kept));
    BI_TRY(bi_scratch_of(f->ctx, 1, sizeof *count, &count));
    if (f->count == 0) return BOSC_OK;
    const struct bi_ranks_forest_own own = {
        f->rounds.records, f->rounds.wide, f->words, (uint64_t)f->part->first, (uint64_t)f->part->view.entries, chosen};
    BI_TRY(f->ctx->backend->fill(f->ctx, chosen, 0, (size_t)f->count));
    BI_TRY(f->ctx->ops->dist->steps->forest_own(f->ctx, f->rounds.found, &own));
    BI_TRY(f->ctx->backend->core->compact(f->ctx, sizeof *kept, f->ids, chosen, f->count, kept, count));
    f->ids = kept;
    return bi_read_back(f->ctx, &f->count, count, sizeof *count);
}

/* What follows from the list of edges that all ranks have. It is put in order where there shall be more trees, and for
 * sums of floats. */
static bosc_status list_found(struct forest *f)
{
    const struct bi_msf_rows *rows = &f->part->rows;
    const bool floats = f->part->view.weight == BOSC_F32 || f->part->view.weight == BOSC_F64;
    const bool order = f->part->opts.trees > 0 || (f->sum && floats);
    struct bi_ranks_forest_list list = {rows->order, f->rounds.records, rows->wide_keys, rows->wide_keys, NULL, NULL};
    f->rows = *rows;
    f->rows.wide = true;
    if (order) BI_TRY(bi_scratch_of(f->ctx, f->rounds.found, sizeof *list.ids, &list.ids));
    if (order || f->sum) {
        BI_TRY(bi_scratch_of(f->ctx, f->rounds.found, rows->wide_keys ? 8 : 4, &list.keys));
        BI_TRY(f->ctx->ops->dist->steps->forest_list(f->ctx, f->rounds.found, &list));
    }
    f->found = (struct bi_msf_found){.count = f->rounds.found, .ids = list.ids, .keys = list.keys};
    BI_TRY(cut(f));
    if (order) BI_TRY(bi_msf_sort_found(f->ctx, &f->rows, &f->found));
    if (f->sum) BI_TRY(bi_msf_sum(f->ctx, &f->part->view, &f->rows, &f->found, &f->info));
    return f->cut ? cut_own(f) : keep_own(f);
}

/* Labels of the edges of the forest that are this rank's. */
static bosc_status label_own(struct forest *f)
{
    struct bi_ranks_forest_word *words;
    struct bi_ranks_edges list;
    uint8_t *found;
    BI_TRY(bi_ranks_forest_index(f->ctx, f->part, f->ids, f->count, &words));
    BI_TRY(bi_ranks_forest_take_edges(f->ctx, f->count, &list));
    BI_TRY(bi_scratch(f->ctx, (size_t)f->count, (void **)&found));
    BI_TRY(bi_ranks_forest_fetch(f->ctx, f->part, words, f->ids, f->count, &list, found));
    const struct bi_ranks_forest_join_edges join = {list.edges, f->tree_of};
    BI_TRY(bi_ranks_forest_reset_labels(f->ctx, f->part->view.n, f->tree_of));
    BI_TRY(f->ctx->ops->dist->steps->forest_join_edges(f->ctx, f->count, &join));
    return bi_ranks_forest_flatten(f->ctx, f->part->view.n, f->tree_of);
}

/* The rounds have joined what they have found; of fewer edges the ranks put labels together, if any wants them. */
static bosc_status label(struct forest *f, bosc_status local_status)
{
    int64_t wanted = f->labels != NULL;
    if (local_status == BOSC_OK) local_status = bi_scratch_of(f->ctx, f->part->view.n, sizeof *f->tree_of, &f->tree_of);
    BI_TRY(bi_comm_sum(f->ctx, f->comm, local_status, &wanted, 1));
    if (f->labels && !f->cut)
        BI_WITH_SCRATCH(f->ctx, local_status = bi_ranks_forest_label_rounds(f->ctx, &f->rounds, f->tree_of));
    if (!wanted || !f->cut) return bi_comm_agree(f->ctx, f->comm, local_status);
    BI_WITH_SCRATCH(f->ctx, local_status = label_own(f));
    return bi_ranks_forest_merge_labels(f->ctx, f->comm, f->part, local_status, f->tree_of);
}

static bosc_status stage_outputs(struct forest *f)
{
    const size_t size = (size_t)f->part->view.id_bits / 8;
    bool staged = false;
    BI_TRY(bi_stage_out(f->ctx, f->edges, f->edges ? (size_t)f->count * size : 0, &f->out[0], &staged));
    return bi_stage_out(f->ctx, f->labels, f->labels ? (size_t)f->part->view.n * size : 0, &f->out[1], &staged);
}

static bosc_status give(struct forest *f)
{
    if (f->edges && f->count > 0) {
        const struct bi_msf_copy_words copy = {f->ids, f->out[0].reachable, true, f->part->view.id_bits == 64};
        BI_TRY(f->ctx->ops->forest->steps->msf_copy_words(f->ctx, f->count, &copy));
        BI_TRY(bi_stage_back(f->ctx, &f->out[0]));
    }
    if (f->labels) BI_TRY(bi_msf_give_labels(f->ctx, &f->part->view, &f->part->rows, f->tree_of, &f->out[1]));
    return f->ctx->backend->sync(f->ctx);
}

/* Where each rank can have all vertices. */
static bosc_status find_replicated(struct forest *f)
{
    bosc_status local_status = filter(f);
    BI_TRY(bi_ranks_forest_run_rounds(f->ctx, f->comm, f->part, local_status, &f->rounds));
    local_status = list_found(f);
    return label(f, local_status);
}

static bosc_status find_sharded(struct forest *f)
{
    struct bi_ranks_sharded_forest found = {
        .ctx = f->ctx, .comm = f->comm, .part = f->part, .sum = f->sum, .labels = f->labels != NULL};
    BI_TRY(bi_ranks_sharded_compute(&found));
    f->ids = found.ids;
    f->count = found.count;
    f->tree_of = found.tree_of;
    f->info = found.info;
    return BOSC_OK;
}

static bosc_status spanning_forest(struct forest *f, bosc_status local_status)
{
    BI_TRY(bi_ranks_forest_begin(f->ctx, f->comm, local_status, f->part));
    BI_TRY(bi_ranks_forest_is_sharded(f->part, BI_RANKS_FOREST_BYTES) ? find_sharded(f) : find_replicated(f));
    BI_TRY(bi_comm_agree(f->ctx, f->comm, stage_outputs(f)));
    return bi_comm_agree(f->ctx, f->comm, give(f));
}

/* A rank that is alone. */
static bosc_status one_context(struct forest *f, bosc_status local_status, const bosc_graph *graph,
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

static bosc_status check(struct forest *f, const bosc_graph *graph, const bosc_msf_opts *opts,
                         const bosc_msf_info *info)
{
    BI_TRY(bi_ranks_forest_check(f->ctx, graph, opts, f->part));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->part->view, "edges", f->edges));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->part->view, "labels", f->labels));
    return info ? bi_check_info(f->ctx, "info", "bosc_msf_info", info->size, sizeof *info) : BOSC_OK;
}

bosc_status bosc_ranks_msf_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph, const bosc_msf_opts *opts,
                                   void *edges, int64_t *count, void *labels, bosc_msf_info *info)
{
    struct bi_ranks_part part = {0};
    struct forest f = {.ctx = ctx, .comm = comm, .part = &part, .edges = edges, .labels = labels, .sum = info != NULL};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status local_status = check(&f, graph, opts, info);
    bi_progress_set_total(ctx, 16 * (double)part.view.m + 40 * (double)part.view.n);
    if (comm->rank_count == 1)
        status = one_context(&f, local_status, graph, opts, count != NULL);
    else
        BI_WITH_SCRATCH(ctx, status = spanning_forest(&f, local_status));
    bi_ranks_forest_end(ctx, &part);
    if (status != BOSC_OK) return status;
    if (count) *count = f.count;
    if (info) bi_copy_info(info, &f.info, sizeof f.info);
    return BOSC_OK;
}
