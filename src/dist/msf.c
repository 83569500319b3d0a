/* Minimum spanning forests over ranks: a forest of each rank's edges, so that at most n - 1 of them are left; Boruvka's
 * rounds over those of all ranks; and the answer from the list of edges that all ranks then have. */
#include "core/call.h"
#include "dist/forest.h"

struct forest {
    bosc_ctx *ctx;
    bosc_comm *comm;
    struct bi_dist_part *part;
    void *edges, *labels; /* the caller's, or NULL */
    bool sum;
    struct bi_dist_rounds rounds;
    struct bi_msf_rows rows; /* of the part, with the words of ids over all ranks */
    struct bi_msf_found found;
    bool cut;             /* fewer edges than the rounds have found */
    int64_t own[2];       /* begin and end of this rank's edges among those found */
    uint32_t *tree_of;    /* n: labels */
    struct bi_out out[2]; /* edges and labels */
    bosc_msf_info info;
};

/* The ids of the forest of this rank's edges. */
static bosc_status find_own(struct forest *f, uint64_t **ids, int64_t *count)
{
    const struct bi_graph_view *view = &f->part->view;
    const int64_t most = view->n - 1 < view->m ? view->n - 1 : view->m, room = most > 0 ? most : 0;
    bosc_msf_opts opts = f->part->opts;
    bosc_msf_info info = {.size = sizeof info};
    void *found;
    opts.trees = 0;
    BI_TRY(bi_scratch_of(f->ctx, room, (size_t)view->id_bits / 8, &found));
    BI_TRY(bosc_msf_compute(f->ctx, f->part->graph, &opts, found, NULL, &info));
    BI_TRY(bi_scratch_of(f->ctx, info.edges, sizeof **ids, ids));
    const struct bi_dist_forest_ids args = {found, view->id_bits == 64, (uint64_t)f->part->first, *ids};
    *count = info.edges;
    return f->ctx->ops->dist->steps->forest_ids(f->ctx, info.edges, &args);
}

static bosc_status sort_own(struct forest *f)
{
    struct bi_dist_edges list;
    uint64_t *ids;
    uint8_t *found;
    int64_t count;
    BI_TRY(find_own(f, &ids, &count));
    BI_TRY(bi_dist_forest_take_edges(f->ctx, count, &list));
    BI_TRY(bi_scratch(f->ctx, (size_t)count, (void **)&found));
    BI_TRY(bi_dist_forest_fetch(f->ctx, f->part, ids, count, &list, found));
    return bi_dist_forest_sort(f->ctx, f->part, &list, &f->rounds.edges);
}

