/* Pairs the two arcs of each edge if entries are arcs. Forward arcs (u < v) and back arcs (u > v) are two lists with
 * the same keys; once sorted, arc k of one belongs to arc k of the other. If parallel edges of different weights are
 * in different orders in the two directions, the lists are also sorted by weight. */
#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"

/* Forward arcs, back arcs and self loops, one after the other in the arrays of b->edges. Sorts move all three to the
 * arrays of b->spare, which are then swapped. */
struct arcs {
    struct bi_graph_edge_list list[BI_GRAPH_LISTS];
};

static struct bi_graph_edge_list sublist(const struct bi_graph_build *b, const struct bi_graph_edge_list *arrays,
                                         int64_t at, int64_t count)
{
    return (struct bi_graph_edge_list){arrays->keys + at, (char *)arrays->ids + (size_t)at * (b->is_64bit ? 8 : 4),
                                       count};
}

/* The same sublists of b->spare. */
static void spare_sublists(const struct bi_graph_build *b, const struct arcs *arcs, struct arcs *other)
{
    int64_t at = 0;
    for (int l = 0; l < BI_GRAPH_LISTS; l++) {
        other->list[l] = sublist(b, &b->spare, at, arcs->list[l].count);
        at += arcs->list[l].count;
    }
}

/* Swaps the arrays after all lists were written to b->spare. */
static void swap_buffers(struct bi_graph_build *b, struct arcs *arcs, const struct arcs *other)
{
    struct bi_graph_edge_list arrays = b->edges;
    b->edges = b->spare;
    b->spare = arrays;
    *arcs = *other;
}

/* Divides the entries into the three lists. */
static bosc_status split_entries(struct bi_graph_build *b, struct arcs *arcs)
{
    const bosc_graph_opts *o = &b->next->opts;
    struct bi_graph_iota iota = {b->spare.ids, b->is_64bit};
    struct bi_graph_classify classify = {
        .entries = b->entries, .both = true, .drop_loops = o->drop_loops, .drop_nan = o->nan == BOSC_GRAPH_NAN_DROP};
    for (int l = 0; l < BI_GRAPH_LISTS; l++)
        BI_TRY(bi_scratch_of(b->ctx, b->entries.m, 1, (void **)&classify.flags[l]));
    BI_TRY(BI_GRAPH_STEP(b, iota, b->entries.m, &iota));
    BI_TRY(BI_GRAPH_STEP(b, classify, b->entries.m, &classify));
    int64_t at = 0;
    for (int l = 0; l < BI_GRAPH_LISTS; l++) {
        arcs->list[l] = sublist(b, &b->edges, at, 0);
        BI_TRY(bi_graph_select_edges(b, iota.ids, classify.flags[l], &arcs->list[l]));
        at += arcs->list[l].count;
    }
    return BOSC_OK;
}

/* A list that is in order already is copied, not sorted. */
static bosc_status sort_or_copy(struct bi_graph_build *b, const struct bi_graph_edge_list *from,
                                const struct bi_graph_edge_list *to, uint32_t order)
{
    const struct bi_backend *backend = b->ctx->backend;
    if (order & BI_GRAPH_KEYS_FALL) return bi_graph_sort_by_key(b, from, to, order);
    if (from->count == 0) return BOSC_OK;
    BI_TRY(backend->copy(b->ctx, to->keys, from->keys, (size_t)from->count * sizeof *from->keys));
    return backend->copy(b->ctx, to->ids, from->ids, (size_t)from->count * (b->is_64bit ? 8 : 4));
}

static bosc_status sort_all(struct bi_graph_build *b, struct arcs *arcs)
{
    struct arcs other;
    uint32_t all = 0, order[BI_GRAPH_LISTS];
    for (int l = 0; l < BI_GRAPH_LISTS; l++) {
        BI_TRY(bi_graph_read_order(b, &arcs->list[l], &order[l]));
        all |= order[l];
    }
    if (!(all & BI_GRAPH_KEYS_FALL)) return BOSC_OK;
    spare_sublists(b, arcs, &other);
    for (int l = 0; l < BI_GRAPH_LISTS; l++) BI_TRY(sort_or_copy(b, &arcs->list[l], &other.list[l], order[l]));
    swap_buffers(b, arcs, &other);
    return BOSC_OK;
}

/* Sorts a list by (key, weight, id), given (key, id): by weight, then stably by key. */
static bosc_status sort_by_weight(struct bi_graph_build *b, struct bi_graph_edge_list *list,
                                  struct bi_graph_edge_list *other)
{
    int64_t count = list->count;
    size_t size = bosc_dtype_size(b->entries.dtype), word = b->is_64bit ? 8 : 4;
    struct bi_graph_gather_weights gather = {b->entries, list->ids, b->is_64bit, NULL};
    struct bi_graph_edge_keys keys = {b->entries, other->ids, b->is_64bit, b->bits, other->keys};
    void *sorted;
    BI_TRY(bi_scratch_of(b->ctx, count, size, &gather.out));
    BI_TRY(bi_scratch_of(b->ctx, count, size, &sorted));
    BI_TRY(BI_GRAPH_STEP(b, gather_weights, count, &gather));
    BI_TRY(b->ctx->backend->core->sort_pairs(b->ctx, size == 8 ? BOSC_U64 : BOSC_U32, gather.out, word, list->ids,
                                             count, sorted, other->ids, 0, (int)size * 8));
    BI_TRY(BI_GRAPH_STEP(b, edge_keys, count, &keys));
    return bi_graph_sort_by_key(b, other, list, BI_GRAPH_LARGER_FALL);
}

