/* The edges of a build: entries are listed as (key, id), paired if they are arcs, sorted, and parallel ones reduced.
 *
 * Pairing: forward arcs (u < v) and back arcs (u > v) are two lists with the same keys; once sorted, arc k of one
 * belongs to arc k of the other. If parallel edges of different weights are in different orders in the two directions,
 * the lists are also sorted by weight.
 *
 * Parallel edges are runs of equal keys in the sorted list, in the order of their ids. */
#include "base/bits.h"
#include "core/call.h"
#include "graph/drivers.h"
#include "graph/view.h"

/* ---- lists ---- */

static bosc_status allocate_list(struct bi_graph_build *b, struct bi_graph_edge_list *list)
{
    BI_TRY(bi_scratch_of(b->ctx, b->entries.m, sizeof *list->keys, (void **)&list->keys));
    return bi_scratch_of(b->ctx, b->entries.m, bi_graph_word_bytes(b), &list->ids);
}

static void swap_lists(struct bi_graph_build *b)
{
    struct bi_graph_edge_list edges = b->edges;
    b->edges = b->spare;
    b->spare = edges;
}

bosc_status bi_graph_clear_result(struct bi_graph_build *b, int byte)
{
    return b->ctx->backend->fill(b->ctx, b->result, byte, 64);
}

/* Selects the entries with flags[i] != 0 as a list of ids and keys. list->ids has capacity for m. */
static bosc_status select_edges(struct bi_graph_build *b, const void *all_ids, const uint8_t *flags,
                                struct bi_graph_edge_list *list)
{
    BI_TRY(b->ctx->backend->core->compact(b->ctx, bi_graph_word_bytes(b), all_ids, flags, b->entries.m, list->ids,
                                          b->result));
    BI_TRY(bi_read_back(b->ctx, &list->count, b->result, sizeof list->count));
    struct bi_graph_edge_keys keys = {b->entries, list->ids, b->is_64bit, b->bits, list->keys};
    return BI_GRAPH_STEP(b, edge_keys, list->count, &keys);
}

bosc_status bi_graph_read_order(struct bi_graph_build *b, const struct bi_graph_edge_list *list, uint32_t *found)
{
    struct bi_graph_check_order check = {list->keys, list->ids, b->is_64bit, b->bits, b->result};
    BI_TRY(bi_graph_clear_result(b, 0));
    BI_TRY(BI_GRAPH_STEP(b, check_order, list->count, &check));
    return bi_read_back(b->ctx, found, b->result, sizeof *found);
}

/* Sorts a list stably by key into another; `order` has the violations found. If larger vertices never fall, a stable
 * sort by the smaller vertex is enough. */
static bosc_status sort_by_key(struct bi_graph_build *b, const struct bi_graph_edge_list *from,
                               const struct bi_graph_edge_list *to, uint32_t order)
{
    return b->ctx->backend->core->sort_pairs(b->ctx, BOSC_U64, from->keys, bi_graph_word_bytes(b), from->ids,
                                             from->count, to->keys, to->ids, order & BI_GRAPH_LARGER_FALL ? 0 : b->bits,
                                             2 * b->bits);
}

/* Sorts the list of edges if needed; `order` has the bits of bi_graph_read_order. */
static bosc_status sort_edges(struct bi_graph_build *b, uint32_t order)
{
    if (!(order & BI_GRAPH_KEYS_FALL)) return BOSC_OK;
    b->spare.count = b->edges.count;
    BI_TRY(sort_by_key(b, &b->edges, &b->spare, order));
    swap_lists(b);
    return BOSC_OK;
}

/* ---- pairs of arcs ---- */

/* Forward arcs, back arcs and self loops, one after the other in the arrays of b->edges. Sorts move all three to the
 * arrays of b->spare, which are then swapped. */
struct arcs {
    struct bi_graph_edge_list list[BI_GRAPH_LISTS];
};

