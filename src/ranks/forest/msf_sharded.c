/* Minimum spanning forests over ranks with distributed vertices: rounds, then the chosen edges return to the ranks
 * that have them, are cut to the requested number of trees, summed and labelled. */
#include "ranks/forest/sharded.h"

#include <boscage/ranks/prims.h>

#include "core/call.h"
#include "ranks/exchange/route.h"
#include "ranks/prims/sort.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

bool bi_ranks_forest_is_sharded(const struct bi_ranks_forest_slice *slice, int64_t bytes)
{
    const int64_t limit = slice->opts.replicated_bytes;
    return limit > 0 && slice->view.n > limit / bytes;
}

/* ---- the chosen edges ---- */

/* Finds the ranks that have the edges of this rank's records. */
static bosc_status find_owners(const struct bi_ranks_sharded *s, uint32_t **owners)
{
    const size_t bytes = (size_t)(s->comm->rank_count + 1) * sizeof *s->slice->entry_begins;
    int64_t *entry_begins;
    BI_TRY(bi_scratch(s->ctx, bytes, (void **)&entry_begins));
    BI_TRY(bi_scratch_of(s->ctx, s->found_count, sizeof **owners, owners));
    BI_TRY(s->ctx->backend->copy(s->ctx, entry_begins, s->slice->entry_begins, bytes));
    const struct bi_ranks_sharded_edge_owner step = {s->found, entry_begins, s->comm->rank_count, *owners};
    return s->steps->sharded_edge_owner(s->ctx, s->found_count, &step);
}

/* Lists ids and keys of records, ascending by id. */
static bosc_status sort_received(const struct bi_ranks_sharded *s, const struct bi_msf_rows *rows,
                                 const uint64_t *records, int64_t count, struct bi_msf_found *found)
{
    struct bi_ranks_forest_list_weights list = {rows->order, records, true, rows->keys_64bit, NULL, NULL};
    BI_TRY(bi_scratch_of(s->ctx, count, sizeof *list.ids, &list.ids));
    BI_TRY(bi_scratch_of(s->ctx, count, rows->keys_64bit ? 8 : 4, &list.keys));
    BI_TRY(s->steps->forest_list_weights(s->ctx, count, &list));
    *found = (struct bi_msf_found){.count = count, .ids = list.ids, .keys = list.keys};
    return bi_msf_sort_found(s->ctx, rows, found);
}

bosc_status bi_ranks_sharded_return_edges(const struct bi_ranks_sharded *s, uint64_t **records, int64_t *count)
{
    struct bi_ranks_route route;
    uint32_t *owners = NULL;
    void *received = NULL;
    bosc_status local_status = find_owners(s, &owners);
    bosc_status status = bi_ranks_route_to_owners(s->ctx, s->comm, local_status, owners, s->found_count, &route);
    BI_IF_OK(status, bi_ranks_route_items(s->ctx, s->comm, BOSC_OK, &route, 3 * sizeof *s->found, s->found, &received));
    *records = received;
    *count = route.x.received;
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* Returns the chosen edges to their ranks, as ids and keys ascending by id. */
static bosc_status return_edges(const struct bi_ranks_sharded *s, const struct bi_msf_rows *rows,
                                struct bi_msf_found *found)
{
    uint64_t *records;
    int64_t count;
    BI_TRY(bi_ranks_sharded_return_edges(s, &records, &count));
    return bi_comm_agree(s->ctx, s->comm, sort_received(s, rows, records, count, found));
}

/* ---- a cut to the requested number of trees ---- */

/* Sorts the weights' ranks of this rank's edges. */
static bosc_status sort_ranks(bosc_ctx *ctx, const struct bi_msf_rows *rows, const struct bi_msf_found *found,
                              void **sorted)
{
    const size_t size = rows->keys_64bit ? 8 : 4;
    void *ranks;
    BI_TRY(bi_scratch_of(ctx, found->count, size, sorted));
    BI_TRY(bi_scratch_of(ctx, found->count, size, &ranks));
    const struct bi_msf_ranks rank = {rows->order, found->keys, ranks, rows->keys_64bit};
    if (found->count == 0) return BOSC_OK;
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, found->count, &rank));
    return ctx->backend->core->sort_keys(ctx, rows->keys_64bit ? BOSC_U64 : BOSC_U32, ranks, found->count, *sorted, 0,
                                         (int)(8 * size));
}

/* *count: number of this rank's edges among the `limit` lightest of all `all`. Ids ascend over the ranks, so of equal
 * weights those of lower ranks come first. */
