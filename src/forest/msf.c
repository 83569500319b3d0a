/* Minimum spanning forests: stages the arguments, chooses the algorithm, selects, sorts and sums the edges of the found
 * forest, and writes the caller's outputs. */
#include <string.h>

#include "base/bits.h"
#include "core/call.h"
#include "forest/drivers.h"

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

static bool is_float(bosc_dtype t) { return t == BOSC_F32 || t == BOSC_F64; }

/* ---- edges of a found forest ---- */

bosc_status bi_msf_sort_found(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_found *found)
{
    if (found->ascending || found->count == 0) return BOSC_OK;
    void *ids, *keys = NULL;
    BI_TRY(bi_scratch_of(ctx, found->count, bi_msf_word_bytes(rows->is_64bit), &ids));
    if (found->keys) BI_TRY(bi_scratch_of(ctx, found->count, bi_msf_word_bytes(rows->keys_64bit), &keys));
    int bits = rows->is_64bit ? 64 : 32;
    if (keys)
        BI_TRY(ctx->backend->core->sort_pairs(ctx, bi_msf_word_type(rows->is_64bit), found->ids,
                                              bi_msf_word_bytes(rows->keys_64bit), found->keys, found->count, ids, keys,
                                              0, bits));
    else
        BI_TRY(ctx->backend->core->sort_keys(ctx, bi_msf_word_type(rows->is_64bit), found->ids, found->count, ids, 0,
                                             bits));
    found->ids = ids;
    found->keys = keys;
    found->ascending = true;
    return BOSC_OK;
}

/* Sorting by id and then stably by rank gives the order (rank, id). */
bosc_status bi_msf_select_lightest(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t count,
                                   struct bi_msf_found *found)
{
    void *ids, *keys, *ranks;
    int64_t all = found->count;
    BI_TRY(bi_msf_sort_found(ctx, rows, found));
    BI_TRY(bi_scratch_of(ctx, all, bi_msf_word_bytes(rows->is_64bit), &ids));
    BI_TRY(bi_scratch_of(ctx, all, bi_msf_word_bytes(rows->keys_64bit), &keys));
    BI_TRY(bi_scratch_of(ctx, all, bi_msf_word_bytes(rows->keys_64bit), &ranks));
    struct bi_msf_ranks rank = {rows->order, found->keys, ranks, rows->keys_64bit};
    struct bi_msf_ranks unrank = {rows->order, keys, ranks, rows->keys_64bit};
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, all, &rank));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, bi_msf_word_type(rows->keys_64bit), ranks,
                                          bi_msf_word_bytes(rows->is_64bit), found->ids, all, keys, ids, 0,
                                          rows->keys_64bit ? 64 : 32));
    BI_TRY(ctx->ops->forest->steps->msf_ranks(ctx, count, &unrank));
    *found = (struct bi_msf_found){.count = count, .ids = ids, .keys = ranks};
    return BOSC_OK;
}

/* The sums of the keys' low and high 32 bits; neither overflows 64 bits. */
static bosc_status sum_halves(bosc_ctx *ctx, const struct bi_msf_rows *rows, const struct bi_msf_found *found,
                              uint64_t sums[2])
{
    struct bi_msf_split_keys halves = {.keys = found->keys, .is_64bit = rows->keys_64bit};
    void *results;
    BI_TRY(bi_scratch_of(ctx, found->count, sizeof(uint64_t), (void **)&halves.low));
    if (rows->keys_64bit) BI_TRY(bi_scratch_of(ctx, found->count, sizeof(uint64_t), (void **)&halves.high));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof(uint64_t), &results));
    BI_TRY(ctx->ops->forest->steps->msf_split_keys(ctx, found->count, &halves));
    BI_TRY(ctx->backend->fill(ctx, results, 0, 2 * sizeof(uint64_t)));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, halves.low, found->count, results));
    if (halves.high)
        BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_U64, halves.high, found->count, (uint64_t *)results + 1));
    return bi_read_back(ctx, sums, results, 2 * sizeof(uint64_t));
}

