/* Letters packed into words: a row is `length` letters of `letter_bits` bits. A 64-bit word holds as many whole letters
 * as fit, from the lowest bits up. Cell graphs and tries store rows in this form. */
#ifndef BI_BASE_LETTERS_H
#define BI_BASE_LETTERS_H

#include "base/step.h"

enum { BI_LETTERS_MAX = 65536, BI_LETTER_BITS_MAX = 8 };

struct bi_letters {
    int32_t length, letter_bits;
    int32_t per_word; /* letters of every word except the last */
    int32_t words;
    uint64_t mask, last_mask; /* bits used by letters in a word, and in the last one */
    uint64_t lows;            /* the lowest bit of each letter of a word */
};

/* For 1 <= length <= BI_LETTERS_MAX and 1 <= letter_bits <= BI_LETTER_BITS_MAX. */
static inline struct bi_letters bi_letters_of(int32_t length, int32_t letter_bits)
{
    struct bi_letters s = {length, letter_bits, 64 / letter_bits, 0, 0, 0, 0};
    s.words = (length + s.per_word - 1) / s.per_word;
    s.mask = ~0ull >> (64 - s.per_word * letter_bits);
    s.last_mask = ~0ull >> (64 - (length - (s.words - 1) * s.per_word) * letter_bits);
    for (int32_t j = 0; j < s.per_word; j++) s.lows |= 1ull << j * letter_bits;
    return s;
}

/* Number of words of a row; 0 if an argument is out of range. */
static inline int64_t bi_letters_words(int32_t length, int32_t letter_bits)
{
    if (length < 1 || length > BI_LETTERS_MAX || letter_bits < 1 || letter_bits > BI_LETTER_BITS_MAX) return 0;
    return bi_letters_of(length, letter_bits).words;
}

/* Bits that letters use in a word of a row. */
BI_FN uint64_t bi_letters_mask(const struct bi_letters *s, int32_t word)
{
    return word + 1 < s->words ? s->mask : s->last_mask;
}

#endif