static bosc_status count_lightest(const struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows,
                                  const struct bi_msf_found *found, int64_t limit, int64_t all, int64_t *count)
{
    int64_t *offsets = f->slice->sent_offsets, *splitters = f->slice->received_offsets; /* as buffers */
    const int32_t ranks = f->comm->rank_count;
    const struct bi_ranks_slices slices = {f->comm->rank, ranks, offsets, NULL, all};
    void *sorted = NULL;
    /* The splitter between ranks 0 and 1 is at `limit`; the others do not matter. */
    for (int32_t r = 0; r <= ranks; r++) offsets[r] = r == 0 ? 0 : r < ranks ? limit : all;
    const bosc_status local_status = sort_ranks(f->ctx, rows, found, &sorted);
    BI_TRY(bi_ranks_find_splitters(f->ctx, f->comm, local_status, &slices, rows->keys_64bit ? BOSC_U64 : BOSC_U32,
                                   sorted, found->count, splitters));
    *count = splitters[1];
    return BOSC_OK;
}

/* Keeps only the lightest edges if more trees are requested; f->is_cut is then true. all: number of edges found
 * here. */
static bosc_status cut_forest(struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows, int64_t all,
                              struct bi_msf_found *found)
{
    const int64_t trees = f->components_only ? 0 : f->slice->opts.trees;
    int64_t present = 0, count = 0;
    bosc_status local_status = BOSC_OK;
    BI_WITH_SCRATCH(f->ctx, local_status = bi_msf_count_roots(f->ctx, rows, NULL, &present));
    BI_TRY(bi_comm_sum(f->ctx, f->comm, local_status, &all, 1));
    const int64_t limit = present < trees ? 0 : present - trees;
    f->is_cut = trees > 0 && all > limit;
    if (f->is_cut) {
        BI_TRY_WITH_SCRATCH(f->ctx, count_lightest(f, rows, found, limit, all, &count));
        if (found->count) local_status = bi_msf_select_lightest(f->ctx, rows, count, found);
        BI_IF_OK(local_status, bi_msf_sort_found(f->ctx, rows, found));
    }
    f->info.edges = f->is_cut ? limit : all;
    f->info.trees = present - f->info.edges;
    return bi_comm_agree(f->ctx, f->comm, local_status);
}

/* ---- sums ---- */

static bosc_status sum_integers(struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows,
                                const struct bi_msf_found *found)
{
    const uint64_t *all = f->comm->gather;
    uint128 sum = 0;
    BI_TRY(bi_comm_agree(f->ctx, f->comm, bi_msf_sum(f->ctx, &f->slice->view, rows, found, &f->info)));
    const uint64_t own[2] = {f->info.weight_low, (uint64_t)f->info.weight_high};
    BI_TRY(bi_comm_all_gather(f->ctx, f->comm, own, sizeof own, f->comm->gather));
    for (int64_t r = 0; r < f->comm->rank_count; r++) sum += (uint128)all[2 * r + 1] << 64 | all[2 * r];
    f->info.weight_low = (uint64_t)sum;
    f->info.weight_high = (int64_t)(uint64_t)(sum >> 64);
    f->info.weight = (double)(int128)sum;
    return BOSC_OK;
}

/* Sums along the tree of one context, since ids ascend over the ranks. */
static bosc_status sum_floats(struct bi_ranks_sharded_forest *f, const struct bi_msf_found *found)
{
    struct bi_msf_doubles weights = {found->keys, f->slice->view.weight, NULL};
    bosc_status local_status = bi_scratch_of(f->ctx, found->count, sizeof(double), (void **)&weights.out);
    if (local_status == BOSC_OK && found->count)
        local_status = f->ctx->ops->forest->steps->msf_doubles(f->ctx, found->count, &weights);
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    return bosc_ranks_reduce(f->ctx, f->comm, BOSC_SUM, BOSC_F64, weights.out, found->count, &f->info.weight);
}

static bosc_status sum_weights(struct bi_ranks_sharded_forest *f, const struct bi_msf_rows *rows,
                               const struct bi_msf_found *found)
{
    const bosc_dtype type = f->slice->view.weight;
    return type == BOSC_F32 || type == BOSC_F64 ? sum_floats(f, found) : sum_integers(f, rows, found);
}

/* ---- labels ----
 *
 * The smallest vertex of each component ascends the tree of rounds; the labels of whole trees descend. */

