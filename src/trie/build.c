/* The driver of builds: rows are sorted, equal ones become one key, and keys get nodes. */
#include "core/call.h"
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

bosc_status bi_trie_gather(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                           int64_t first_row, const struct bi_trie_sorted *to)
{
    struct bi_trie_gather gather = {.shape = trie->shape,
                                    .rows = o->rows,
                                    .turned = o->turned,
                                    .order = o->order,
                                    .starts = o->starts,
                                    .count = o->count,
                                    .value_bits = trie->opts.value_bits,
                                    .last = trie->opts.duplicates == BOSC_TRIE_LAST,
                                    .values = values,
                                    .first_row = first_row,
                                    .keys = to->keys,
                                    .kept = to->values,
                                    .counts = to->counts};
    if (ctx->backend->id == BOSC_BACKEND_CPU) return BI_TRIE_STEP(ctx, trie_gather, o->count, &gather);
    BI_TRY(BI_TRIE_STEP(ctx, trie_gather_word, o->count * trie->shape.words, &gather));
    return BI_TRIE_STEP(ctx, trie_gather_value, o->count, &gather);
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
    BI_ENTER(ctx);
    BI_TRY(bi_trie_check_given(ctx, trie, keys, values, n, stride, &given));
    if (n > INT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld rows, but a trie is built from less than 2^31", (long long)n);
    trie->rows = trie->keys = trie->nodes = 0;
    if (n == 0) return BOSC_OK;
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build(ctx, trie, &given));
    if (status == BOSC_OK)
        trie->rows = n;
    else
        trie->keys = trie->nodes = 0;
    return status;
}
