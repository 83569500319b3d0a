/* Sorts rows, and makes keys of them.
 *
 * Vectors of many letters hold far less than their bits say: in millions of rows of 256 bits there may be a hundred
 * thousand different words. So the words get numbers, in their order, by a dictionary of them; rows of numbers of 20
 * bits are sorted in a third of the passes. Rows of too many different words are sorted as they are. */
#include "core/call.h"
#include "trie/drivers.h"

/* Sorts by the last column, then stably by the one before, and so on; first (n) gets the first one in order. */
static bosc_status sort_columns(bosc_ctx *ctx, const struct bi_trie_columns *rows, int64_t n, uint32_t *order,
                                int64_t *first)
{
    struct bi_trie_column c = {.rows = *rows, .which = rows->count - 1};
    int64_t *column = NULL;
    if (rows->count > 1 || rows->row_step > 1) BI_TRY(bi_scratch_of(ctx, n, 8, &column));
    BI_TRY(bi_scratch_of(ctx, n, 4, &c.begun));
    for (; c.which >= 0; c.which--) {
        int used = c.which + 1 < rows->count ? rows->bits : rows->last_bits;
        bool there = !c.order && rows->row_step == 1;
        c.column = there ? NULL : column;
        BI_TRY(BI_TRIE_STEP(ctx, trie_column, n, &c));
        const int64_t *from = there ? rows->data + c.which * rows->step : column;
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, from, 4, c.order ? order : c.begun, n, first, order,
                                              64 - used, 64));
        c.order = order;
    }
    return BOSC_OK;
}

/* Puts the words of rows into an empty dictionary; *count gets how many it holds then, or -1 if they are too many, and
 * taken the slots that hold one. */
static bosc_status insert_words(bosc_ctx *ctx, struct bi_trie_words *words, uint32_t *occupied, int64_t *count)
{
    struct bi_trie_occupied t = {.table = words->table};
    int64_t found[2], *results;
    BI_TRY(bi_scratch_of(ctx, 2, 8, &results));
    BI_TRY(bi_scratch_of(ctx, words->slots, 1, &t.occupied));
    BI_TRY(bi_scratch_of(ctx, words->slots, 4, &t.places));
    words->full = (uint64_t *)results + 1;
    BI_TRY(ctx->backend->fill(ctx, words->table, 0xff, (size_t)words->slots * 8));
    BI_TRY(ctx->backend->fill(ctx, words->full, 0, 8));
    BI_TRY(BI_TRIE_STEP(ctx, trie_insert_word, words->rows.n * words->shape.letters.words, words));
    BI_TRY(BI_TRIE_STEP(ctx, trie_occupied, words->slots, &t));
    BI_TRY(ctx->backend->core->compact(ctx, 4, t.places, t.occupied, words->slots, occupied, results));
    BI_TRY(bi_read_back(ctx, found, results, sizeof found));
    *count = found[1] ? -1 : found[0];
    return BOSC_OK;
}

static int64_t slots_of(int64_t words)
{
    return words / 4 + 1 < BI_TRIE_DICTIONARY_SLOTS ? words / 4 + 1 : BI_TRIE_DICTIONARY_SLOTS;
}

int64_t bi_trie_dictionary_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n)
{
    bool worth =
        shape->letters.words >= 2 && shape->letters.words <= BI_TRIE_COLUMNS && n >= ctx->ops->trie->dictionary_rows;
    return worth ? slots_of(n * shape->letters.words) : 0;
}

/* Rows of many words that are alike, as a sixteenth of them says. */
static bosc_status are_alike(bosc_ctx *ctx, const struct bi_trie_words *words, uint32_t *occupied, bool *alike)
{
    struct bi_trie_words some = *words;
    int64_t count;
    some.rows.n /= 16;
    some.slots = (uint32_t)slots_of(some.rows.n * some.shape.letters.words * 2);
    BI_TRY(insert_words(ctx, &some, occupied, &count));
    *alike = count >= 0;
    return BOSC_OK;
}

