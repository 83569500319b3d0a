/* Queries with many results, as CSR rows: neighbours and matches. */
#include "core/call.h"
#include "core/csr.h"
#include "trie/drivers.h"

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
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_rows(ctx, &trie->shape, "queries", queries, "query_count", query_count, stride, &a.queries));
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
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_rows(ctx, &trie->shape, "queries", queries, "query_count", query_count, stride, &a.queries));
    BI_TRY(check_arrays(ctx, query_count, &to));
    BI_RETURN_WITH_SCRATCH(ctx, list_results(ctx, trie, &a, &to));
}
