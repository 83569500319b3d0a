/* Sorts rows, and gathers keys from them. Three methods give the same order:
 *
 * - Whole rows, by columns of words from the last to the first, or by comparisons. PUBLISHED tries are sorted by
 *   columns always, as in the paper.
 * - A prefix of the first 24 or 32 bits, then the few runs with equal prefixes by the rest. Each row of a short run
 *   finds its rank there by comparisons with the others. Long runs, unless already sorted, are sorted by whole rows.
 * - A prefix of word numbers. Vectors of many letters often hold few distinct words: millions of rows of 256 bits may
 *   have a hundred thousand. A dictionary numbers the words in ascending order. Rows of numbers of 20 bits compare as
 *   the rows do, and the first three numbers distinguish nearly all rows. */
#include "core/call.h"
#include "trie/drivers.h"

/* ---- columns of numbers ---- */

/* Reverses the rows into columns in scratch. */
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

/* Sorts n members (NULL: all rows) stably by the last column, then by the one before, and so on; first (n) gets the
 * sorted first column. Allocates scratch. */
static bosc_status sort_columns(bosc_ctx *ctx, const struct bi_trie_columns *rows, const uint32_t *members, int64_t n,
                                uint32_t *order, int64_t *first)
{
    struct bi_trie_column c = {.rows = *rows, .order = members, .index = rows->count - 1};
    int64_t *column = NULL;
    if (members || rows->count > 1 || rows->row_step > 1) BI_TRY(bi_scratch_of(ctx, n, 8, &column));
    BI_TRY(bi_scratch_of(ctx, n, 4, &c.iota));
    for (; c.index >= 0; c.index--) {
        int used_bits = c.index + 1 < rows->count ? rows->bits : rows->last_bits;
        bool contiguous = !c.order && rows->row_step == 1;
        c.column = contiguous ? NULL : column;
        BI_TRY(BI_TRIE_STEP(ctx, trie_column, n, &c));
        const int64_t *from = contiguous ? rows->data + c.index * rows->step : column;
        BI_TRY(ctx->backend->core->sort_pairs(ctx, BOSC_I64, from, 4, c.order ? c.order : c.iota, n, first, order,
                                              64 - used_bits, 64));
        c.order = order;
    }
    return BOSC_OK;
}

/* ---- a dictionary of words ---- */

/* Inserts the words of rows into an empty dictionary; *words->full (reachable) becomes 1 if they are too many. */
static bosc_status insert_all(bosc_ctx *ctx, struct bi_trie_words *words)
{
    BI_TRY(ctx->backend->fill(ctx, words->table, 0xff, (size_t)words->slots * 8));
    BI_TRY(ctx->backend->fill(ctx, words->full, 0, 8));
    return BI_TRIE_STEP(ctx, trie_insert_word, words->rows.n * words->shape.letters.words, words);
}

/* The same; *count gets the number of distinct words, or -1 if too many; `occupied` lists their slots. */
static bosc_status insert_words(bosc_ctx *ctx, struct bi_trie_words *words, uint32_t *occupied, int64_t *count)
{
    struct bi_trie_occupied t = {.table = words->table};
    int64_t found[2], *results;
    BI_TRY(bi_scratch_of(ctx, 2, 8, &results));
    BI_TRY(bi_scratch_of(ctx, words->slots, 1, &t.occupied));
    BI_TRY(bi_scratch_of(ctx, words->slots, 4, &t.slots));
    words->full = (uint64_t *)results + 1;
    BI_TRY(insert_all(ctx, words));
    BI_TRY(BI_TRIE_STEP(ctx, trie_occupied, words->slots, &t));
    BI_TRY(ctx->backend->core->compact(ctx, 4, t.slots, t.occupied, words->slots, occupied, results));
    BI_TRY(bi_read_back(ctx, found, results, sizeof found));
    *count = found[1] ? -1 : found[0];
    return BOSC_OK;
}

/* Decides by a sample of rows. Their words go into a table with five slots for four words. If probe sequences stay
 * short, at least about a quarter of the words repeat. */
