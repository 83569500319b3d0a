/* The driver of builds: rows are sorted, and equal ones become one key. */
#include "trie/driver.h"

bosc_status bi_trie_scratch(bosc_ctx *ctx, int64_t count, size_t size, void *at)
{
    if (count > 0 && (size_t)count > (size_t)PTRDIFF_MAX / size)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of %s memory: %lld elements of %zu bytes", ctx->backend->name,
                       (long long)count, size);
    return bi_scratch(ctx, (size_t)count * size, (void **)at);
}

bosc_status bi_trie_reserve(bosc_ctx *ctx, bosc_trie *trie, int block, int64_t count, size_t size)
{
    if (count > 0 && (size_t)count > (size_t)PTRDIFF_MAX / size)
        return bi_fail(ctx, BOSC_ERR_NOMEM, "out of %s memory: %lld elements of %zu bytes", ctx->backend->name,
                       (long long)count, size);
    return bi_block_reserve(ctx, &trie->memory, &trie->blocks[block], (size_t)count * size);
}

bosc_status bi_trie_reserve_keys(bosc_ctx *ctx, bosc_trie *trie, int64_t count, struct bi_trie_sorted *keys)
{
    BI_TRY(bi_trie_reserve(ctx, trie, BI_TRIE_KEYS, count, (size_t)trie->shape.words * 8));
    BI_TRY(bi_trie_reserve(ctx, trie, BI_TRIE_VALUES, count, (size_t)trie->opts.value_bits / 8));
    BI_TRY(bi_trie_reserve(ctx, trie, BI_TRIE_COUNTS, count, 4));
    *keys = bi_trie_sorted_of(trie);
    keys->count = count;
    return BOSC_OK;
}

/* Sorts by the last word, then stably by the one before, and so on. */
static bosc_status sort_words(bosc_ctx *ctx, const struct bi_trie_shape *shape, const int64_t *turned, int64_t n,
                              uint32_t *order)
{
    struct bi_trie_column column = {.turned = turned, .words = shape->words};
    int64_t *sorted;
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_trie_scratch(ctx, n, 8, &column.column));
    BI_TRY(bi_trie_scratch(ctx, n, 8, &sorted));
    BI_TRY(bi_trie_scratch(ctx, n, 4, &column.begun));
    for (column.word = shape->words - 1; column.word >= 0; column.word--) {
        int used = bi_popcount(bi_trie_mask(shape, column.word));
        BI_TRY(BI_TRIE_STEP(ctx, trie_column, n, &column));
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, column.column, 4, column.order ? order : column.begun, n,
                                              sorted, order, 64 - used, 64));
        column.order = order;
    }
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* A sort of words is a radix sort for each word, whose many launches a device's sort of whole rows undercuts while rows
 * are not many. */
static bosc_status sort_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const int64_t *turned, int64_t n,
                             uint32_t *order)
{
    bool few = ctx->backend->id == BOSC_BACKEND_CUDA && n <= BI_TRIE_FEW;
    if (shape->words <= BI_TRIE_COLUMNS && !few) return sort_words(ctx, shape, turned, n, order);
    return ctx->backend->core->sort_superkey(ctx, BOSC_I64, turned, n, shape->words, shape->words, 0, order);
}

bosc_status bi_trie_sort(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                         struct bi_trie_order *o)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = rows->n, *place;
    struct bi_trie_turning turning = {*shape, *rows, NULL};
    struct bi_trie_heads heads = {.words = shape->words};
    BI_TRY(bi_trie_scratch(ctx, n, (size_t)shape->words * 8, &turning.turned));
    BI_TRY(bi_trie_scratch(ctx, n, 4, &o->order));
    BI_TRY(bi_trie_scratch(ctx, n, 4, &o->starts));
    BI_TRY(bi_trie_scratch(ctx, n, 1, &heads.heads));
    BI_TRY(bi_trie_scratch(ctx, n, 4, &heads.places));
    BI_TRY(bi_trie_scratch(ctx, 1, 8, &place));
    BI_TRY(BI_TRIE_STEP(ctx, trie_turn, n, &turning));
    BI_TRY(sort_rows(ctx, shape, turning.turned, n, o->order));
    heads.turned = o->turned = turning.turned;
    heads.order = o->order;
    BI_TRY(BI_TRIE_STEP(ctx, trie_head, n, &heads));
    BI_TRY(core->compact(ctx, 4, heads.places, heads.heads, n, o->starts, place));
    o->n = n;
    return bi_read_back(ctx, &o->count, place, sizeof o->count);
}

