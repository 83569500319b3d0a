/* Steps that sort rows and gather keys. */
#ifndef BI_TRIE_STEPS_SORT_H
#define BI_TRIE_STEPS_SORT_H

#include "base/atomic.h"
#include "trie/steps/keys.h"

/* Signed numbers by which rows are sorted, the most significant column first. */
struct bi_trie_columns {
    int64_t *data;          /* of row i and column s: [i * row_step + s * step] */
    int64_t row_step, step; /* row by row, or column by column */
    int32_t count;
    int32_t bits, last_bits; /* significant top bits of a column, and of the last one */
};

BI_FN int64_t bi_trie_column_at(const struct bi_trie_columns *c, int64_t row, int32_t s)
{
    return c->data[row * c->row_step + s * c->step];
}

/* Reverses rows, and flips the top bit of each word: signed columns then compare as unsigned words do. */
struct bi_trie_reversing {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    int64_t *reversed; /* (n x words) */
};

BI_FN void bi_step_trie_reverse(const struct bi_trie_reversing *a, int64_t i)
{
    const uint64_t *row = a->rows.data + i * a->rows.stride;
    for (int32_t s = 0; s < a->shape.letters.words; s++) {
        uint64_t word = bi_trie_reverse(&a->shape, row[s] & bi_letters_mask(&a->shape.letters, s));
        a->reversed[i * a->shape.letters.words + s] = (int64_t)(word ^ 1ull << 63);
    }
}

/* For steps with an item a word of each row, so that neighbouring threads read neighbouring words: item i is word *s
 * of the returned row. */
BI_FN int64_t bi_trie_item_row(int64_t i, int32_t words, int32_t *s)
{
    int64_t row = i >> 32 ? i / words : (int64_t)((uint32_t)i / (uint32_t)words);
    *s = (int32_t)(i - row * words);
    return row;
}

/* ---- a dictionary of the words of all rows ---- */

/* Marks empty slots of the dictionary; as a word it is not inserted, and ordered after all others. */
#define BI_TRIE_NO_WORD (~0ull)

struct bi_trie_words {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    uint64_t *table;      /* (slots) */
    uint32_t *word_slots; /* (n x words) the slot of each word; `slots` for BI_TRIE_NO_WORD */
    uint32_t slots;
    int32_t probes; /* slots where a word may be */
    uint64_t *full; /* 1 if a word finds no slot */
};

BI_FN uint32_t bi_trie_insert_word(const struct bi_trie_words *a, uint64_t word)
{
    uint32_t slot = (uint32_t)((bi_mix_u64(word) >> 32) * a->slots >> 32);
    if (word == BI_TRIE_NO_WORD) return a->slots;
    for (int k = 0; k < a->probes; k++) {
        uint64_t seen = bi_atomic_load_hint_u64(a->table + slot);
        if (seen == BI_TRIE_NO_WORD) seen = bi_atomic_fetch_cas_u64(a->table + slot, BI_TRIE_NO_WORD, word);
        if (seen == BI_TRIE_NO_WORD || seen == word) return slot;
        slot = slot + 1 < a->slots ? slot + 1 : 0;
    }
    bi_atomic_or_u64(a->full, 1);
    return a->slots;
}

/* Item i is a word. */
BI_FN void bi_step_trie_insert_word(const struct bi_trie_words *a, int64_t i)
{
    int32_t s;
    int64_t row = bi_trie_item_row(i, a->shape.letters.words, &s);
    if (bi_atomic_load_hint_u64(a->full)) return;
    uint64_t word = a->rows.data[row * a->rows.stride + s] & bi_letters_mask(&a->shape.letters, s);
    a->word_slots[i] = bi_trie_insert_word(a, bi_trie_reverse(&a->shape, word));
}

/* Lists the occupied slots. */
struct bi_trie_occupied {
    const uint64_t *table;
    uint8_t *occupied; /* (slots) */
    uint32_t *slots;   /* 0, 1, 2, ...; then the occupied slots */
    uint64_t *words;   /* of these */
};

BI_FN void bi_step_trie_occupied(const struct bi_trie_occupied *a, int64_t slot)
{
    a->occupied[slot] = a->table[slot] != BI_TRIE_NO_WORD;
    a->slots[slot] = (uint32_t)slot;
}

BI_FN void bi_step_trie_occupied_word(const struct bi_trie_occupied *a, int64_t w)
{
    a->words[w] = a->table[a->slots[w]];
}

/* Packs the dictionary numbers of a row's words, which compare as the rows do. */
struct bi_trie_row_numbers {
    const uint32_t *sorted;     /* (count) slots, by their words */
    const uint32_t *word_slots; /* (n x words) */
    uint32_t *numbers;          /* (slots + 1) of the word in each slot */
    uint32_t slots;
    int64_t count;       /* words of the dictionary, but BI_TRIE_NO_WORD */
    int32_t words, bits; /* of a row; of a number */
    struct bi_trie_columns to;
};