static bosc_status words_repeat(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                bool *repeat)
{
    /* At most an eighth of the rows, and 2^16, so that the sample costs little. PROBES: less gives up sooner. Not
     * measured. */
    enum { SAMPLE = 1 << 16, PROBES = 48 };
    struct bi_trie_words words = {.shape = *shape, .rows = *rows, .probes = PROBES};
    uint64_t full;
    words.rows.n = rows->n / 8 < SAMPLE ? rows->n / 8 : SAMPLE;
    words.slots = (uint32_t)(5 * words.rows.n * shape->letters.words / 4 + 1);
    BI_TRY(bi_scratch_of(ctx, words.rows.n, (size_t)shape->letters.words * 4, &words.word_slots));
    BI_TRY(bi_scratch_of(ctx, words.slots, 8, &words.table));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &words.full));
    BI_TRY(insert_all(ctx, &words));
    BI_TRY(bi_read_back(ctx, &full, words.full, sizeof full));
    *repeat = !full;
    return BOSC_OK;
}

/* Numbers the words of the dictionary, and packs the numbers of rows into columns. */
static bosc_status number_words(bosc_ctx *ctx, const struct bi_trie_words *words, uint32_t *occupied, int64_t count,
                                struct bi_trie_columns *to)
{
    struct bi_trie_occupied t = {.table = words->table, .slots = occupied};
    struct bi_trie_row_numbers a = {.sorted = occupied,
                                    .word_slots = words->word_slots,
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

/* Numbers the words of the rows: columns in scratch; no columns if the words do not repeat. */
static bosc_status number_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                               struct bi_trie_columns *to)
{
    enum { PROBES = 128 };
    struct bi_trie_words words = {.shape = *shape,
                                  .rows = *rows,
                                  .slots = (uint32_t)bi_trie_dictionary_slots(ctx, shape, rows->n),
                                  .probes = PROBES};
    uint32_t *occupied;
    int64_t count;
    to->count = 0;
    BI_TRY(bi_scratch_of(ctx, rows->n, (size_t)shape->letters.words * 8, &to->data));
    struct bi_mark mark = bi_arena_mark(ctx);
    BI_TRY(bi_scratch_of(ctx, rows->n, (size_t)shape->letters.words * 4, &words.word_slots));
    BI_TRY(bi_scratch_of(ctx, words.slots, 8, &words.table));
    BI_TRY(bi_scratch_of(ctx, words.slots, 4, &occupied));
    BI_TRY_WITH_SCRATCH(ctx, insert_words(ctx, &words, occupied, &count));
    if (count >= 0) BI_TRY(number_words(ctx, &words, occupied, count, to));
    bi_arena_rewind(ctx, mark);
    return BOSC_OK;
}

/* ---- prefixes ---- */

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
    uint32_t *members, *positions, *sorted;
    int64_t count, *found, *first;
    BI_TRY(bi_scratch_of(ctx, 1, 8, &found));
    BI_TRY(bi_scratch_of(ctx, n, 4, &members));
    BI_TRY(bi_scratch_of(ctx, n, 4, &positions));
    BI_TRY(core->compact(ctx, 4, runs->sorted, runs->in_long_run, n, members, found));
    BI_TRY(core->compact(ctx, 4, runs->indices, runs->in_long_run, n, positions, found));
    BI_TRY(bi_read_back(ctx, &count, found, sizeof count));
    if (heads.rows.count == 0) BI_TRY(reverse_rows(ctx, &runs->shape, &runs->rows, &heads.rows));
    BI_TRY(bi_scratch_of(ctx, count, 4, &sorted));
    BI_TRY(bi_scratch_of(ctx, count, 8, &first));
    BI_TRY(sort_columns(ctx, &heads.rows, members, count, sorted, first));
    struct bi_trie_scatter back = {positions, sorted, runs->sorted};
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

/* Fills o->order, o->starts (allocated) and o->count from o->rows. Prefixes are word numbers (`numbers`), unless the
 * words turn out to be too many, or the first bits of the rows. */
static bosc_status sort_by_prefix(bosc_ctx *ctx, struct bi_trie_runs *runs, bool numbers, struct bi_trie_order *o)
{
    uint32_t *order;
    struct bi_mark mark = bi_arena_mark(ctx);
    if (numbers) BI_TRY(number_rows(ctx, &runs->shape, &runs->rows, &runs->columns));
    if (runs->columns.count == 0) bi_arena_rewind(ctx, mark);
    BI_TRY(bi_scratch_of(ctx, runs->rows.n, 4, &order));
    BI_TRY(order_by_prefix(ctx, runs, order));
    return finish_runs(ctx, runs, o);
}

/* ---- whole rows ---- */

/* Sorts whole rows. Unless by_columns is set, few rows of a device, and long rows, are sorted by comparisons: that is
 * faster than many radix sorts. */
static bosc_status sort_whole(bosc_ctx *ctx, const struct bi_trie_shape *shape, bool by_columns,
                              struct bi_trie_order *o)
{
    const struct bi_core_ops *core = ctx->backend->core;
    struct bi_trie_heads heads = {.order = o->order};
    struct bi_trie_columns *columns = &heads.rows;
    int64_t n = o->rows.n, *count_at, *first;
    BI_TRY(bi_scratch_of(ctx, n, 1, &heads.heads));
    BI_TRY(bi_scratch_of(ctx, n, 4, &heads.indices));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &count_at));
    BI_TRY(reverse_rows(ctx, shape, &o->rows, columns));
    o->reversed = columns->data;
    if (!by_columns && (columns->count > BI_TRIE_COLUMNS || n <= ctx->ops->trie->whole_rows)) {
        BI_TRY(core->sort_superkey(ctx, BOSC_I64, columns->data, n, columns->count, columns->count, 0, o->order, NULL));
    } else {
        BI_TRY(bi_scratch_of(ctx, n, 8, &first));
        BI_TRY_WITH_SCRATCH(ctx, sort_columns(ctx, columns, NULL, n, o->order, first));
        heads.first = first;
    }
    BI_TRY(BI_TRIE_STEP(ctx, trie_head, n, &heads));
    BI_TRY(core->compact(ctx, 4, heads.indices, heads.heads, n, o->starts, count_at));
    return bi_read_back(ctx, &o->count, count_at, sizeof o->count);
}

