/* Sorts rows by a prefix, then the few runs with equal prefixes by the rest.
 *
 * A prefix is the first 24 or 32 bits of a row, or 64 bits of word numbers where words repeat. Each row of a short run
 * finds its rank there by comparisons with the others. Long runs, unless already sorted, are sorted by whole rows. */
#include "core/call.h"
#include "trie/drivers.h"

/* Bits of a prefix: whole passes of a radix sort. Of random rows four of five have a unique prefix. */
static int32_t prefix_bits(int64_t n)
{
    const int32_t bits = bi_div_up(bi_bit_length((uint64_t)n) + 2, 8) * 8;
    return bits < 32 ? bits : 32;
}

/* Sorts the rows by their prefixes. */
static bosc_status order_by_prefix(bosc_ctx *ctx, struct bi_trie_runs *runs, uint32_t *order)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const struct bi_trie_columns *columns = &runs->columns;
    const int64_t n = runs->rows.n;
    int64_t *firsts;
    uint32_t *prefixes;
    runs->order = order;
    if (columns->count > 0) {
        const int used = columns->count > 1 ? columns->bits : columns->last_bits;
        struct bi_trie_column column = {.rows = *columns};
        BI_TRY(bi_scratch_of(ctx, n, 8, &firsts));
        BI_TRY(bi_scratch_of(ctx, n, 4, &column.iota));
        BI_TRY(BI_TRIE_STEP(ctx, trie_column, n, &column));
        runs->firsts = firsts;
        return core->sort_pairs(ctx, BOSC_I64, columns->data, 4, column.iota, n, firsts, order, 64 - used, 64);
    }
    struct bi_trie_prefixes a = {.shape = runs->shape, .rows = runs->rows, .bits = prefix_bits(n)};
    BI_TRY(bi_scratch_of(ctx, n, 4, &prefixes));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.prefixes));
    BI_TRY(bi_scratch_of(ctx, n, 4, &a.iota));
    BI_TRY(BI_TRIE_STEP(ctx, trie_prefix_of, n, &a));
    runs->prefixes = prefixes;
    return core->sort_pairs(ctx, BOSC_U32, a.prefixes, 4, a.iota, n, prefixes, order, 0, a.bits);
}

/* Sorts the rows of long runs by whole rows, and finds all heads again. */
static bosc_status sort_long_runs(bosc_ctx *ctx, const struct bi_trie_runs *runs)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const int64_t n = runs->rows.n;
    struct bi_trie_heads heads = {
        .rows = runs->columns, .order = runs->sorted, .heads = runs->heads, .indices = runs->indices};
    uint32_t *members, *places, *sorted;
    int64_t count, *found, *first;
    BI_TRY(bi_scratch_of(ctx, 1, 8, &found));
    BI_TRY(bi_scratch_of(ctx, n, 4, &members));
    BI_TRY(bi_scratch_of(ctx, n, 4, &places));
    BI_TRY(core->compact(ctx, 4, runs->sorted, runs->in_long_run, n, members, found));
    BI_TRY(core->compact(ctx, 4, runs->indices, runs->in_long_run, n, places, found));
    BI_TRY(bi_read_back(ctx, &count, found, sizeof count));
    if (heads.rows.count == 0) BI_TRY(bi_trie_reverse_rows(ctx, &runs->shape, &runs->rows, &heads.rows));
    BI_TRY(bi_scratch_of(ctx, count, 4, &sorted));
    BI_TRY(bi_scratch_of(ctx, count, 8, &first));
    BI_TRY(bi_trie_sort_columns(ctx, &heads.rows, members, count, sorted, first));
    struct bi_trie_scatter back = {places, sorted, runs->sorted};
    BI_TRY(BI_TRIE_STEP(ctx, trie_scatter, count, &back));
    return BI_TRIE_STEP(ctx, trie_head, n, &heads);
}

/* Ranks rows in their runs, and lists where keys begin. */
static bosc_status finish_runs(bosc_ctx *ctx, struct bi_trie_runs *runs, struct bi_trie_order *o)
{
    const struct bi_core_ops *core = ctx->backend->core;
    const int64_t n = runs->rows.n;
    int64_t found[2], *results;
    BI_TRY(bi_scratch_of(ctx, 2, 8, &results));
    BI_TRY(bi_scratch_of(ctx, n, 1, &runs->heads));
    BI_TRY(bi_scratch_of(ctx, n, 1, &runs->in_long_run));
    BI_TRY(bi_scratch_of(ctx, n, 4, &runs->indices));
    runs->unordered = results + 1;
    BI_TRY(ctx->backend->fill(ctx, runs->unordered, 0, 8));
    BI_TRY(BI_TRIE_STEP(ctx, trie_rank_in_run, n, runs));
    BI_TRY(core->compact(ctx, 4, runs->indices, runs->heads, n, o->starts, results));
    BI_TRY(bi_read_back(ctx, found, results, sizeof found));
    o->count = found[0];
    if (!found[1]) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, sort_long_runs(ctx, runs));
    BI_TRY(core->compact(ctx, 4, runs->indices, runs->heads, n, o->starts, results));
    return bi_read_back(ctx, &o->count, results, sizeof o->count);
}

static bosc_status sort_by_prefix(bosc_ctx *ctx, struct bi_trie_runs *runs, bool repetitive, struct bi_trie_order *o)
{
    uint32_t *order;
    struct bi_mark mark = bi_arena_mark(ctx);
    if (repetitive) BI_TRY(bi_trie_number_rows(ctx, &runs->shape, &runs->rows, &runs->columns));
    if (runs->columns.count == 0) bi_arena_rewind(ctx, mark);
    BI_TRY(bi_scratch_of(ctx, runs->rows.n, 4, &order));
    BI_TRY(order_by_prefix(ctx, runs, order));
    return finish_runs(ctx, runs, o);
}

bosc_status bi_trie_sort_by_prefix(bosc_ctx *ctx, const struct bi_trie_shape *shape, bool repetitive,
                                   struct bi_trie_order *o)
{
    struct bi_trie_runs runs = {.shape = *shape, .rows = o->rows, .sorted = o->order};
    BI_RETURN_WITH_SCRATCH(ctx, sort_by_prefix(ctx, &runs, repetitive, o));
}