/* Numbers the words of the dictionary, and makes columns of the rows. */
static bosc_status number_words(bosc_ctx *ctx, const struct bi_trie_words *words, uint32_t *occupied, int64_t count,
                                struct bi_trie_columns *to)
{
    struct bi_trie_occupied t = {.table = words->table, .places = occupied};
    struct bi_trie_number_rows a = {.sorted = occupied,
                                    .places = words->places,
                                    .slots = words->slots,
                                    .count = count,
                                    .words = words->shape.letters.words,
                                    .bits = count > 0 ? bi_bit_length((uint64_t)count) : 1};
    uint64_t *sorted;
    BI_TRY(bi_scratch_of(ctx, count, 8, &t.words));
    BI_TRY(bi_scratch_of(ctx, count, 8, &sorted));
    BI_TRY(bi_scratch_of(ctx, (int64_t)a.slots + 1, 4, &a.numbers));
    BI_TRY(BI_TRIE_STEP(ctx, trie_occupied_word, count, &t));
    BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_U64, t.words, 4, occupied, count, sorted, occupied, 0, 64));
    BI_TRY(BI_TRIE_STEP(ctx, trie_number_word, count + 1, &a));
    to->row_step = 1;
    to->step = words->rows.n;
    to->count = (int32_t)bi_div_up((int64_t)a.words * a.bits, 64);
    to->bits = 64;
    to->last_bits = a.words * a.bits - 64 * (to->count - 1);
    a.to = *to;
    return BI_TRIE_STEP(ctx, trie_number_row, words->rows.n, &a);
}

/* The same rows by the numbers of their words, in scratch; no columns if that would not pay. */
static bosc_status number_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                               struct bi_trie_columns *to)
{
    struct bi_trie_words words = {
        .shape = *shape, .rows = *rows, .slots = (uint32_t)bi_trie_dictionary_slots(ctx, shape, rows->n)};
    uint32_t *occupied;
    int64_t count;
    bool alike;
    to->count = 0;
    if (words.slots == 0) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, rows->n, (size_t)shape->letters.words * 8, &to->data));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_scratch_of(ctx, rows->n, (size_t)shape->letters.words * 4, &words.places));
    BI_TRY(bi_scratch_of(ctx, words.slots, 8, &words.table));
    BI_TRY(bi_scratch_of(ctx, words.slots, 4, &occupied));
    BI_TRY(are_alike(ctx, &words, occupied, &alike));
    if (alike) BI_TRY_WITH_SCRATCH(ctx, insert_words(ctx, &words, occupied, &count));
    if (alike && count >= 0) BI_TRY(number_words(ctx, &words, occupied, count, to));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* The rows reversed as columns. */
static bosc_status reverse_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
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

bosc_status bi_trie_sort(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                         struct bi_trie_order *o)
{
    const struct bi_core_ops *core = ctx->backend->core;
    int64_t n = rows->n, *place, *first = NULL;
    struct bi_trie_heads heads = {0};
    struct bi_trie_columns *columns = &heads.rows;
    *o = (struct bi_trie_order){.rows = *rows};
    BI_TRY(bi_scratch_of(ctx, n, 4, &o->order));
    BI_TRY(bi_scratch_of(ctx, n, 4, &o->starts));
    BI_TRY(bi_scratch_of(ctx, n, 1, &heads.heads));
    BI_TRY(bi_scratch_of(ctx, n, 4, &heads.places));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &place));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(number_rows(ctx, shape, rows, columns));
    bool whole = false; /* many launches of radix sorts are undercut by a device's sort of rows while they are few */
    if (columns->count == 0) {
        bi_arena_rewind(ctx, mark);
        BI_TRY(reverse_rows(ctx, shape, rows, columns));
        o->reversed = columns->data;
        whole = columns->count > BI_TRIE_COLUMNS || n <= ctx->ops->trie->whole_rows;
    }
    if (whole) {
        BI_TRY(core->sort_superkey(ctx, BOSC_I64, columns->data, n, columns->count, columns->count, 0, o->order, NULL));
    } else {
        BI_TRY(bi_scratch_of(ctx, n, 8, &first));
        BI_TRY_WITH_SCRATCH(ctx, sort_columns(ctx, columns, n, o->order, first));
    }
    heads.order = o->order;
    heads.first = first;
    BI_TRY(BI_TRIE_STEP(ctx, trie_head, n, &heads));
    BI_TRY(core->compact(ctx, 4, heads.places, heads.heads, n, o->starts, place));
    return bi_read_back(ctx, &o->count, place, sizeof o->count);
}

bosc_status bi_trie_gather(bosc_ctx *ctx, const bosc_trie *trie, const struct bi_trie_order *o, const void *values,
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
                                    .kept = to->values,
                                    .counts = to->counts};
    if (!ctx->ops->trie->gathers_by_word) return BI_TRIE_STEP(ctx, trie_gather, o->count, &gather);
    BI_TRY(BI_TRIE_STEP(ctx, trie_gather_word, o->count * trie->shape.letters.words, &gather));
    return BI_TRIE_STEP(ctx, trie_gather_value, o->count, &gather);
}