/* The exact sum as a 128-bit integer. */
static bosc_status sum_integers(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                                const struct bi_msf_found *found, bosc_msf_info *info)
{
    uint64_t sums[2] = {found->low, found->high};
    if (!found->summed) BI_TRY(sum_halves(ctx, rows, found, sums));
    uint128 sum = ((uint128)sums[1] << 32) + sums[0];
    /* Keys of signed types are weights plus 2^31 or 2^63. */
    if (graph->weight == BOSC_I32) sum -= (uint128)found->count << 31;
    if (graph->weight == BOSC_I64) sum -= (uint128)found->count << 63;
    info->weight_low = (uint64_t)sum;
    info->weight_high = (int64_t)(uint64_t)(sum >> 64);
    info->weight = (double)(int128)sum;
    return BOSC_OK;
}

static bosc_status sum_floats(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_found *found,
                              bosc_msf_info *info)
{
    struct bi_msf_doubles weights = {found->keys, graph->weight, NULL};
    void *result;
    BI_TRY(bi_scratch_of(ctx, found->count, sizeof(double), (void **)&weights.out));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof(double), &result));
    BI_TRY(ctx->ops->forest->steps->msf_doubles(ctx, found->count, &weights));
    BI_TRY(ctx->backend->core->reduce(ctx, BOSC_SUM, BOSC_F64, weights.out, found->count, result));
    return bi_read_back(ctx, &info->weight, result, sizeof info->weight);
}

bosc_status bi_msf_sum(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                       const struct bi_msf_found *found, bosc_msf_info *info)
{
    if (found->count == 0) return BOSC_OK;
    if (is_float(graph->weight)) return sum_floats(ctx, graph, found, info);
    return sum_integers(ctx, graph, rows, found, info);
}

/* ---- forests ---- */

/* Lists the arcs that count in ends[0] and positions[0] of *rounds; also allocates the second buffers. */
static bosc_status list_rows(bosc_ctx *ctx, const struct bi_msf_rows *rows, struct bi_msf_rounds *rounds)
{
    const struct bi_core_ops *core = ctx->backend->core;
    size_t size = bi_msf_word_bytes(rows->is_64bit);
    struct bi_msf_list_arcs list = {.rows = *rows, .shift = bi_bit_length((uint64_t)rows->n)};
    void *count;
    for (int k = 0; k < 2; k++) {
        BI_TRY(bi_scratch_of(ctx, rows->arcs, sizeof(uint64_t), (void **)&rounds->ends[k]));
        BI_TRY(bi_scratch_of(ctx, rows->arcs, size, &rounds->positions[k]));
    }
    BI_TRY(bi_scratch_of(ctx, rows->arcs, 1, (void **)&list.keep));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof(int64_t), &count));
    rounds->list = (struct bi_msf_list){.rows = *rows, .positions_64bit = rows->is_64bit, .shift = list.shift};
    if (rows->arcs == 0) return BOSC_OK;
    list.ends = rounds->ends[1];
    list.positions = rounds->positions[1];
    BI_TRY_WITH_COST(ctx, BI_MSF_ITEM_ARCS,
                     ctx->ops->forest->steps->msf_list_arcs(ctx, bi_div_up(rows->arcs, BI_MSF_ITEM_ARCS), &list));
    BI_TRY(core->compact(ctx, sizeof(uint64_t), list.ends, list.keep, rows->arcs, rounds->ends[0], count));
    BI_TRY(core->compact(ctx, size, list.positions, list.keep, rows->arcs, rounds->positions[0], count));
    return bi_read_back(ctx, &rounds->list.count, count, sizeof rounds->list.count);
}