static struct bi_graph_edge_list sublist(const struct bi_graph_build *b, const struct bi_graph_edge_list *arrays,
                                         int64_t at, int64_t count)
{
    return (struct bi_graph_edge_list){arrays->keys + at, (char *)arrays->ids + (size_t)at * bi_graph_word_bytes(b),
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
    swap_lists(b);
    *arcs = *other;
}

/* Divides the entries into the three lists. */
static bosc_status split_entries(struct bi_graph_build *b, struct arcs *arcs)
{
    const bosc_graph_opts *o = &b->next->opts;
    struct bi_graph_classify classify = {
        .entries = b->entries, .both = true, .drop_loops = o->drop_loops, .drop_nan = o->nan == BOSC_GRAPH_NAN_DROP};
    for (int l = 0; l < BI_GRAPH_LISTS; l++)
        BI_TRY(bi_scratch_of(b->ctx, b->entries.m, 1, (void **)&classify.flags[l]));
    BI_TRY(b->ctx->backend->core->iota(b->ctx, bi_graph_word_bytes(b), b->spare.ids, b->entries.m));
    BI_TRY(BI_GRAPH_STEP(b, classify, b->entries.m, &classify));
    int64_t at = 0;
    for (int l = 0; l < BI_GRAPH_LISTS; l++) {
        arcs->list[l] = sublist(b, &b->edges, at, 0);
        BI_TRY(select_edges(b, b->spare.ids, classify.flags[l], &arcs->list[l]));
        at += arcs->list[l].count;
    }
    return BOSC_OK;
}

/* A list that is in order already is copied, not sorted. */
static bosc_status sort_or_copy(struct bi_graph_build *b, const struct bi_graph_edge_list *from,
                                const struct bi_graph_edge_list *to, uint32_t order)
{
    const struct bi_backend *backend = b->ctx->backend;
    if (order & BI_GRAPH_KEYS_FALL) return sort_by_key(b, from, to, order);
    if (from->count == 0) return BOSC_OK;
    BI_TRY(backend->copy(b->ctx, to->keys, from->keys, (size_t)from->count * sizeof *from->keys));
    return backend->copy(b->ctx, to->ids, from->ids, (size_t)from->count * bi_graph_word_bytes(b));
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
    size_t size = bosc_dtype_size(b->entries.dtype), word = bi_graph_word_bytes(b);
    struct bi_graph_gather_weights gather = {b->entries, list->ids, b->is_64bit, NULL};
    struct bi_graph_edge_keys keys = {b->entries, other->ids, b->is_64bit, b->bits, other->keys};
    void *sorted;
    BI_TRY(bi_scratch_of(b->ctx, count, size, &gather.out));
    BI_TRY(bi_scratch_of(b->ctx, count, size, &sorted));
    BI_TRY(BI_GRAPH_STEP(b, gather_weights, count, &gather));
    BI_TRY(b->ctx->backend->core->sort_pairs(b->ctx, size == 8 ? BOSC_U64 : BOSC_U32, gather.out, word, list->ids,
                                             count, sorted, other->ids, 0, (int)size * 8));
    BI_TRY(BI_GRAPH_STEP(b, edge_keys, count, &keys));
    return sort_by_key(b, other, list, BI_GRAPH_LARGER_FALL);
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
    uint32_t found = BI_GRAPH_WEIGHTS_DIFFER; /* of lists of different lengths: they are sorted to find the odd entry */
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
    BI_TRY(b->ctx->backend->core->merge_pairs(b->ctx, BOSC_U64, bi_graph_word_bytes(b), forward->keys, forward->ids,
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
    BI_TRY(b->ctx->backend->core->sort_pairs(b->ctx, bi_graph_word_type(b), list->ids, sizeof *list->keys, list->keys,
                                             list->count, other->ids, other->keys, 0,
                                             bi_bit_length((uint64_t)b->entries.m)));
    return sort_by_key(b, other, list, BI_GRAPH_LARGER_FALL);
}

/* Pairs the entries, which must be arcs, and fills b->edges, sorted by (key, id). */
static bosc_status pair_arcs(struct bi_graph_build *b)
{
    struct arcs arcs;
    BI_TRY(split_entries(b, &arcs));
    BI_TRY(sort_all(b, &arcs));
    BI_TRY(join_pairs(b, &arcs));
    BI_TRY(merge_loops(b, &arcs));
    return sort_ties(b);
}

/* ---- all entries ---- */

/* Lists all entries, and checks them in the same pass. */
static bosc_status list_all_entries(struct bi_graph_build *b)
{
    struct {
        int64_t bad;
        uint32_t found;
    } result = {INT64_MAX, 0};
    struct bi_graph_list_entries list = {.entries = b->entries,
                                         .check = bi_graph_checks_entries(&b->next->opts, &b->entries),
                                         .refuse_nan = b->next->opts.nan == BOSC_GRAPH_NAN_REFUSE,
                                         .is_64bit = b->is_64bit,
                                         .bits = b->bits,
                                         .keys = b->edges.keys,
                                         .ids = b->edges.ids,
                                         .bad = b->result,
                                         .found = (uint32_t *)((int64_t *)b->result + 1)};
    b->edges.count = b->entries.m;
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, &result, sizeof result));
    BI_TRY(BI_GRAPH_STEP(b, list_entries, b->entries.m, &list));
    BI_TRY(bi_read_back(b->ctx, &result, b->result, sizeof result));
    if (result.bad != INT64_MAX) return bi_graph_bad_entry(b->ctx, &b->entries, result.bad);
    b->ascending = !(result.found & BI_GRAPH_KEYS_FALL);
    return sort_edges(b, result.found);
}

/* Lists only the kept entries, if the options may drop some. */
static bosc_status list_kept_entries(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    struct bi_graph_classify classify = {
        .entries = b->entries, .drop_loops = o->drop_loops, .drop_nan = o->nan == BOSC_GRAPH_NAN_DROP};
    uint32_t order;
    BI_TRY(b->ctx->backend->core->iota(b->ctx, bi_graph_word_bytes(b), b->edges.ids, b->entries.m));
    BI_TRY(bi_scratch_of(b->ctx, b->entries.m, 1, (void **)&classify.flags[BI_GRAPH_FORWARD]));
    BI_TRY(BI_GRAPH_STEP(b, classify, b->entries.m, &classify));
    BI_TRY(select_edges(b, b->edges.ids, classify.flags[BI_GRAPH_FORWARD], &b->spare));
    swap_lists(b);
    BI_TRY(bi_graph_read_order(b, &b->edges, &order));
    return sort_edges(b, order);
}

/* Fills b->edges from the entries, checked and sorted by (key, id). */
static bosc_status list_edges(struct bi_graph_build *b)
{
    const bosc_graph_opts *o = &b->next->opts;
    if (o->arcs == BOSC_GRAPH_ARCS_ONE && !o->drop_loops && o->nan != BOSC_GRAPH_NAN_DROP) return list_all_entries(b);
    BI_TRY(bi_graph_check_entries(b->ctx, o, &b->entries));
    return o->arcs == BOSC_GRAPH_ARCS_BOTH ? pair_arcs(b) : list_kept_entries(b);
}

/* ---- parallel edges ---- */

/* Flags by position: heads of runs, edges to keep. */
struct runs {
    uint8_t *heads, *keep;
};

static bosc_status find_runs(struct bi_graph_build *b, struct runs *runs)
{
    int64_t count = b->edges.count;
    BI_TRY(bi_scratch_of(b->ctx, count, 1, (void **)&runs->heads));
    BI_TRY(bi_scratch_of(b->ctx, count, 1, (void **)&runs->keep));
    struct bi_graph_mark_heads heads = {b->edges.keys, runs->heads};
    return BI_GRAPH_STEP(b, mark_heads, count, &heads);
}

static bosc_status gather_weights(struct bi_graph_build *b, void **weights)
{
    int64_t count = b->edges.count;
    BI_TRY(bi_scratch_of(b->ctx, count, bosc_dtype_size(b->entries.dtype), weights));
    struct bi_graph_gather_weights gather = {b->entries, b->edges.ids, b->is_64bit, *weights};
    return BI_GRAPH_STEP(b, gather_weights, count, &gather);
}

/* Keeps the first of the lightest edges of each run: the last edge at which the running minimum falls. */
static bosc_status select_lightest(struct bi_graph_build *b, const struct runs *runs)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    int64_t count = b->edges.count;
    bool key_64bit = bi_graph_has_64bit_keys(b->entries.dtype);
    void *weights, *positions;
    BI_TRY(gather_weights(b, &weights));
    BI_TRY(bi_scratch_of(b->ctx, count, bi_graph_word_bytes(b), &positions));
    BI_TRY(core->scan_segmented(b->ctx, BOSC_MIN, BOSC_INCLUSIVE, key_64bit ? BOSC_U64 : BOSC_U32, weights, runs->heads,
                                count, weights));
    struct bi_graph_lowered lowered = {runs->heads, count, weights, key_64bit, b->is_64bit, positions, runs->keep};
    BI_TRY(BI_GRAPH_STEP(b, mark_lowered, count, &lowered));
    BI_TRY(core->scan(b->ctx, BOSC_MAX, BOSC_INCLUSIVE, bi_graph_word_type(b), positions, count, positions));
    if (count) BI_TRY(b->ctx->backend->fill(b->ctx, runs->keep, 0, (size_t)count));
    return BI_GRAPH_STEP(b, keep_lowest, count, &lowered);
}

