/* Queries: with one result (find, prefix, longest match), with rows of results (neighbours, matches), all pairs of keys
 * that differ in one letter, and copies of keys and values by rank. */
#include "core/call.h"
#include "core/csr.h"
#include "trie/append_pairs.h"
#include "trie/drivers.h"

/* ---- one result ---- */

static bosc_status check_queries(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                 int64_t stride, struct bi_trie_rows *rows)
{
    BI_TRY(bi_trie_check(ctx, trie));
    return bi_trie_check_rows(ctx, &trie->shape, "queries", queries, "query_count", query_count, stride, rows);
}

static bosc_status find_staged(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_find *find)
{
    struct bi_out outs[3];
    bool staged = false;
    int64_t query_count = find->queries.n;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &find->queries, &staged));
    BI_TRY(bi_stage_out(ctx, find->ranks, find->ranks ? (size_t)query_count * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, find->values, find->values ? (size_t)query_count * (size_t)find->value_bits / 8 : 0,
                        &outs[1], &staged));
    BI_TRY(bi_stage_out(ctx, find->found, find->found ? (size_t)query_count : 0, &outs[2], &staged));
    find->ranks = outs[0].reachable;
    find->values = outs[1].reachable;
    find->found = outs[2].reachable;
    if (ctx->ops->trie->finds_in_groups && find->view.table.slots)
        BI_TRY(BI_TRIE_STEP(ctx, trie_find_group, bi_div_up(query_count, BI_TRIE_FIND_GROUP), find));
    else
        BI_TRY(BI_TRIE_STEP(ctx, trie_find, query_count, find));
    for (int k = 0; k < 3; k++) BI_TRY(bi_stage_back(ctx, &outs[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_find(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                           int64_t stride, int64_t *ranks, void *values, uint8_t *found)
{
    struct bi_trie_find args = {.ranks = ranks, .values = values, .found = found};
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, trie, queries, query_count, stride, &args.queries));
    BI_TRY(bi_trie_check_array(ctx, "ranks", ranks, false, sizeof *ranks));
    BI_TRY(bi_trie_check_array(ctx, "values", values, false, (size_t)trie->opts.value_bits / 8));
    args.view = bi_trie_view_of(trie);
    args.stored_values = trie->blocks[BI_TRIE_VALUES].data;
    args.value_bits = trie->opts.value_bits;
    if (query_count == 0) return BOSC_OK;
    bi_progress_set_total(ctx, (double)query_count);
    BI_RETURN_WITH_SCRATCH(ctx, find_staged(ctx, trie, &args));
}

/* Finds ranges of keys. `lengths` is input, or output for the longest match. */
static bosc_status find_ranges(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_prefix *a, bool longest)
{
    struct bi_out outs[3];
    bool staged = false;
    int64_t query_count = a->queries.n;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &a->queries, &staged));
    BI_TRY(bi_stage_out(ctx, a->begins, a->begins ? (size_t)query_count * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, a->ends, a->ends ? (size_t)query_count * 8 : 0, &outs[1], &staged));
    BI_TRY(bi_stage_out(ctx, a->lengths, longest && a->lengths ? (size_t)query_count * 4 : 0, &outs[2], &staged));
    if (!longest && a->lengths)
        BI_TRY(bi_stage_in(ctx, a->lengths, (size_t)query_count * 4, (const void **)&outs[2].reachable, &staged));
    a->begins = outs[0].reachable;
    a->ends = outs[1].reachable;
    a->lengths = outs[2].reachable;
    /* With few nodes for the keys the longest match descends; else it searches the sorted keys (steps/descent.h). */
    bool search = trie->opts.layout == BOSC_TRIE_COMPACT && trie->keys > 0 && trie->nodes >= trie->keys / 4;
    if (longest && search)
        BI_TRY(BI_TRIE_STEP(ctx, trie_longest_search, query_count, a));
    else if (longest)
        BI_TRY(BI_TRIE_STEP(ctx, trie_longest, query_count, a));
    else
        BI_TRY(BI_TRIE_STEP(ctx, trie_prefix, query_count, a));
    for (int k = 0; k < (longest ? 3 : 2); k++) BI_TRY(bi_stage_back(ctx, &outs[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status check_and_find_ranges(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries,
                                         int64_t query_count, int64_t stride, struct bi_trie_prefix *a, bool longest)
{
    BI_TRY(check_queries(ctx, trie, queries, query_count, stride, &a->queries));
    BI_TRY(bi_trie_check_array(ctx, "lengths", a->lengths, false, sizeof *a->lengths));
    BI_TRY(bi_trie_check_array(ctx, "begins", a->begins, false, sizeof *a->begins));
    BI_TRY(bi_trie_check_array(ctx, "ends", a->ends, false, sizeof *a->ends));
    a->view = bi_trie_view_of(trie);
    if (a->queries.n == 0) return BOSC_OK;
    bi_progress_set_total(ctx, 16 * (double)a->queries.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_ranges(ctx, trie, a, longest));
}

bosc_status bosc_trie_prefix(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, const int32_t *lengths,
                             int64_t query_count, int64_t stride, int64_t *begins, int64_t *ends)
{
    /* lengths are only read */
    struct bi_trie_prefix a = {.lengths = (int32_t *)(uintptr_t)lengths, .begins = begins, .ends = ends};
    BI_ENTER(ctx);
    return check_and_find_ranges(ctx, trie, queries, query_count, stride, &a, false);
}

bosc_status bosc_trie_longest(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                              int64_t stride, int32_t *lengths, int64_t *begins, int64_t *ends)
{
    struct bi_trie_prefix a = {.lengths = lengths, .begins = begins, .ends = ends};
    BI_ENTER(ctx);
    return check_and_find_ranges(ctx, trie, queries, query_count, stride, &a, true);
}

/* ---- rows of results ---- */

static bosc_status run_step(bosc_ctx *ctx, const struct bi_trie_lists *a)
{
    if (a->masks) return BI_TRIE_STEP(ctx, trie_matches, a->queries.n, a);
    return BI_TRIE_STEP(ctx, trie_neighbours, a->queries.n, a);
}

static bosc_status count_rows(bosc_ctx *ctx, void *query, int64_t *counts)
{
    struct bi_trie_lists *a = query;
    a->counts = counts;
    return run_step(ctx, a);
}

static bosc_status fill_rows(bosc_ctx *ctx, void *query, const struct bi_csr_rows *to)
{
    struct bi_trie_lists *a = query;
    a->offsets = to->offsets;
    a->ranks = to->columns[0];
    a->positions = to->columns[1];
    a->bad = to->bad;
    return run_step(ctx, a);
}

/* The caller's arrays. */
struct outputs {
    int64_t *offsets, *ranks;
    uint32_t *positions;
    int64_t capacity;
};

static bosc_status list_results(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_lists *a, const struct outputs *to)
{
    const struct bi_csr_column columns[BI_CSR_COLUMNS] = {{to->ranks, sizeof *to->ranks},
                                                          {to->positions, sizeof *to->positions}};
    const int64_t rows = a->queries.n;
    bool staged = false;
    bi_progress_set_total(ctx, 20 * (double)rows);
    struct bi_trie_rows masks = a->queries;
    masks.data = a->masks;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &a->queries, &staged));
    if (a->masks) BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &masks, &staged));
    a->masks = masks.data;
    a->view = bi_trie_view_of(trie);
    if (to->ranks || to->positions) return bi_csr_fill(ctx, rows, to->offsets, to->capacity, columns, fill_rows, a);
    return bi_csr_offsets(ctx, rows, count_rows, a, to->offsets);
}