/* Finds the forest by the published rounds: PRIMITIVES or ATOMIC. */
static bosc_status find_by_rounds(bosc_ctx *ctx, const struct bi_msf_rows *rows, const bosc_msf_opts *opts,
                                  const struct bi_msf_request *request, struct bi_msf_found *found, bosc_msf_info *info)
{
    struct bi_msf_rounds rounds = {
        .n = rows->n, .atomic = opts->algorithm != BOSC_MSF_PRIMITIVES, .keep_parallel = opts->keep_parallel != 0};
    BI_TRY(list_rows(ctx, rows, &rounds));
    rounds.split_duplicates = opts->split_duplicates && !rounds.keep_parallel && bi_msf_one_word(&rounds.list);
    int64_t most = rows->n - 1 < rounds.list.count ? rows->n - 1 : rounds.list.count;
    if (most < 0) most = 0;
    BI_TRY(bi_scratch_of(ctx, most, bi_msf_word_bytes(rows->is_64bit), &rounds.chosen));
    BI_TRY(bi_scratch_of(ctx, most, bi_msf_word_bytes(rows->is_64bit), &found->ids));
    BI_TRY(bi_scratch_of(ctx, most, bi_msf_word_bytes(rows->keys_64bit), &found->keys));
    if (request->labels) {
        BI_TRY(bi_scratch_of(ctx, rows->n, sizeof(uint32_t), (void **)&rounds.parent));
        BI_TRY(bi_scratch_of(ctx, rows->n, sizeof(uint32_t), (void **)&found->labels));
    }
    BI_TRY(bi_msf_run_rounds(ctx, &rounds));
    struct bi_msf_gather_edges fetch = {*rows, rounds.chosen, found->ids, found->keys};
    BI_TRY(ctx->ops->forest->steps->msf_gather_edges(ctx, rounds.found, &fetch));
    if (request->labels) BI_TRY(bi_msf_label_parents(ctx, rows->n, rounds.parent, found->labels));
    found->count = rounds.found;
    info->rounds = info->rounds_recorded = rounds.count;
    memcpy(info->round, rounds.recorded, sizeof rounds.recorded);
    return BOSC_OK;
}

/* Runs the backend's AUTO algorithm if requested and available, else the published rounds. */
static bosc_status find_forest(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_rows *rows,
                               const struct bi_msf_entries *entries, const bosc_msf_opts *opts,
                               const struct bi_msf_request *request, struct bi_msf_found *found, bosc_msf_info *info)
{
    const struct bi_forest_ops *ops = ctx->ops->forest;
    if (entries) return ops->msf_entries(ctx, entries, request, found, &info->rounds);
    if (opts->algorithm == BOSC_MSF_AUTO && ops->msf_admits(graph))
        return ops->msf(ctx, graph, &rows->order, request, found, &info->rounds);
    return find_by_rounds(ctx, rows, opts, request, found, info);
}

/* The caller's array if the list of edges can be made in place, else NULL. In place, only the launch that writes the
 * list may fail. */
static uint32_t *reusable_edges(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_outputs *to)
{
    const bool as_given = to->edges && !to->labels && graph->id_bits == 32 && !graph->is_64bit;
    return as_given && ctx->backend->reaches(ctx, to->edges) ? to->edges : NULL;
}

static bosc_status write_edges(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_found *found,
                               void *edges)
{
    struct bi_out out;
    bool staged = false, is_64bit = graph->id_bits == 64;
    if (found->ids == edges) return BOSC_OK;
    BI_TRY(bi_stage_out(ctx, edges, (size_t)found->count * bi_msf_word_bytes(is_64bit), &out, &staged));
    BI_TRY(bi_graph_convert_words(ctx, found->ids, graph->is_64bit, out.reachable, is_64bit, found->count));
    return found->count ? bi_stage_back(ctx, &out) : BOSC_OK;
}

/* Removes the heaviest edges until there are `trees` trees; a forest that has as many already stays. */
static bosc_status cut_to_trees(bosc_ctx *ctx, const struct bi_msf_rows *rows, int64_t present, int64_t trees,
                                struct bi_msf_found *found)
{
    int64_t most = present < trees ? 0 : present - trees;
    if (trees == 0 || found->count <= most) return BOSC_OK;
    return bi_msf_select_lightest(ctx, rows, most, found);
}

/* *info, which is 0 before, receives all results but a sum that to->info does not request. opts->trees = 0: no cut. A
 * cut needs the keys; sums and labels are then computed after it. On failure the caller's arrays are unchanged, except
 * that writing request.edges in place may fail on the device. */