/* Keeps the first edge of each run; `sums` = the run's sum of weights, at its head; other elements mean nothing. A NaN
 * sum is an error, allowed, or drops the run, as the options say. */
static bosc_status sum_runs(struct bi_graph_build *b, const struct runs *runs, void **sums)
{
    int64_t count = b->edges.count, bad[2] = {INT64_MAX, INT64_MAX};
    bosc_graph_nan nan = b->next->opts.nan;
    void *weights;
    BI_TRY(gather_weights(b, &weights));
    BI_TRY(bi_scratch_of(b->ctx, count, bosc_dtype_size(b->entries.dtype), sums));
    BI_TRY(b->ctx->backend->copy(b->ctx, b->result, bad, sizeof bad));
    /* Sum serially within each run, in order, so that float sums are reproducible. */
    struct bi_graph_sum_run sum = {.heads = runs->heads,
                                   .count = count,
                                   .weights = weights,
                                   .dtype = b->entries.dtype,
                                   .drop_nan = nan == BOSC_GRAPH_NAN_DROP,
                                   .ids = b->edges.ids,
                                   .is_64bit = b->is_64bit,
                                   .sums = *sums,
                                   .keep = runs->keep,
                                   .bad = b->result};
    BI_TRY(BI_GRAPH_STEP(b, sum_run, count, &sum));
    /* An overflow is an error, and so is a NaN unless the options allow it. */
    BI_TRY(bi_read_back(b->ctx, bad, b->result, sizeof bad));
    if (bad[0] != INT64_MAX)
        return bi_fail(b->ctx, BOSC_ERR_DATA, "weights: the sum of the edges parallel to edge %lld overflows %s",
                       (long long)bad[0], bosc_dtype_name(b->entries.dtype));
    if (bad[1] != INT64_MAX && nan == BOSC_GRAPH_NAN_REFUSE)
        return bi_fail(b->ctx, BOSC_ERR_DATA, "weights: the sum of the edges parallel to edge %lld is NaN",
                       (long long)bad[1]);
    return BOSC_OK;
}