static bosc_status sort_pairs_by_weight(struct bi_graph_build *b, struct arcs *arcs)
{
    struct arcs other;
    spare_sublists(b, arcs, &other);
    for (int l = BI_GRAPH_FORWARD; l <= BI_GRAPH_BACK; l++)
        BI_TRY_WITH_SCRATCH(b->ctx, sort_by_weight(b, &arcs->list[l], &other.list[l]));
    return BOSC_OK;
}

static bosc_status compare_pairs(struct bi_graph_build *b, const struct bi_graph_pairs *pairs, uint32_t *found)
{
    BI_TRY(bi_graph_clear_result(b, 0));
    BI_TRY(BI_GRAPH_STEP(b, compare_pairs, pairs->list[0].count, pairs));
    return bi_read_back(b->ctx, found, b->result, sizeof *found);
}

/* Fails with the smallest entry that has no partner. */
static bosc_status report_unpaired(struct bi_graph_build *b, const struct bi_graph_pairs *pairs)
{
    int64_t bad = INT64_MAX;
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, &bad, sizeof bad));
    BI_TRY(BI_GRAPH_STEP(b, find_unpaired, pairs->list[0].count + pairs->list[1].count, pairs));
    BI_TRY(bi_read_back(b->ctx, &bad, b->result, sizeof bad));
    return bi_fail(b->ctx, BOSC_ERR_DATA, "entry %lld has no partner the other way of the same weight", (long long)bad);
}

static struct bi_graph_pairs pairs_of(const struct bi_graph_build *b, const struct arcs *arcs)
{
    struct bi_graph_pairs pairs = {
        .entries = b->entries, .is_64bit = b->is_64bit, .found = b->result, .bad = b->result};
    for (int l = BI_GRAPH_FORWARD; l <= BI_GRAPH_BACK; l++)
        pairs.list[l] = (struct bi_graph_arc_list){arcs->list[l].keys, arcs->list[l].ids, arcs->list[l].count};
    pairs.out = arcs->list[BI_GRAPH_FORWARD].ids;
    return pairs;
}

/* Checks that the lists pair up, sorting by weight if needed, and gives each forward arc the edge's id: the smaller of
 * the two. With assume_valid surplus forward arcs are dropped and differences ignored. */
static bosc_status join_pairs(struct bi_graph_build *b, struct arcs *arcs)
{
    struct bi_graph_edge_list *forward = &arcs->list[BI_GRAPH_FORWARD], *back = &arcs->list[BI_GRAPH_BACK];
    bool valid = b->next->opts.assume_valid;
    uint32_t found = BI_GRAPH_WEIGHTS_DIFFER;
    if (valid && forward->count > back->count) forward->count = back->count;
    struct bi_graph_pairs pairs = pairs_of(b, arcs);
    if (valid || forward->count == back->count) BI_TRY(compare_pairs(b, &pairs, &found));
    if (found) {
        BI_TRY(sort_pairs_by_weight(b, arcs));
        if (!valid && forward->count != back->count) return report_unpaired(b, &pairs);
        BI_TRY(compare_pairs(b, &pairs, &found));
        if (!valid && found) return report_unpaired(b, &pairs);
    }
    return BI_GRAPH_STEP(b, pair_ids, forward->count, &pairs);
}

/* b->edges = the forward arcs merged with the self loops. */
static bosc_status merge_loops(struct bi_graph_build *b, const struct arcs *arcs)
{
    const struct bi_graph_edge_list *forward = &arcs->list[BI_GRAPH_FORWARD], *loops = &arcs->list[BI_GRAPH_LOOPS];
    b->edges.count = forward->count + loops->count;
    if (loops->count == 0) return BOSC_OK;
    struct bi_graph_edge_list joined = b->spare;
    BI_TRY(b->ctx->backend->core->merge_pairs(b->ctx, BOSC_U64, b->is_64bit ? 8 : 4, forward->keys, forward->ids,
                                              forward->count, loops->keys, loops->ids, loops->count, joined.keys,
                                              joined.ids));
    joined.count = b->edges.count;
    b->spare = b->edges;
    b->edges = joined;
    return BOSC_OK;
}

/* Sorts parallel edges by id again: the smaller id of a pair may be the back arc's. */
static bosc_status sort_ties(struct bi_graph_build *b)
{
    uint32_t found;
    struct bi_graph_edge_list *list = &b->edges, *other = &b->spare;
    BI_TRY(bi_graph_read_order(b, list, &found));
    if (!(found & BI_GRAPH_TIES_FALL)) return BOSC_OK;
    other->count = list->count;
    BI_TRY(b->ctx->backend->core->sort_pairs(b->ctx, b->is_64bit ? BOSC_U64 : BOSC_U32, list->ids, sizeof *list->keys,
                                             list->keys, list->count, other->ids, other->keys, 0,
                                             bi_bit_length((uint64_t)b->entries.m)));
    return bi_graph_sort_by_key(b, other, list, BI_GRAPH_LARGER_FALL);
}

bosc_status bi_graph_pair_arcs(struct bi_graph_build *b)
{
    struct arcs arcs;
    BI_TRY(split_entries(b, &arcs));
    BI_TRY(sort_all(b, &arcs));
    BI_TRY(join_pairs(b, &arcs));
    BI_TRY(merge_loops(b, &arcs));
    return sort_ties(b);
}