static bosc_status check_arrays(bosc_ctx *ctx, int64_t rows, const struct outputs *to)
{
    BI_TRY(bi_trie_check_array(ctx, "ranks", to->ranks, false, sizeof *to->ranks));
    BI_TRY(bi_trie_check_array(ctx, "positions", to->positions, false, sizeof *to->positions));
    return bi_csr_check(ctx, rows, to->offsets, to->ranks || to->positions, to->capacity);
}

bosc_status bosc_trie_matches(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, const uint64_t *masks,
                              int64_t query_count, int64_t stride, int64_t *offsets, int64_t *ranks, int64_t capacity)
{
    const struct outputs to = {.offsets = offsets, .ranks = ranks, .capacity = capacity};
    struct bi_trie_lists a = {.masks = masks};
    struct bi_trie_rows rows;
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, trie, queries, query_count, stride, &a.queries));
    BI_TRY(bi_trie_check_rows(ctx, &trie->shape, "masks", masks, "query_count", query_count, stride, &rows));
    BI_TRY(check_arrays(ctx, query_count, &to));
    BI_RETURN_WITH_SCRATCH(ctx, list_results(ctx, trie, &a, &to));
}

bosc_status bosc_trie_neighbours(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t query_count,
                                 int64_t stride, int64_t *offsets, int64_t *ranks, uint32_t *positions,
                                 int64_t capacity)
{
    const struct outputs to = {.offsets = offsets, .ranks = ranks, .positions = positions, .capacity = capacity};
    struct bi_trie_lists a = {.masks = NULL};
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, trie, queries, query_count, stride, &a.queries));
    BI_TRY(check_arrays(ctx, query_count, &to));
    BI_RETURN_WITH_SCRATCH(ctx, list_results(ctx, trie, &a, &to));
}