static struct bi_ranks_sharded_labels label_step(const struct bi_ranks_sharded *s, int32_t level)
{
    return (struct bi_ranks_sharded_labels){.next = s->next + s->levels[level].at,
                                            .smallest = s->smallest + s->levels[level].at,
                                            .each = s->levels[level + 1].each,
                                            .rank = (uint32_t)s->comm->rank};
}

/* Packs the smallest vertex of each component for the owner of its component in the next round. */
static bosc_status pack_smallest(const struct bi_ranks_sharded *s, int32_t level,
                                 struct bi_ranks_sharded_labels *labels)
{
    const int64_t own = s->levels[level].own;
    BI_TRY(bi_scratch_of(s->ctx, own, sizeof *labels->items, &labels->items));
    BI_TRY(bi_scratch_of(s->ctx, own, sizeof *labels->owners, &labels->owners));
    return s->steps->sharded_send_smallest(s->ctx, own, labels);
}

/* On the owner: s->smallest of a level = the minima of the items received for it. */
static bosc_status reduce_smallest(const struct bi_ranks_sharded *s, int32_t level, const uint64_t *items,
                                   int64_t count)
{
    const struct bi_ranks_sharded_level *to = &s->levels[level];
    const struct bi_ranks_sharded_min_vertex reduce = {items, to->first, s->smallest + to->at};
    if (to->own == 0) return BOSC_OK;
    BI_TRY(s->ctx->backend->fill(s->ctx, reduce.smallest, 0xff, (size_t)to->own * sizeof *reduce.smallest));
    return s->steps->sharded_min_vertex(s->ctx, count, &reduce);
}

/* The smallest vertices of a level become those of the level above. */
static bosc_status ascend_level(const struct bi_ranks_sharded *s, int32_t level, bosc_status *local_status)
{
    struct bi_ranks_sharded_labels labels = label_step(s, level);
    struct bi_ranks_route route;
    void *items;
    BI_IF_OK(*local_status, pack_smallest(s, level, &labels));
    bosc_status status =
        bi_ranks_route_to_owners(s->ctx, s->comm, *local_status, labels.owners, s->levels[level].own, &route);
    BI_IF_OK(status,
             bi_ranks_route_items(s->ctx, s->comm, BOSC_OK, &route, sizeof *labels.items, labels.items, &items));
    if (status == BOSC_OK) *local_status = reduce_smallest(s, level + 1, items, route.x.received);
    bi_ranks_route_end(s->ctx, &route);
    return status;
}

/* A component gets the label of its component in the level above; a whole tree keeps its own. */
static bosc_status descend_level(const struct bi_ranks_sharded *s, int32_t level, bosc_status *local_status)
{
    struct bi_ranks_sharded_labels labels = label_step(s, level);
    const struct bi_ranks_sharded_level *above = &s->levels[level + 1];
    const int64_t own = s->levels[level].own;
    uint32_t *answers = NULL;
    BI_IF_OK(*local_status, bi_scratch_of(s->ctx, own, sizeof *answers, &answers));
    labels.answers = answers;
    BI_TRY(bi_ranks_sharded_query(s, local_status, above, labels.next, own, s->smallest + above->at, sizeof *answers,
                                  answers));
    BI_IF_OK(*local_status, s->steps->sharded_label(s->ctx, own, &labels));
    return BOSC_OK;
}

/* Copies this rank's labels once for each request. */
static bosc_status copy_per_request(const struct bi_ranks_sharded *s, const struct bi_exchange *x, uint32_t **copies)
{
    const int64_t own = s->levels[0].own;
    BI_TRY(bi_scratch_of(s->ctx, x->sent, sizeof **copies, copies));
    for (int64_t at = 0; at < x->sent; at += own)
        BI_TRY(s->ctx->backend->copy(s->ctx, *copies + at, s->smallest, (size_t)own * sizeof **copies));
    return BOSC_OK;
}

/* Sends this rank's labels to the ranks that request them. */
static bosc_status gather_labels(const struct bi_ranks_sharded *s, bosc_status local_status, uint32_t *labels)
{
    struct bi_exchange x;
    uint32_t *copies = NULL;
    int64_t *counts = s->slice->counts;
    for (int32_t r = 0; r < s->comm->rank_count; r++)
        counts[r] = s->slice->requests[r] & BI_RANKS_REQUEST_LABELS ? s->levels[0].own : 0;
    bosc_status status = bi_exchange_begin(s->ctx, s->comm, local_status, counts, &x);
    if (status == BOSC_OK) {
        local_status = copy_per_request(s, &x, &copies);
        status = bi_exchange_items(s->ctx, s->comm, local_status, &x, sizeof *labels, copies, labels);
    }
    bi_exchange_end(s->ctx, &x);
    return status;
}