static bosc_status compute_forest(bosc_ctx *ctx, const struct bi_graph_view *graph,
                                  const struct bi_msf_entries *entries, const bosc_msf_opts *opts,
                                  const struct bi_msf_outputs *to, bosc_msf_info *info)
{
    bool floats = is_float(graph->weight), cut = opts->trees > 0, sum = to->info != NULL;
    struct bi_msf_request request = {.ids = to->edges || cut || (sum && floats),
                                     .keys = cut || (sum && floats),
                                     .sums = sum && !floats && !cut,
                                     .labels = to->labels && !cut};
    struct bi_msf_found found = {0};
    struct bi_msf_rows rows;
    struct bi_out labels;
    bool staged = false;
    int64_t present;
    size_t label_bytes = to->labels ? (size_t)graph->n * (size_t)graph->id_bits / 8 : 0;
    /* 1. Stage inputs and outputs; count the vertices left by the mask. */
    if (entries)
        rows = bi_msf_rows_in(graph, &entries->order);
    else
        BI_TRY(bi_msf_rows_of(ctx, graph, opts, &rows));
    if (request.ids && !request.keys) request.edges = reusable_edges(ctx, graph, to);
    BI_TRY(bi_stage_out(ctx, to->labels, label_bytes, &labels, &staged));
    BI_TRY(bi_msf_count_roots(ctx, &rows, NULL, &present));
    /* 2. Find the forest; cut it to the requested number of trees. */
    BI_TRY(find_forest(ctx, graph, &rows, entries, opts, &request, &found, info));
    BI_TRY(cut_to_trees(ctx, &rows, present, opts->trees, &found));
    /* 3. Derive labels from the edges if the algorithm did not make them. */
    if (to->labels && !found.labels) {
        BI_TRY(bi_scratch_of(ctx, graph->n, sizeof(uint32_t), (void **)&found.labels));
        BI_TRY(bi_msf_label_edges(ctx, &rows, graph->entries, found.ids, found.count, found.labels));
    }
    /* 4. Sort, sum and write the results. Float sums need ascending ids for one fixed order. */
    if (to->edges || (sum && floats)) BI_TRY(bi_msf_sort_found(ctx, &rows, &found));
    if (sum) BI_TRY(bi_msf_sum(ctx, graph, &rows, &found, info));
    info->edges = found.count;
    info->trees = present - found.count;
    if (to->edges) BI_TRY(write_edges(ctx, graph, &found, to->edges));
    if (to->labels) BI_TRY(bi_msf_store_labels(ctx, graph, &rows, found.labels, &labels));
    const bool queued = to->labels || (to->edges && found.ids != to->edges);
    return queued ? ctx->backend->sync(ctx) : BOSC_OK; /* otherwise reading the count was the last operation */
}

bosc_status bi_msf_compute_checked(bosc_ctx *ctx, const struct bi_graph_view *graph,
                                   const struct bi_msf_entries *entries, const bosc_msf_opts *opts,
                                   const struct bi_msf_outputs *to)
{
    bosc_msf_info result = {0};
    bi_progress_set_total(ctx, (opts->algorithm == BOSC_MSF_AUTO ? 16 : 160) * (double)graph->m);
    BI_TRY_WITH_SCRATCH(ctx, compute_forest(ctx, graph, entries, opts, to, &result));
    if (to->info) bi_copy_info(to->info, &result, sizeof result);
    return BOSC_OK;
}

bosc_status bi_msf_check_outputs(bosc_ctx *ctx, const struct bi_graph_view *graph, const struct bi_msf_outputs *to)
{
    BI_TRY(bi_forest_check_ids(ctx, graph, "edges", to->edges));
    BI_TRY(bi_forest_check_ids(ctx, graph, "labels", to->labels));
    return to->info ? bi_check_info(ctx, "info", "bosc_msf_info", to->info->size, sizeof *to->info) : BOSC_OK;
}

bosc_status bosc_msf_compute(bosc_ctx *ctx, const bosc_graph *graph, const bosc_msf_opts *opts, void *edges,
                             void *labels, bosc_msf_info *info)
{
    struct bi_graph_view view;
    bosc_msf_opts full;
    const struct bi_msf_outputs to = {edges, labels, info};
    BI_ENTER(ctx);
    BI_TRY(bi_graph_view_of(ctx, graph, &view));
    BI_TRY(bi_msf_check_opts(ctx, &view, opts, &full));
    BI_TRY(bi_msf_check_outputs(ctx, &view, &to));
    return bi_msf_compute_checked(ctx, &view, NULL, &full, &to);
}