/* ---- all pairs ---- */

/* Looks up the neighbours of each key; with the launch of the options, if the backend has one. */
static bosc_status run_pairs_step(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_pairs *a)
{
    const bosc_trie_opts *o = &trie->opts;
    const bool chosen = o->layout == BOSC_TRIE_PUBLISHED && (o->blocks || o->threads);
    if (!chosen || !ctx->ops->trie->launch_pairs) return BI_TRIE_STEP(ctx, trie_pairs, trie->keys, a);
    return ctx->ops->trie->launch_pairs(ctx, a, o->blocks, o->threads);
}

static bosc_status find_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions,
                              int64_t capacity, int64_t *count)
{
    struct bi_trie_pairs a = {.view = bi_trie_view_of(trie)};
    struct bi_out to_pairs, to_positions;
    bool staged = false;
    int64_t n = trie->keys;
    BI_TRY(bi_scratch_of(ctx, n + 1, 8, &a.offsets));
    BI_TRY(ctx->backend->fill(ctx, a.offsets + n, 0, 8));
    BI_TRY(run_pairs_step(ctx, trie, &a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, a.offsets, n + 1, a.offsets));
    BI_TRY(bi_read_back(ctx, count, a.offsets + n, sizeof *count));
    if (*count == 0 || (!pairs && !positions)) return BOSC_OK;
    if (*count > capacity)
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld pairs, but there are %lld", (long long)capacity,
                       (long long)*count);
    BI_TRY(bi_stage_out(ctx, pairs, pairs ? (size_t)*count * 16 : 0, &to_pairs, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? (size_t)*count * 4 : 0, &to_positions, &staged));
    BI_TRY(bi_scratch_of(ctx, *count, 8, &a.others));
    a.pairs = to_pairs.reachable;
    a.positions = to_positions.reachable;
    BI_TRY(run_pairs_step(ctx, trie, &a));
    BI_TRY(bi_stage_back(ctx, &to_pairs));
    BI_TRY(bi_stage_back(ctx, &to_positions));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_trie_pairs(bosc_ctx *ctx, const bosc_trie *trie, int64_t *pairs, uint32_t *positions, int64_t capacity,
                            int64_t *count)
{
    int64_t found = 0;
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_array(ctx, "pairs", pairs, false, sizeof *pairs));
    BI_TRY(bi_trie_check_array(ctx, "positions", positions, false, sizeof *positions));
    if (capacity < 0) return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    bi_progress_set_total(ctx, 32 * (double)trie->keys);
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = find_pairs(ctx, trie, pairs, positions, capacity, &found));
    if (status == BOSC_OK || status == BOSC_ERR_SPACE) *count = found;
    return status;
}

