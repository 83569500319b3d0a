/* Spanning forests over few ranks by a filter: all ranks gather the light edges of all, and find their forest. Each
 * then lists its heavy edges between the trees, which are gathered in the same way; most heavy edges lie within a
 * tree. So every rank joins the vertices alone, by the algorithm of one context, while rounds (rounds.c) exchange
 * minima. Source: Osipov, Sanders, Singler, The Filter-Kruskal Minimum Spanning Tree Algorithm (2009). */
#include "core/call.h"
#include "ranks/forest/forest.h"

enum {
    MOST_RANKS = 4, /* each rank finds the whole forest of the light edges; of more ranks the rounds share more work */
    COLUMNS = 3     /* of a gathered edge: the rank of its weight, and its ends */
};
/* Edges for each vertex that all ranks gather at once, at most. The light ones are 1.25, or up to 2.1 without heavy
 * ones. */
static const double MOST_GATHERED = 2.5;

struct filter_call {
    struct bi_ranks_forest_call *f;
    struct bi_ranks_rounds *result;
    struct bi_ranks_forest_filter filter;
    struct bi_ranks_list list;   /* this rank's edges of a phase */
    bool is_labelled;            /* the phase writes `labels` */
    uint32_t *labels;            /* n: the smallest vertex of each vertex's tree */
    uint32_t *columns[COLUMNS];  /* of this rank's edges, in the order of their ids */
    uint32_t *gathered[COLUMNS]; /* of the edges of all ranks, which then are in the order of their ids */
};

/* Sorts this rank's edges by id, and separates their columns. */
static bosc_status order_edges(struct filter_call *c)
{
    bosc_ctx *ctx = c->f->ctx;
    struct bi_ranks_list sorted;
    const int64_t count = c->list.count;
    BI_TRY(bi_ranks_forest_allocate_list(ctx, count, false, &sorted));
    for (int k = 0; k < COLUMNS; k++) BI_TRY(bi_scratch_of(ctx, count, sizeof *c->columns[k], &c->columns[k]));
    if (count == 0) return BOSC_OK;
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, c->list.keys, sizeof *c->list.ends, c->list.ends, count,
                                          sorted.keys, sorted.ends, 0,
                                          bi_bit_length((uint64_t)c->f->slice->view.entries)));
    c->list = sorted;
    const struct bi_ranks_forest_columns step = {sorted.keys, sorted.ends, c->columns[0], c->columns[1], c->columns[2]};
    return ctx->ops->ranks->steps->forest_columns(ctx, count, &step);
}

/* Writes this rank's columns to those of all ranks. */
static bosc_status copy_columns(struct filter_call *c, const struct bi_windows *windows)
{
    bosc_ctx *ctx = c->f->ctx;
    const size_t bytes = (size_t)c->list.count * sizeof *c->columns[0];
    for (int32_t i = 0; i < c->f->comm->rank_count && bytes; i++)
        for (int k = 0; k < COLUMNS; k++) { /* each rank begins with the one above, so links are used evenly */
            const int32_t r = (c->f->comm->rank + 1 + i) % c->f->comm->rank_count;
            BI_TRY(ctx->backend->copy(ctx, windows->of[k].blocks[r], c->columns[k], bytes));
        }
    return BOSC_OK;
}

/* Gathers the edges of all ranks. */
static bosc_status gather_edges(struct filter_call *c, const struct bi_exchange *x)
{
    struct bi_windows windows = {.access = BI_WINDOW_WRITE, .count = COLUMNS};
    bosc_status local_status = order_edges(c);
    for (int k = 0; k < COLUMNS; k++) {
        BI_IF_OK(local_status, bi_scratch_of(c->f->ctx, x->received, sizeof *c->gathered[k], &c->gathered[k]));
        windows.of[k] = (struct bi_window){.item_size = sizeof *c->gathered[k], .items = c->gathered[k]};
    }
    BI_TRY(bi_exchange_open_windows(c->f->ctx, c->f->comm, &local_status, x, &windows));
    BI_IF_OK(local_status, copy_columns(c, &windows));
    return bi_exchange_close_windows(c->f->ctx, c->f->comm, local_status, x, &windows);
}

/* Appends this rank's edges among the chosen ones, numbers of gathered edges that ascend, to the result. */
static bosc_status take_chosen(struct filter_call *c, const uint32_t *chosen, int64_t count, int64_t begin)
{
    bosc_ctx *ctx = c->f->ctx;
    const uint32_t own[2] = {(uint32_t)begin, (uint32_t)(begin + c->list.count)};
    int64_t range[2];
    BI_TRY(bosc_search_sorted(ctx, BOSC_U32, chosen, count, own, 2, range));
    const struct bi_ranks_forest_chosen_records step = {chosen + range[0], own[0], c->list.keys, c->result->first,
                                                        c->result->records + 2 * c->result->found};
    c->result->found += range[1] - range[0];
    return range[1] > range[0] ? ctx->ops->ranks->steps->forest_chosen_records(ctx, range[1] - range[0], &step)
                               : BOSC_OK;
}

