/* Queries with one answer: find, prefix, longest match; and what is copied out. */
#include "core/call.h"
#include "trie/driver.h"

static bosc_status check_queries(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t m,
                                 int64_t stride, struct bi_trie_rows *rows)
{
    BI_TRY(bi_trie_check(ctx, trie));
    return bi_trie_check_rows(ctx, &trie->shape, "queries", queries, "m", m, stride, rows);
}

static bosc_status find(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_find *find)
{
    struct bi_out outs[3];
    bool staged = false;
    int64_t m = find->queries.n;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &find->queries, &staged));
    BI_TRY(bi_stage_out(ctx, find->ranks, find->ranks ? (size_t)m * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, find->values, find->values ? (size_t)m * (size_t)find->value_bits / 8 : 0, &outs[1],
                        &staged));
    BI_TRY(bi_stage_out(ctx, find->found, find->found ? (size_t)m : 0, &outs[2], &staged));
    find->ranks = outs[0].reachable;
    find->values = outs[1].reachable;
    find->found = outs[2].reachable;
    if (ctx->backend->id == BOSC_BACKEND_CPU && find->view.table.slots)
        BI_TRY(BI_TRIE_STEP(ctx, trie_find_group, bi_div_up(m, BI_TRIE_TOGETHER), find));
    else
        BI_TRY(BI_TRIE_STEP(ctx, trie_find, m, find));
    for (int k = 0; k < 3; k++) BI_TRY(bi_stage_back(ctx, &outs[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_find(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t m, int64_t stride,
                           int64_t *ranks, void *values, uint8_t *found)
{
    struct bi_trie_find args = {.ranks = ranks, .values = values, .found = found};
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, trie, queries, m, stride, &args.queries));
    BI_TRY(bi_trie_check_array(ctx, "ranks", ranks, false, sizeof *ranks));
    BI_TRY(bi_trie_check_array(ctx, "values", values, false, (size_t)trie->opts.value_bits / 8));
    args.view = bi_trie_view_of(trie);
    args.kept = trie->blocks[BI_TRIE_VALUES].data;
    args.value_bits = trie->opts.value_bits;
    if (m == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, find(ctx, trie, &args));
}

/* lengths: read, or those of the longest match. */
static bosc_status find_ranges(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_prefix *a, bool longest)
{
    struct bi_out outs[3];
    bool staged = false;
    int64_t m = a->queries.n;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &a->queries, &staged));
    BI_TRY(bi_stage_out(ctx, a->begins, a->begins ? (size_t)m * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, a->ends, a->ends ? (size_t)m * 8 : 0, &outs[1], &staged));
    BI_TRY(bi_stage_out(ctx, a->lengths, longest && a->lengths ? (size_t)m * 4 : 0, &outs[2], &staged));
    if (!longest && a->lengths)
        BI_TRY(bi_stage_in(ctx, a->lengths, (size_t)m * 4, (const void **)&outs[2].reachable, &staged));
    a->begins = outs[0].reachable;
    a->ends = outs[1].reachable;
    a->lengths = outs[2].reachable;
    bool search = trie->opts.layout == BOSC_TRIE_COMPACT && trie->keys > 0 && trie->nodes >= trie->keys / 4;
    if (longest && search)
        BI_TRY(BI_TRIE_STEP(ctx, trie_longest_search, m, a));
    else if (longest)
        BI_TRY(BI_TRIE_STEP(ctx, trie_longest, m, a));
    else
        BI_TRY(BI_TRIE_STEP(ctx, trie_prefix, m, a));
    for (int k = 0; k < (longest ? 3 : 2); k++) BI_TRY(bi_stage_back(ctx, &outs[k]));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status ranges(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t m, int64_t stride,
                          struct bi_trie_prefix *a, bool longest)
{
    BI_ENTER(ctx);
    BI_TRY(check_queries(ctx, trie, queries, m, stride, &a->queries));
    BI_TRY(bi_trie_check_array(ctx, "lengths", a->lengths, false, sizeof *a->lengths));
    BI_TRY(bi_trie_check_array(ctx, "begins", a->begins, false, sizeof *a->begins));
    BI_TRY(bi_trie_check_array(ctx, "ends", a->ends, false, sizeof *a->ends));
    a->view = bi_trie_view_of(trie);
    if (a->queries.n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, find_ranges(ctx, trie, a, longest));
}

bosc_status bosc_trie_prefix(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, const int32_t *lengths,
                             int64_t m, int64_t stride, int64_t *begins, int64_t *ends)
{
    /* lengths are only read */
    struct bi_trie_prefix a = {.lengths = (int32_t *)(uintptr_t)lengths, .begins = begins, .ends = ends};
    return ranges(ctx, trie, queries, m, stride, &a, false);
}

bosc_status bosc_trie_longest(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *queries, int64_t m, int64_t stride,
                              int32_t *lengths, int64_t *begins, int64_t *ends)
{
    struct bi_trie_prefix a = {.lengths = lengths, .begins = begins, .ends = ends};
    return ranges(ctx, trie, queries, m, stride, &a, true);
}

static bosc_status copy_out(bosc_ctx *ctx, const bosc_trie *trie, int64_t begin, int64_t n, struct bi_trie_copy *copy,
                            void *values)
{
    struct bi_out outs[2];
    bool staged = false;
    size_t value = (size_t)trie->opts.value_bits / 8;
    BI_TRY(bi_stage_out(ctx, copy->keys, copy->keys ? (size_t)(n * trie->shape.words) * 8 : 0, &outs[0], &staged));
    BI_TRY(bi_stage_out(ctx, copy->wide_counts, copy->wide_counts ? (size_t)n * 8 : 0, &outs[1], &staged));
    copy->keys = outs[0].reachable;
    copy->wide_counts = outs[1].reachable;
    if (copy->keys || copy->wide_counts) BI_TRY(BI_TRIE_STEP(ctx, trie_copy, n, copy));
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
    struct bi_trie_copy copy = {trie->shape, all.keys + begin * trie->shape.words, all.counts + begin, keys, counts};
    BI_RETURN_WITH_SCRATCH(ctx, copy_out(ctx, trie, begin, end - begin, &copy, values));
}

static bosc_status get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t m, void *values)
{
    struct bi_out out;
    bool staged = false;
    struct bi_trie_values a = {NULL, trie->blocks[BI_TRIE_VALUES].data, trie->keys, trie->opts.value_bits, NULL};
    BI_TRY(bi_stage_in(ctx, ranks, (size_t)m * 8, (const void **)&a.ranks, &staged));
    BI_TRY(bi_stage_out(ctx, values, (size_t)m * (size_t)a.value_bits / 8, &out, &staged));
    a.values = out.reachable;
    BI_TRY(BI_TRIE_STEP(ctx, trie_value, m, &a));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_trie_get_values(bosc_ctx *ctx, const bosc_trie *trie, const int64_t *ranks, int64_t m, void *values)
{
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check(ctx, trie));
    if (m < 0) return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld is less than 0", (long long)m);
    if (m > INT64_MAX / 64)
        return bi_fail(ctx, BOSC_ERR_ARG, "m: %lld ranks are more than memory can hold", (long long)m);
    BI_TRY(bi_trie_check_array(ctx, "ranks", ranks, m > 0, sizeof *ranks));
    BI_TRY(bi_trie_check_array(ctx, "values", values, m > 0, (size_t)trie->opts.value_bits / 8));
    if (m == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, get_values(ctx, trie, ranks, m, values));
}