bosc_status bi_trie_append_pairs(bosc_ctx *ctx, const bosc_trie *trie, bool block_a_key,
                                 const struct bi_trie_pair_list *to)
{
    const bosc_trie_opts *o = &trie->opts;
    const struct bi_trie_append a = {
        .view = bi_trie_view_of(trie), .values = trie->blocks[BI_TRIE_VALUES].data, .to = *to};
    const bool chosen = block_a_key || o->blocks || o->threads;
    if (trie->keys == 0) return BOSC_OK;
    if (!chosen || !ctx->ops->trie->launch_append) return BI_TRIE_STEP(ctx, trie_append_pairs, trie->keys, &a);
    return ctx->ops->trie->launch_append(ctx, &a, block_a_key, o->blocks, o->threads);
}

/* ---- copies ---- */

static bosc_status copy_out(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t n, struct bi_trie_copy *copy,
                            void *values)
{
    struct bi_out outs[2];
    bool staged = false;
    size_t value = (size_t)trie->opts.value_bits / 8;
    BI_TRY(
        bi_stage_out(ctx, copy->keys, copy->keys ? (size_t)(n * trie->shape.letters.words) * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, copy->counts_64bit, copy->counts_64bit ? (size_t)n * 8 : 0, &outs[1], &staged));
    copy->keys = outs[0].reachable;
    copy->counts_64bit = outs[1].reachable;
    if (copy->keys || copy->counts_64bit) BI_TRY(BI_TRIE_STEP(ctx, trie_copy_out, n, copy));
    for (int k = 0; k < 2; k++) BI_TRY(bi_stage_back(ctx, &outs[k]));
    if (values) {
        staged |= !ctx->backend->reaches(ctx, values);
        BI_TRY(ctx->backend->copy(ctx, values, (char *)trie->blocks[BI_TRIE_VALUES].data + (size_t)begin * value,
                                  (size_t)n * value));
    }
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_get_keys(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t end, uint64_t *keys,
                               void *values, int64_t *counts)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    if (begin < 0 || begin > trie->keys)
        return bi_fail(ctx, BOSC_ERR_ARG, "begin: %lld is not in 0 to %lld", (long long)begin, (long long)trie->keys);
    if (end < begin || end > trie->keys)
        return bi_fail(ctx, BOSC_ERR_ARG, "end: %lld is not in %lld to %lld", (long long)end, (long long)begin,
                       (long long)trie->keys);
    BI_TRY(bi_trie_check_array(ctx, "keys", keys, false, sizeof *keys));
    BI_TRY(bi_trie_check_array(ctx, "values", values, false, (size_t)trie->opts.value_bits / 8));
    BI_TRY(bi_trie_check_array(ctx, "counts", counts, false, sizeof *counts));
    if (begin == end) return BOSC_OK;
    struct bi_trie_sorted all = bi_trie_sorted_of(trie);
    struct bi_trie_copy copy = {trie->shape, all.keys + begin * trie->shape.letters.words, all.counts + begin, keys,
                                counts};
    BI_RETURN_WITH_SCRATCH(ctx, copy_out(ctx, trie, begin, end - begin, &copy, values));
}

static bosc_status get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t rank_count,
                              void *values)
{
    struct bi_out out;
    bool staged = false;
    struct bi_trie_values a = {NULL, trie->blocks[BI_TRIE_VALUES].data, trie->keys, trie->opts.value_bits, NULL};
    BI_TRY(bi_stage_in(ctx, ranks, (size_t)rank_count * 8, (const void **)&a.ranks, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)rank_count * (size_t)a.value_bits / 8, &out, &staged));
    a.values = out.reachable;
    BI_TRY(BI_TRIE_STEP(ctx, trie_value, rank_count, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t rank_count,
                                 void *values)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    if (rank_count < 0) return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %lld is less than 0", (long long)rank_count);
    if (rank_count > INT64_MAX / 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %lld ranks are more than memory can hold",
                       (long long)rank_count);
    BI_TRY(bi_trie_check_array(ctx, "ranks", ranks, rank_count > 0, sizeof *ranks));
    BI_TRY(bi_trie_check_array(ctx, "values", values, rank_count > 0, (size_t)trie->opts.value_bits / 8));
    if (rank_count == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, get_values(ctx, trie, ranks, rank_count, values));
}