/* Finds the forest of the gathered edges. */
static bosc_status find_forest(struct filter_call *c, const struct bi_exchange *x)
{
    bosc_ctx *ctx = c->f->ctx;
    const int64_t n = c->result->n, most = x->received < n ? x->received : n;
    const bosc_graph_opts opts = {.size = sizeof opts, .weight = BOSC_U32, .id_bits = 32, .assume_valid = 1};
    bosc_msf_info info = {.size = sizeof info};
    uint32_t *chosen;
    BI_TRY(bi_scratch_of(ctx, most, sizeof *chosen, &chosen));
    BI_TRY(bosc_msf_compute_edges(ctx, &opts, NULL, c->gathered[1], c->gathered[2], c->gathered[0], n, x->received,
                                  chosen, c->is_labelled ? c->labels : NULL, &info));
    c->result->count += info.rounds;
    return take_chosen(c, chosen, info.edges, x->received_offsets[c->f->comm->rank]);
}

/* Joins the trees by the listed edges of all ranks. *fits: false if these are too many; all ranks know. *local_status:
 * this rank's own status after the last exchange. */
static bosc_status join_trees(struct filter_call *c, bosc_status *local_status, bool *fits)
{
    bosc_comm *comm = c->f->comm;
    int64_t *counts = c->f->slice->counts;
    struct bi_exchange x;
    for (int32_t r = 0; r < comm->rank_count; r++) counts[r] = c->list.count;
    bosc_status status = bi_exchange_begin(c->f->ctx, comm, *local_status, counts, &x);
    *local_status = BOSC_OK;
    if (status == BOSC_OK) *fits = (double)x.received <= MOST_GATHERED * (double)c->result->n;
    if (status == BOSC_OK && *fits) status = gather_edges(c, &x);
    if (status == BOSC_OK && *fits) *local_status = find_forest(c, &x);
    bi_exchange_end(c->f->ctx, &x);
    return status;
}

/* Joins the trees of the light edges. */
static bosc_status join_light(struct filter_call *c, bosc_status *local_status, bool *fits)
{
    BI_IF_OK(*local_status, bi_ranks_forest_list_light(c->f->ctx, c->f->slice, &c->filter, &c->list));
    return join_trees(c, local_status, fits);
}

/* Joins the trees by rounds over the listed edges. */
static bosc_status join_by_rounds(struct filter_call *c, bosc_status local_status)
{
    bosc_ctx *ctx = c->f->ctx;
    struct bi_ranks_rounds rounds = {
        .n = c->result->n, .edges = c->list, .most_edges = c->list.count, .first = c->result->first};
    BI_IF_OK(local_status, bi_ranks_forest_allocate_rounds(ctx, &rounds));
    BI_TRY(bi_ranks_forest_run_rounds(ctx, c->f->comm, c->f->slice, local_status, &rounds));
    if (rounds.found)
        BI_TRY(ctx->backend->copy(ctx, c->result->records + 2 * c->result->found, rounds.records,
                                  (size_t)rounds.found * 2 * sizeof *rounds.records));
    c->result->found += rounds.found;
    c->result->count += rounds.count;
    return c->is_labelled ? bi_ranks_forest_label_rounds(ctx, &rounds, c->labels) : BOSC_OK;
}

/* Joins the trees, which are labelled by `trees`, by heavy edges. */
static bosc_status join_heavy(struct filter_call *c, bosc_status *local_status, const uint32_t *trees)
{
    bool fits = true;
    c->filter.labels = trees;
    BI_IF_OK(*local_status, bi_ranks_forest_list_heavy(c->f->ctx, c->f->slice, &c->filter, &c->list));
    BI_TRY(join_trees(c, local_status, &fits));
    if (!fits) *local_status = join_by_rounds(c, BOSC_OK);
    return BOSC_OK;
}

/* Runs both phases. Labels of the second one are of the trees of the first. */
static bosc_status run_phases(struct filter_call *c, bool *is_done)
{
    struct bi_ranks_rounds *result = c->result;
    bosc_ctx *ctx = c->f->ctx;
    uint32_t *trees = result->next;
    const bool has_labels = c->f->labels;
    bosc_status local_status = BOSC_OK;
    BI_TRY(bi_ranks_forest_choose_threshold(ctx, c->f->comm, c->f->slice, BOSC_OK, &c->filter));
    const bool has_heavy = c->filter.has_threshold;
    c->labels = trees;
    c->is_labelled = has_labels || has_heavy;
    BI_TRY_WITH_SCRATCH(ctx, join_light(c, &local_status, is_done));
    if (*is_done && has_heavy) {
        const struct bi_ranks_forest_follow_labels follow = {trees, trees + result->n};
        c->labels = trees + result->n;
        c->is_labelled = has_labels;
        BI_TRY_WITH_SCRATCH(ctx, join_heavy(c, &local_status, trees));
        if (has_labels) BI_IF_OK(local_status, ctx->ops->ranks->steps->forest_follow_labels(ctx, result->n, &follow));
    }
    result->labels = trees;
    return bi_comm_agree(ctx, c->f->comm, local_status);
}

bosc_status bi_ranks_forest_run_filter(struct bi_ranks_forest_call *f, struct bi_ranks_rounds *result, bool *is_done)
{
    struct filter_call c = {.f = f, .result = result};
    int64_t refusals = bi_ranks_forest_has_separate_ids(f->slice);
    *is_done = false;
    if (f->comm->rank_count > MOST_RANKS || result->n == 0) return BOSC_OK;
    BI_TRY(bi_comm_sum(f->ctx, f->comm, BOSC_OK, &refusals, 1));
    return refusals ? BOSC_OK : run_phases(&c, is_done);
}