static bosc_status compact_edges(struct bi_graph_build *b, const uint8_t *keep)
{
    const struct bi_core_ops *core = b->ctx->backend->core;
    struct bi_graph_edge_list kept = b->spare;
    int64_t count = b->edges.count;
    BI_TRY(core->compact(b->ctx, sizeof *kept.keys, b->edges.keys, keep, count, kept.keys, b->result));
    BI_TRY(core->compact(b->ctx, bi_graph_word_bytes(b), b->edges.ids, keep, count, kept.ids, b->result));
    BI_TRY(bi_read_back(b->ctx, &kept.count, b->result, sizeof kept.count));
    b->spare = b->edges;
    b->edges = kept;
    return BOSC_OK;
}

/* Reduces parallel edges to one, as the options say. */
static bosc_status drop_parallel(struct bi_graph_build *b)
{
    bosc_graph_parallel parallel = b->next->opts.parallel;
    int64_t count = b->edges.count;
    struct runs runs;
    void *sums = NULL;
    BI_TRY(find_runs(b, &runs));
    if (parallel == BOSC_GRAPH_PARALLEL_MIN) BI_TRY(select_lightest(b, &runs));
    if (parallel == BOSC_GRAPH_PARALLEL_SUM) {
        size_t size = bosc_dtype_size(b->entries.dtype);
        BI_TRY(sum_runs(b, &runs, &sums));
        BI_TRY(bi_scratch_of(b->ctx, count, size, &b->weights));
        BI_TRY(b->ctx->backend->core->compact(b->ctx, size, sums, runs.keep, count, b->weights, b->result));
    }
    return compact_edges(b, parallel == BOSC_GRAPH_PARALLEL_FIRST ? runs.heads : runs.keep);
}

bosc_status bi_graph_fill_edges(struct bi_graph_build *b)
{
    BI_TRY(allocate_list(b, &b->edges));
    BI_TRY(allocate_list(b, &b->spare));
    BI_TRY(list_edges(b));
    return b->next->opts.parallel != BOSC_GRAPH_PARALLEL_KEEP ? drop_parallel(b) : BOSC_OK;
}