/* What is left of this rank's edges, and room for what all ranks find. */
static bosc_status filter(struct forest *f)
{
    const int64_t n = f->part->view.n, m = f->part->view.m;
    f->rounds.n = n;
    f->rounds.wide = f->part->rows.wide_keys;
    BI_TRY(bi_scratch_of(f->ctx, n, sizeof *f->rounds.parent, &f->rounds.parent));
    BI_TRY(bi_scratch_of(f->ctx, n, sizeof *f->rounds.ranks, &f->rounds.ranks));
    BI_TRY(bi_scratch_of(f->ctx, n, sizeof *f->rounds.ids, &f->rounds.ids));
    BI_TRY(bi_dist_forest_take_edges(f->ctx, n < m ? n : m, &f->rounds.edges));
    BI_TRY_WITH_SCRATCH(f->ctx, sort_own(f));
    return BOSC_OK;
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

/* Where this rank's edges begin and end in the list of those found, which ascend. */
static bosc_status find_range(struct forest *f)
{
    const int64_t ends[2] = {f->part->first, f->part->first + f->part->view.entries};
    void *queries, *places;
    BI_TRY(bi_scratch(f->ctx, sizeof ends, &queries));
    BI_TRY(bi_scratch(f->ctx, sizeof ends, &places));
    BI_TRY(f->ctx->backend->copy(f->ctx, queries, ends, sizeof ends));
    BI_TRY(f->ctx->backend->core->search_sorted(f->ctx, BOSC_U64, f->found.ids, f->found.count, queries, 2, places));
    return bi_read_back(f->ctx, f->own, places, sizeof f->own);
}

/* The list of all edges of the forest, ascending, and what follows from it. */
static bosc_status list_found(struct forest *f)
{
    const struct bi_msf_rows *rows = &f->part->rows;
    struct bi_dist_forest_keys keys = {rows->order, f->rounds.ranks, rows->wide_keys, NULL};
    f->rows = *rows;
    f->rows.wide = true;
    BI_TRY(bi_scratch_of(f->ctx, f->rounds.found, rows->wide_keys ? 8 : 4, &keys.keys));
    BI_TRY(f->ctx->ops->dist->steps->forest_keys(f->ctx, f->rounds.found, &keys));
    f->found = (struct bi_msf_found){.count = f->rounds.found, .ids = f->rounds.ids, .keys = keys.keys};
    BI_TRY(cut(f));
    BI_TRY(bi_msf_sort_found(f->ctx, &f->rows, &f->found));
    if (f->sum) BI_TRY(bi_msf_sum(f->ctx, &f->part->view, &f->rows, &f->found, &f->info));
    return f->found.count ? find_range(f) : BOSC_OK;
}

/* Labels of the edges of the forest that are this rank's. */
static bosc_status label_own(struct forest *f)
{
    const int64_t count = f->own[1] - f->own[0];
    struct bi_dist_edges list;
    uint8_t *found;
    BI_TRY(bi_dist_forest_take_edges(f->ctx, count, &list));
    BI_TRY(bi_scratch(f->ctx, (size_t)count, (void **)&found));
    BI_TRY(bi_dist_forest_fetch(f->ctx, f->part, (const uint64_t *)f->found.ids + f->own[0], count, &list, found));
    const struct bi_dist_forest_join_edges join = {list.edges, f->tree_of};
    BI_TRY(bi_dist_forest_reset_labels(f->ctx, f->part->view.n, f->tree_of));
    BI_TRY(f->ctx->ops->dist->steps->forest_join_edges(f->ctx, count, &join));
    return bi_dist_forest_flatten(f->ctx, f->part->view.n, f->tree_of);
}

/* The rounds have joined what they have found; of fewer edges the ranks put labels together, if any wants them. */
static bosc_status label(struct forest *f, bosc_status mine)
{
    int64_t wanted = f->labels != NULL;
    BI_TRY(bi_comm_sum(f->ctx, f->comm, mine, &wanted, 1));
    f->tree_of = f->rounds.parent;
    if (wanted && !f->cut) mine = bi_dist_forest_flatten(f->ctx, f->part->view.n, f->tree_of);
    if (!wanted || !f->cut) return bi_comm_agree(f->ctx, f->comm, mine);
    BI_WITH_SCRATCH(f->ctx, mine = label_own(f));
    return bi_dist_forest_merge_labels(f->ctx, f->comm, f->part, mine, f->tree_of);
}

static bosc_status stage_outputs(struct forest *f)
{
    const size_t size = (size_t)f->part->view.id_bits / 8;
    bool staged = false;
    BI_TRY(bi_stage_out(f->ctx, f->edges, f->edges ? (size_t)(f->own[1] - f->own[0]) * size : 0, &f->out[0], &staged));
    return bi_stage_out(f->ctx, f->labels, f->labels ? (size_t)f->part->view.n * size : 0, &f->out[1], &staged);
}

static bosc_status give(struct forest *f)
{
    const int64_t count = f->own[1] - f->own[0];
    if (f->edges && count > 0) {
        const struct bi_msf_copy_words copy = {(const uint64_t *)f->found.ids + f->own[0], f->out[0].reachable, true,
                                               f->part->view.id_bits == 64};
        BI_TRY(f->ctx->ops->forest->steps->msf_copy_words(f->ctx, count, &copy));
        BI_TRY(bi_stage_back(f->ctx, &f->out[0]));
    }
    if (f->labels) BI_TRY(bi_msf_give_labels(f->ctx, &f->part->view, &f->part->rows, f->tree_of, &f->out[1]));
    return f->ctx->backend->sync(f->ctx);
}

static bosc_status spanning_forest(struct forest *f, bosc_status mine)
{
    BI_TRY(bi_dist_forest_begin(f->ctx, f->comm, mine, f->part));
    mine = filter(f);
    BI_TRY(bi_dist_forest_run_rounds(f->ctx, f->comm, f->part, mine, &f->rounds));
    mine = list_found(f);
    BI_TRY(label(f, mine));
    BI_TRY(bi_comm_agree(f->ctx, f->comm, stage_outputs(f)));
    return bi_comm_agree(f->ctx, f->comm, give(f));
}

static bosc_status check(struct forest *f, const bosc_graph *graph, const bosc_msf_opts *opts,
                         const bosc_msf_info *info)
{
    BI_TRY(bi_dist_forest_check(f->ctx, graph, opts, f->part));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->part->view, "edges", f->edges));
    BI_TRY(bi_forest_check_ids(f->ctx, &f->part->view, "labels", f->labels));
    return info ? bi_check_info(f->ctx, "info", "bosc_msf_info", info->size, sizeof *info) : BOSC_OK;
}

bosc_status bosc_dist_msf_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph, const bosc_msf_opts *opts,
                                  void *edges, int64_t *count, void *labels, bosc_msf_info *info)
{
    struct bi_dist_part part = {0};
    struct forest f = {.ctx = ctx, .comm = comm, .part = &part, .edges = edges, .labels = labels, .sum = info != NULL};
    bosc_status status;
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    bosc_status mine = check(&f, graph, opts, info);
    bi_expect(ctx, 16 * (double)part.view.m + 40 * (double)part.view.n);
    BI_WITH_SCRATCH(ctx, status = spanning_forest(&f, mine));
    bi_dist_forest_end(ctx, &part);
    if (status != BOSC_OK) return status;
    if (count) *count = f.own[1] - f.own[0];
    if (info) bi_give_info(info, &f.info, sizeof f.info);
    return BOSC_OK;
}
