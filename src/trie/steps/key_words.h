/* Letters, digits and places in reversed words, and query vectors. */
#ifndef BI_TRIE_STEPS_KEY_WORDS_H
#define BI_TRIE_STEPS_KEY_WORDS_H

#include <stdbool.h>

#include "base/bits.h"
#include "trie/trie.h"

/* Reverses the bits of each letter of a reversed word. */
BI_FN uint64_t bi_trie_mirror(const struct bi_trie_shape *s, uint64_t x)
{
    for (int32_t i = 0, gap = s->letters.letter_bits - 1; gap > 0; i++, gap -= 2) {
        uint64_t differ = (x >> gap ^ x) & s->reversed_lows << i;
        x ^= differ | differ << gap;
    }
    return x;
}

/* Reverses a packed word: letters from the top bit down; bi_trie_restore is the inverse. */
BI_FN uint64_t bi_trie_reverse(const struct bi_trie_shape *s, uint64_t word)
{
    return bi_trie_mirror(s, bi_reverse_bits(word));
}
BI_FN uint64_t bi_trie_restore(const struct bi_trie_shape *s, uint64_t reversed)
{
    return bi_reverse_bits(bi_trie_mirror(s, reversed));
}

/* The digit at a place of its reversed word. */
BI_FN uint32_t bi_trie_digit(const struct bi_trie_shape *s, uint64_t reversed, uint32_t place)
{
    return (uint32_t)(reversed << (place & 63) >> (64 - s->digit_bits));
}

/* The begin of the digit that contains a place. */
BI_FN uint32_t bi_trie_digit_place(const struct bi_trie_shape *s, uint32_t place)
{
    uint32_t bit = place & 63;
    return place - bit + bit / (uint32_t)s->digit_bits * (uint32_t)s->digit_bits;
}

/* The place of digit `level` of a key. */
BI_FN uint32_t bi_trie_level_place(const struct bi_trie_shape *s, int32_t level)
{
    return (uint32_t)(level / s->digits * 64 + level % s->digits * s->digit_bits);
}
BI_FN int32_t bi_trie_level(const struct bi_trie_shape *s, uint32_t place)
{
    return (int32_t)(place >> 6) * s->digits + (int32_t)(place & 63) / s->digit_bits;
}

BI_FN int32_t bi_trie_letter(const struct bi_trie_shape *s, uint32_t place)
{
    return (int32_t)(place >> 6) * s->letters.per_word + (int32_t)(place & 63) / s->letters.letter_bits;
}
BI_FN uint32_t bi_trie_letter_place(const struct bi_trie_shape *s, int32_t letter)
{
    return (uint32_t)(letter / s->letters.per_word * 64 + letter % s->letters.per_word * s->letters.letter_bits);
}

/* A query vector: a row of the caller, or a reversed one. Or the smallest vector above a key that matches a row:
 * equal to `above` before place `split`, 1 there, and equal to the row behind. */
struct bi_trie_query {
    const struct bi_trie_shape *shape;
    const uint64_t *row, *mask; /* mask: NULL, or the bits of a packed row that count */
    const uint64_t *above;      /* NULL, or a reversed row */
    uint32_t split;
    bool reversed;
};

BI_FN uint64_t bi_trie_row_word(const struct bi_trie_query *x, int32_t word)
{
    if (x->reversed) return x->row[word];
    uint64_t packed = x->row[word] & bi_letters_mask(&x->shape->letters, word);
    return bi_trie_reverse(x->shape, x->mask ? packed & x->mask[word] : packed);
}

BI_FN uint64_t bi_trie_word(const struct bi_trie_query *x, int32_t word)
{
    if (!x->above) return bi_trie_row_word(x, word);
    int32_t split = (int32_t)(x->split >> 6);
    if (word < split) return x->above[word];
    uint64_t row = bi_trie_row_word(x, word);
    if (word > split) return row;
    uint64_t bit = 1ull << (63 - (x->split & 63)), below = bit - 1;
    return (x->above[word] & ~(bit | below)) | bit | (row & below);
}

BI_FN const uint64_t *bi_trie_key(const struct bi_trie_view *v, int64_t rank)
{
    return v->keys + rank * v->shape.letters.words;
}

/* The first place below `limit` at which the key and x differ, or `limit`. */
BI_FN uint32_t bi_trie_first_difference(const struct bi_trie_view *v, const struct bi_trie_query *x, int64_t rank,
                                        uint32_t limit)
{
    const uint64_t *key = bi_trie_key(v, rank);
    for (int32_t s = 0; (uint32_t)s * 64 < limit; s++) {
        uint64_t differ = key[s] ^ bi_trie_word(x, s);
        if (!differ) continue;
        uint32_t place = (uint32_t)s * 64 + (uint32_t)bi_leading_zeros(differ);
        return place < limit ? place : limit;
    }
    return limit;
}

/* The bit of x at a place. */
BI_FN bool bi_trie_bit(const struct bi_trie_query *x, uint32_t place)
{
    return bi_trie_word(x, (int32_t)(place >> 6)) << (place & 63) >> 63;
}

/* The place behind the last one of a key. */
BI_FN uint32_t bi_trie_key_bits(const struct bi_trie_shape *s) { return (uint32_t)s->letters.words * 64; }

#endif