/* ---- rows ---- */

enum method { WHOLE_ROWS, BIT_PREFIXES, NUMBER_PREFIXES };

/* Chooses the sort: whole rows without a dictionary, or if there are few rows whose words repeat; else prefixes. */
static bosc_status choose_method(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                 enum method *method)
{
    bool repeat;
    *method = WHOLE_ROWS;
    if (bi_trie_dictionary_slots(ctx, shape, rows->n) == 0) return BOSC_OK;
    BI_TRY_WITH_SCRATCH(ctx, words_repeat(ctx, shape, rows, &repeat));
    const bool few = rows->n * shape->letters.words < BI_TRIE_DICTIONARY_WORDS && rows->n <= ctx->ops->trie->whole_rows;
    if (!repeat)
        *method = BIT_PREFIXES;
    else if (!few) /* a dictionary does not pay for few words */
        *method = NUMBER_PREFIXES;
    return BOSC_OK;
}

bosc_status bi_trie_sort_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                              bool by_columns, struct bi_trie_order *o)
{
    enum method method = WHOLE_ROWS;
    *o = (struct bi_trie_order){.rows = *rows};
    BI_TRY(bi_scratch_of(ctx, rows->n, 4, &o->order));
    BI_TRY(bi_scratch_of(ctx, rows->n, 4, &o->starts));
    if (!by_columns) BI_TRY(choose_method(ctx, shape, rows, &method));
    if (method == WHOLE_ROWS) return sort_whole(ctx, shape, by_columns, o);
    struct bi_trie_runs runs = {.shape = *shape, .rows = o->rows, .sorted = o->order};
    BI_RETURN_WITH_SCRATCH(ctx, sort_by_prefix(ctx, &runs, method == NUMBER_PREFIXES, o));
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