/* Writes the labels of all vertices (n) on the ranks that request them, after all rounds with s->labels set. */
static bosc_status label_vertices(const struct bi_ranks_sharded *s, bosc_status local_status, uint32_t *labels)
{
    const struct bi_ranks_number_from vertices = {(uint32_t)s->levels[0].first, s->smallest};
    BI_IF_OK(local_status, s->steps->number_from(s->ctx, s->levels[0].own, &vertices));
    for (int32_t level = 0; level < s->rounds; level++)
        BI_TRY_WITH_SCRATCH(s->ctx, ascend_level(s, level, &local_status));
    for (int32_t level = s->rounds - 1; level >= 0; level--)
        BI_TRY_WITH_SCRATCH(s->ctx, descend_level(s, level, &local_status));
    return gather_labels(s, local_status, labels);
}

/* Reruns the rounds over the remaining edges, for their labels alone. */
static bosc_status rerun_rounds(struct bi_ranks_sharded_forest *f, struct bi_ranks_sharded *s)
{
    struct bi_ranks_forest_word *words;
    struct bi_ranks_forest_filter filter = {.words = NULL};
    bosc_status local_status = bi_ranks_forest_index(f->ctx, f->slice, f->ids, f->count, &words);
    filter.words = words;
    BI_IF_OK(local_status, bi_ranks_forest_list_edges(f->ctx, f->slice, &filter, &s->edges));
    return bi_ranks_sharded_run_rounds(s, local_status);
}

/* Labels the vertices by the tree of rounds; after a cut that tree is not the forest's. */
static bosc_status label_trees(struct bi_ranks_sharded_forest *f, struct bi_ranks_sharded *s)
{
    bosc_status local_status = BOSC_OK;
    if (f->is_cut) BI_TRY(rerun_rounds(f, s));
    if (f->labels) local_status = bi_scratch_of(f->ctx, f->slice->view.n, sizeof *f->tree_of, &f->tree_of);
    BI_RETURN_WITH_SCRATCH(f->ctx, label_vertices(s, local_status, f->tree_of));
}

/* ---- the forest ---- */

/* Gathers the requests of all ranks, bits of BI_RANKS_REQUEST_*, in f->slice->requests. *any: the union. */
static bosc_status gather_requests(const struct bi_ranks_sharded_forest *f, bosc_status local_status, int64_t *any)
{
    int64_t *requests = f->slice->requests;
    const int64_t own = (f->labels ? BI_RANKS_REQUEST_LABELS : 0) | (f->sum ? BI_RANKS_REQUEST_SUM : 0);
    BI_TRY(bi_comm_agree(f->ctx, f->comm, local_status));
    BI_TRY(bi_comm_all_gather(f->ctx, f->comm, &own, sizeof own, requests));
    *any = 0;
    for (int32_t r = 0; r < f->comm->rank_count; r++) *any |= requests[r];
    return BOSC_OK;
}

bosc_status bi_ranks_sharded_compute(struct bi_ranks_sharded_forest *f)
{
    struct bi_ranks_sharded s = {.ctx = f->ctx,
                                 .comm = f->comm,
                                 .slice = f->slice,
                                 .steps = f->ctx->ops->ranks->steps,
                                 .core = f->ctx->backend->core};
    struct bi_msf_rows rows = f->slice->rows;
    struct bi_msf_found found = {0};
    int64_t requests;
    bosc_status local_status = bi_ranks_sharded_list_edges(&s);
    rows.is_64bit = true; /* ids over all ranks have 64 bits */
    BI_TRY(gather_requests(f, local_status, &requests));
    s.labels = requests & BI_RANKS_REQUEST_LABELS;
    BI_TRY(bi_ranks_sharded_run_rounds(&s, BOSC_OK));
    f->info.rounds = s.rounds + s.replicated_rounds;
    /* The edges on their own ranks: a cut to the number of trees, the sum of the weights, the labels. */
    if (!f->components_only) BI_TRY(return_edges(&s, &rows, &found));
    BI_TRY(cut_forest(f, &rows, s.found_count, &found));
    f->ids = found.ids;
    f->count = found.count;
    if (requests & BI_RANKS_REQUEST_SUM) BI_TRY(sum_weights(f, &rows, &found));
    return s.labels ? label_trees(f, &s) : BOSC_OK;
}