/* Word w of the sorted dictionary gets number w. Item `count` is BI_TRIE_NO_WORD, with the slot behind the table. */
BI_FN void bi_step_trie_number_word(const struct bi_trie_row_numbers *a, int64_t w)
{
    a->numbers[w < a->count ? a->sorted[w] : a->slots] = (uint32_t)w;
}

/* Appends numbers from the top bit of a column down; a number may be divided between two columns. */
BI_FN void bi_step_trie_number_row(const struct bi_trie_row_numbers *a, int64_t i)
{
    int64_t *to = a->to.data + i;
    uint64_t column = 0;
    int32_t bits_left = 64;
    for (int32_t s = 0; s < a->words; s++) {
        uint64_t number = a->numbers[a->word_slots[i * a->words + s]];
        bits_left -= a->bits;
        column |= bits_left >= 0 ? number << bits_left : number >> -bits_left;
        if (bits_left > 0 && s + 1 < a->words) continue;
        *to = (int64_t)(column ^ 1ull << 63);
        to += a->to.step;
        bits_left += 64;
        column = bits_left < 64 ? number << bits_left : 0;
    }
    if (to < a->to.data + a->to.count * a->to.step) *to = (int64_t)(column ^ 1ull << 63);
}

/* ---- order ---- */

/* One column, in the order of the rows. */
struct bi_trie_column {
    struct bi_trie_columns rows;
    const uint32_t *order; /* NULL: unsorted; then iota is written */
    int32_t index;
    int64_t *column; /* may be NULL */
    uint32_t *iota;
};

BI_FN void bi_step_trie_column(const struct bi_trie_column *a, int64_t p)
{
    int64_t row = a->order ? a->order[p] : p;
    if (a->column) a->column[p] = bi_trie_column_at(&a->rows, row, a->index);
    if (!a->order) a->iota[p] = (uint32_t)p;
}

/* Sorted rows: marks where a new key begins. */
struct bi_trie_heads {
    struct bi_trie_columns rows;
    const uint32_t *order;
    const int64_t *first; /* NULL, or the first column in this order */
    uint8_t *heads;
    uint32_t *indices; /* 0, 1, 2, ... */
};

BI_FN void bi_step_trie_head(const struct bi_trie_heads *a, int64_t p)
{
    bool head = p == 0 || (a->first && a->first[p] != a->first[p - 1]);
    if (!head) {
        int64_t x = a->order[p], y = a->order[p - 1];
        for (int32_t s = a->first ? 1 : 0; s < a->rows.count && !head; s++)
            head = bi_trie_column_at(&a->rows, x, s) != bi_trie_column_at(&a->rows, y, s);
    }
    a->heads[p] = head;
    a->indices[p] = (uint32_t)p;
}

/* ---- prefixes ---- */

/* Rows are sorted by a prefix first. Most prefixes are unique; rows with equal ones form runs, and each row finds its
 * rank in its run. */

struct bi_trie_prefixes {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    int32_t bits;              /* of a prefix, at most 32 */
    uint32_t *prefixes, *iota; /* iota: 0, 1, 2, ... */
};

BI_FN void bi_step_trie_prefix_of(const struct bi_trie_prefixes *a, int64_t i)
{
    uint64_t word = a->rows.data[i * a->rows.stride] & bi_letters_mask(&a->shape.letters, 0);
    a->prefixes[i] = (uint32_t)(bi_trie_reverse(&a->shape, word) >> (64 - a->bits));
    a->iota[i] = (uint32_t)i;
}

/* Rows sorted by prefix, equal ones in their own order. */
struct bi_trie_runs {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    struct bi_trie_columns columns; /* of word numbers, the first one being the prefix; or none */
    const uint32_t *prefixes;       /* sorted prefixes of rows, if there are no columns */
    const int64_t *firsts;          /* otherwise the sorted first column */
    const uint32_t *order;
    uint32_t *sorted;
    uint8_t *heads;       /* a new key begins */
    uint8_t *in_long_run; /* in a run of more than BI_TRIE_RUN, which is left as it is */
    uint32_t *indices;    /* 0, 1, 2, ... */
    int64_t *unordered;   /* 1: such a run is not sorted */
};

BI_FN bool bi_trie_same_prefix(const struct bi_trie_runs *a, int64_t p, int64_t q)
{
    return a->firsts ? a->firsts[p] == a->firsts[q] : a->prefixes[p] == a->prefixes[q];
}

/* Compares rows x and y with equal prefixes: negative if x is first, 0 if equal. */
BI_FN int bi_trie_compare_rest(const struct bi_trie_runs *a, int64_t x, int64_t y)
{
    for (int32_t s = 1; s < a->columns.count; s++) {
        const int64_t first = bi_trie_column_at(&a->columns, x, s), second = bi_trie_column_at(&a->columns, y, s);
        if (first != second) return first < second ? -1 : 1;
    }
    if (a->columns.count > 0) return 0;
    for (int32_t s = 0; s < a->shape.letters.words; s++) {
        const uint64_t mask = bi_letters_mask(&a->shape.letters, s);
        const uint64_t first = a->rows.data[x * a->rows.stride + s] & mask;
        const uint64_t second = a->rows.data[y * a->rows.stride + s] & mask;
        if (first != second) return bi_trie_reverse(&a->shape, first) < bi_trie_reverse(&a->shape, second) ? -1 : 1;
    }
    return 0;
}

