/* Sorts rows by columns of numbers: least significant first. */
#include "core/call.h"
#include "trie/drivers.h"

bosc_status bi_trie_reverse_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                 struct bi_trie_columns *to)
{
    struct bi_trie_reversing reversing = {*shape, *rows, NULL};
    BI_TRY(bi_scratch_of(ctx, rows->n, (size_t)shape->letters.words * 8, &reversing.reversed));
    *to = (struct bi_trie_columns){reversing.reversed,
                                   shape->letters.words,
                                   1,
                                   shape->letters.words,
                                   bi_popcount(shape->letters.mask),
                                   bi_popcount(shape->letters.last_mask)};
    return BI_TRIE_STEP(ctx, trie_reverse, rows->n, &reversing);
}

bosc_status bi_trie_sort_columns(bosc_ctx *ctx, const struct bi_trie_columns *rows, const uint32_t *members, int64_t n,
                                 uint32_t *order, int64_t *first)
{
    struct bi_trie_column c = {.rows = *rows, .order = members, .index = rows->count - 1};
    int64_t *column = NULL;
    if (members || rows->count > 1 || rows->row_step > 1) BI_TRY(bi_scratch_of(ctx, n, 8, &column));
    BI_TRY(bi_scratch_of(ctx, n, 4, &c.iota));
    for (; c.index >= 0; c.index--) {
        int used = c.index + 1 < rows->count ? rows->bits : rows->last_bits;
        bool there = !c.order && rows->row_step == 1;
        c.column = there ? NULL : column;
        BI_TRY(BI_TRIE_STEP(ctx, trie_column, n, &c));
        const int64_t *from = there ? rows->data + c.index * rows->step : column;
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, from, 4, c.order ? c.order : c.iota, n, first, order,
                                              64 - used, 64));
        c.order = order;
    }
    return BOSC_OK;
}
