/* Numbers the words of rows.
 *
 * Vectors of many letters often hold few distinct words: millions of rows of 256 bits may have a hundred thousand. A
 * dictionary numbers the words in ascending order. Rows of numbers of 20 bits compare as the rows do, and the first
 * three numbers distinguish nearly all rows. */
#include "core/call.h"
#include "trie/drivers.h"

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

static int64_t choose_slots(int64_t words)
{
    return words / 4 + 1 < BI_TRIE_DICTIONARY_SLOTS ? words / 4 + 1 : BI_TRIE_DICTIONARY_SLOTS;
}

int64_t bi_trie_dictionary_slots(const bosc_ctx *ctx, const struct bi_trie_shape *shape, int64_t n)
{
    bool worth =
        shape->letters.words >= 2 && shape->letters.words <= BI_TRIE_COLUMNS && n >= ctx->ops->trie->dictionary_rows;
    return worth ? choose_slots(n * shape->letters.words) : 0;
}

/* Decides by a sample of rows. Their words go into a table with five slots for four words. If probe sequences stay
 * short, at least about a quarter of the words repeat. */
static bosc_status sample_repeats(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                  bool *repetitive)
{
    enum { SAMPLE = 1 << 16, PROBES = 48 }; /* chosen */
    struct bi_trie_words words = {.shape = *shape, .rows = *rows, .probes = PROBES};
    uint64_t full;
    words.rows.n = rows->n / 8 < SAMPLE ? rows->n / 8 : SAMPLE;
    words.slots = (uint32_t)(5 * words.rows.n * shape->letters.words / 4 + 1);
    BI_TRY(bi_scratch_of(ctx, words.rows.n, (size_t)shape->letters.words * 4, &words.word_slots));
    BI_TRY(bi_scratch_of(ctx, words.slots, 8, &words.table));
    BI_TRY(bi_scratch_of(ctx, 1, 8, &words.full));
    BI_TRY(insert_all(ctx, &words));
    BI_TRY(bi_read_back(ctx, &full, words.full, sizeof full));
    *repetitive = !full;
    return BOSC_OK;
}

bosc_status bi_trie_words_repeat(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
                                 bool *repetitive)
{
    BI_RETURN_WITH_SCRATCH(ctx, sample_repeats(ctx, shape, rows, repetitive));
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

bosc_status bi_trie_number_rows(bosc_ctx *ctx, const struct bi_trie_shape *shape, const struct bi_trie_rows *rows,
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
