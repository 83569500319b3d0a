/* Queries with one result: find, prefix, longest match. */
#include "core/call.h"
#include "trie/drivers.h"

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