bosc_status bi_trie_gather(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                           int64_t first_row, const struct bi_trie_sorted *to)
{
    struct bi_trie_gather gather = {.turned = o->turned,
                                    .order = o->order,
                                    .starts = o->starts,
                                    .n = o->n,
                                    .count = o->count,
                                    .words = trie->shape.words,
                                    .value_bits = trie->opts.value_bits,
                                    .last = trie->opts.duplicates == BOSC_TRIE_LAST,
                                    .values = values,
                                    .first_row = first_row,
                                    .keys = to->keys,
                                    .kept = to->values,
                                    .counts = to->counts};
    return BI_TRIE_STEP(ctx, trie_gather, o->count, &gather);
}

bosc_status bi_trie_check_given(bosc_ctx *ctx, const bosc_trie *trie, const uint64_t *keys, const void *values,
                                int64_t n, int64_t stride, struct bi_trie_given *given)
{
    BI_TRY(bi_trie_check(ctx, trie));
    BI_TRY(bi_trie_check_rows(ctx, &trie->shape, "keys", keys, "n", n, stride, &given->rows));
    given->values = values;
    return bi_trie_check_array(ctx, "values", values, false, (size_t)trie->opts.value_bits / 8);
}

bosc_status bi_trie_stage_given(bosc_ctx *ctx, const bosc_trie *trie, struct bi_trie_given *given)
{
    bool staged = false;
    size_t bytes = given->values ? (size_t)given->rows.n * (size_t)trie->opts.value_bits / 8 : 0;
    BI_TRY(bi_trie_stage_rows(ctx, &trie->shape, &given->rows, &staged));
    return bi_stage_in(ctx, given->values, bytes, &given->values, &staged);
}

static bosc_status build(bosc_ctx *ctx, bosc_trie *trie, struct bi_trie_given *given)
{
    struct bi_trie_order order;
    struct bi_trie_sorted keys;
    BI_TRY(bi_trie_stage_given(ctx, trie, given));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_trie_sort(ctx, &trie->shape, &given->rows, &order));
    BI_TRY(bi_trie_reserve_keys(ctx, trie, order.count, &keys));
    BI_TRY(bi_trie_gather(ctx, trie, &order, given->values, 0, &keys));
    bi_arena_rewind(ctx, mark);
    trie->keys = order.count;
    BI_TRY(bi_trie_make_nodes(ctx, trie));
    return ctx->backend->sync(ctx);
}

bosc_status bosc_trie_build(bosc_ctx *ctx, bosc_trie *trie, const uint64_t *keys, const void *values, int64_t n,
                            int64_t stride)
{
    struct bi_trie_given given;
    if (!ctx) return BOSC_ERR_ARG;
    bi_begin(ctx);
    BI_TRY(bi_trie_check_given(ctx, trie, keys, values, n, stride, &given));
    if (n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows, but a trie is built from less than 2^31", (long long)n);
    trie->rows = trie->keys = trie->nodes = 0;
    if (n == 0) return BOSC_OK;
    struct bi_mark mark = bi_arena_mark(ctx);
    bosc_status status = build(ctx, trie, &given);
    bi_arena_rewind(ctx, mark);
    if (status == BOSC_OK)
        trie->rows = n;
    else
        trie->keys = trie->nodes = 0;
    return status;
}
