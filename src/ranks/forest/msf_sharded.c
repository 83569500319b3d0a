/* Minimum spanning forests over ranks with distributed vertices: rounds, then the chosen edges return to the ranks
 * that have them, are cut to the requested number of trees, summed and labelled. */
#include "ranks/forest/sharded.h"

#include "core/call.h"
#include "ranks/exchange/route.h"

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
static bosc_status rerun_rounds(struct bi_ranks_forest_call *f, struct bi_ranks_sharded *s)
{
    struct bi_ranks_forest_word *words;
    struct bi_ranks_forest_filter filter = {.words = NULL};
    bosc_status local_status = bi_ranks_forest_index(f->ctx, f->slice, f->ids, f->count, &words);
    filter.words = words;
    BI_IF_OK(local_status, bi_ranks_forest_list_edges(f->ctx, f->slice, &filter, &s->edges));
    return bi_ranks_sharded_run_rounds(s, local_status);
}

/* Labels the vertices by the tree of rounds; after a cut that tree is not the forest's. */
static bosc_status label_trees(struct bi_ranks_forest_call *f, struct bi_ranks_sharded *s)
{
    bosc_status local_status = BOSC_OK;
    if (f->is_cut) BI_TRY(rerun_rounds(f, s));
    if (f->labels) local_status = bi_scratch_of(f->ctx, f->slice->view.n, sizeof *f->tree_of, &f->tree_of);
    BI_RETURN_WITH_SCRATCH(f->ctx, label_vertices(s, local_status, f->tree_of));
}

/* ---- the forest ---- */

bosc_status bi_ranks_sharded_compute(struct bi_ranks_forest_call *f)
{
    struct bi_ranks_sharded s = {.ctx = f->ctx,
                                 .comm = f->comm,
                                 .slice = f->slice,
                                 .steps = f->ctx->ops->ranks->steps,
                                 .core = f->ctx->backend->core};
    uint64_t *records = NULL;
    int64_t count = 0;
    BI_TRY(bi_ranks_forest_share_requests(f, bi_ranks_sharded_list_edges(&s)));
    s.labels = f->requests & BI_RANKS_REQUEST_LABELS;
    BI_TRY(bi_ranks_sharded_run_rounds(&s, BOSC_OK));
    f->info.rounds = s.rounds + s.replicated_rounds;
    if (f->components_only)
        count = s.found_count;
    else
        BI_TRY(bi_ranks_sharded_return_edges(&s, &records, &count));
    BI_TRY(bi_ranks_forest_finish(f, records, true, count));
    return s.labels ? label_trees(f, &s) : BOSC_OK;
}
