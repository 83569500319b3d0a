/* Sorts rows, and gathers keys from them. */
#include "core/call.h"
#include "trie/drivers.h"

/* Sorts whole rows: for few rows a device's comparison sort is faster than many radix sorts. */
static bosc_status sort_whole(bosc_ctx *ctx, const struct bi_trie_shape *shape, struct bi_trie_order *o)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_trie_heads heads = {.order = o->order};
    struct bi_trie_columns *columns = &heads.rows;
    int64_t n = o->rows.n, *count_at, *first;
    BI_TRY(bi_scratch_of(ctx, n, 1, &heads.heads));
    BI_TRY(bi_scratch_of(ctx, n, 4, &heads.indices));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &count_at));
    BI_TRY(bi_trie_reverse_rows(ctx, shape, &o->rows, columns));
    o->reversed = columns->data;
    if (columns->count > BI_TRIE_COLUMNS || n <= ctx->ops->trie->whole_rows) {
        BI_TRY(core->sort_superkey(ctx, BOSC_I64, columns->data, n, columns->count, columns->count, 0, o->order, NULL));
    } else {
        BI_TRY(bi_scratch_of(ctx, n, 8, &first));
        BI_TRY_WITH_SCRATCH(ctx, bi_trie_sort_columns(ctx, columns, NULL, n, o->order, first));
        heads.first = first;
    }
    BI_TRY(BI_TRIE_STEP(ctx, trie_head, n, &heads));
    BI_TRY(core->compact(ctx, 4, heads.indices, heads.heads, n, o->starts, count_at));
    return bi_read_back(ctx, &o->count, count_at, sizeof o->count);
}

bosc_status bi_trie_sort_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                              struct bi_trie_order *o)
{
    *o = (struct bi_trie_order){.rows = *rows};
    BI_TRY(bi_scratch_of(ctx, rows->n, 4, &o->order));
    BI_TRY(bi_scratch_of(ctx, rows->n, 4, &o->starts));
    if (bi_trie_dictionary_slots(ctx, shape, rows->n) == 0) return sort_whole(ctx, shape, o);
    bool repetitive;
    BI_TRY(bi_trie_words_repeat(ctx, shape, rows, &repetitive));
    const bool small =
        rows->n * shape->letters.words < BI_TRIE_DICTIONARY_WORDS && rows->n <= ctx->ops->trie->whole_rows;
    if (repetitive && small) return sort_whole(ctx, shape, o); /* a dictionary does not pay for few words */
    return bi_trie_sort_by_prefix(ctx, shape, repetitive, o);
}

bosc_status bi_trie_gather_keys(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
                                int64_t first_row, const struct bi_trie_sorted *to)
{
    struct bi_trie_gather gather = {.shape = trie->shape,
                                    .rows = o->rows,
                                    .reversed = o->reversed,
                                    .order = o->order,
                                    .starts = o->starts,
                                    .count = o->count,
                                    .value_bits = trie->opts.value_bits,
                                    .last = trie->opts.duplicates == BOSC_TRIE_LAST,
                                    .values = values,
                                    .first_row = first_row,
                                    .keys = to->keys,
                                    .stored_values = to->values,
                                    .counts = to->counts};
    if (!ctx->ops->trie->gathers_by_word) return BI_TRIE_STEP(ctx, trie_gather, o->count, &gather);
    BI_TRY(BI_TRIE_STEP(ctx, trie_gather_word, o->count * trie->shape.letters.words, &gather));
    return BI_TRIE_STEP(ctx, trie_gather_value, o->count, &gather);
}