/* Leaves a row of a long run where it is, and checks its order. */
BI_FN void bi_trie_check_long_run(const struct bi_trie_runs *a, int64_t p)
{
    const bool same = p > 0 && bi_trie_same_prefix(a, p - 1, p);
    const int to_previous = same ? bi_trie_compare_rest(a, a->order[p - 1], a->order[p]) : -1;
    a->sorted[p] = a->order[p];
    a->heads[p] = to_previous != 0;
    if (to_previous > 0) bi_atomic_or_u64((uint64_t *)a->unordered, 1);
}

/* Ranks row p in its run by comparisons. */
BI_FN void bi_step_trie_rank_in_run(const struct bi_trie_runs *a, int64_t p)
{
    int64_t begin = p, end = p + 1, before = 0;
    bool head = true;
    while (begin > 0 && p - begin < BI_TRIE_RUN && bi_trie_same_prefix(a, begin - 1, p)) begin--;
    while (end < a->rows.n && end - begin <= BI_TRIE_RUN && bi_trie_same_prefix(a, end, p)) end++;
    a->indices[p] = (uint32_t)p;
    a->in_long_run[p] = end - begin > BI_TRIE_RUN;
    if (end - begin > BI_TRIE_RUN) {
        bi_trie_check_long_run(a, p);
        return;
    }
    for (int64_t q = begin; q < end; q++) {
        const int order = q == p ? 1 : bi_trie_compare_rest(a, a->order[q], a->order[p]);
        before += order < 0 || (order == 0 && q < p);
        head &= order != 0 || q > p;
    }
    a->sorted[begin + before] = a->order[p];
    a->heads[begin + before] = head;
}

/* Writes the sorted rows of long runs back to their positions. */
struct bi_trie_scatter {
    const uint32_t *indices, *sorted;
    uint32_t *order;
};

BI_FN void bi_step_trie_scatter(const struct bi_trie_scatter *a, int64_t k) { a->order[a->indices[k]] = a->sorted[k]; }

/* ---- keys ---- */

/* Gathers keys from their rows. */
struct bi_trie_gather {
    struct bi_trie_shape shape;
    struct bi_trie_rows rows;
    const int64_t *reversed;        /* NULL, or the reversed rows */
    const uint32_t *order, *starts; /* starts: first position of each key in the order */
    int64_t count;
    int32_t value_bits;
    bool last;          /* keep the value of the last row */
    const void *values; /* NULL: row numbers from first_row on */
    int64_t first_row;
    uint64_t *keys;
    void *stored_values;
    uint32_t *counts;
};

BI_FN void bi_trie_gather_word(const struct bi_trie_gather *a, int64_t k, int64_t row, int32_t s)
{
    uint64_t *to = a->keys + k * a->shape.letters.words + s;
    if (a->reversed)
        *to = (uint64_t)a->reversed[row * a->shape.letters.words + s] ^ 1ull << 63;
    else
        *to =
            bi_trie_reverse(&a->shape, a->rows.data[row * a->rows.stride + s] & bi_letters_mask(&a->shape.letters, s));
}

/* Item i is a word of a key. */
BI_FN void bi_step_trie_gather_word(const struct bi_trie_gather *a, int64_t i)
{
    int32_t s;
    int64_t k = bi_trie_item_row(i, a->shape.letters.words, &s);
    bi_trie_gather_word(a, k, a->order[a->starts[k]], s);
}

/* Value and multiplicity of a key. */
BI_FN void bi_step_trie_gather_value(const struct bi_trie_gather *a, int64_t k)
{
    uint32_t start = a->starts[k], end = k + 1 < a->count ? a->starts[k + 1] : (uint32_t)a->rows.n;
    int64_t of = a->order[a->last ? end - 1 : start];
    a->counts[k] = end - start;
    if (a->value_bits == 64)
        ((uint64_t *)a->stored_values)[k] =
            a->values ? ((const uint64_t *)a->values)[of] : (uint64_t)(a->first_row + of);
    else
        ((uint32_t *)a->stored_values)[k] =
            a->values ? ((const uint32_t *)a->values)[of] : (uint32_t)(a->first_row + of);
}

/* Key, value and multiplicity. */
BI_FN void bi_step_trie_gather(const struct bi_trie_gather *a, int64_t k)
{
    int64_t row = a->order[a->starts[k]];
    for (int32_t s = 0; s < a->shape.letters.words; s++) bi_trie_gather_word(a, k, row, s);
    bi_step_trie_gather_value(a, k);
}

#endif
