/* Steps that write keys and words. An item is a function of its number. */
#ifndef BI_RANDOM_STEPS_KEYS_H
#define BI_RANDOM_STEPS_KEYS_H

#include <boscage/random.h>

#include "base/philox.h"
#include "base/zipf.h"

/* ---- keys ---- */

/* Part of the output: other numbers give other keys. */
enum { BI_RANDOM_ROUNDS = 4, BI_RANDOM_HALF = 1 << 16, BI_RANDOM_TABLES = 2 * BI_RANDOM_ROUNDS * BI_RANDOM_HALF };
enum { BI_RANDOM_ZIPF_KEYS = 1000000 };
#define BI_RANDOM_KEYS_STREAM 0x6b657973ull /* of the tables, by bosc_random_bits */

struct bi_random_keys_args {
    uint64_t seed;
    bosc_random_keys_kind kind;
    int32_t is_64bit;
    const uint32_t *tables; /* random words: of each permutation and round, one for each half of a number */
    struct bi_zipf zipf;    /* of ZIPF */
    void *keys;
};

/* A permutation of all 32-bit numbers by a Feistel network: each round exchanges the halves and adds to one a random
 * number chosen by the other. Four rounds: Luby, Rackoff, How to Construct Pseudorandom Permutations from Pseudorandom
 * Functions (1988). */
BI_FN uint32_t bi_random_permute(const uint32_t *tables, uint32_t x)
{
    uint32_t low = x % BI_RANDOM_HALF, high = x / BI_RANDOM_HALF;
    for (uint32_t round = 0; round < BI_RANDOM_ROUNDS; round++) {
        uint32_t next = (high + tables[round * BI_RANDOM_HALF + low]) % BI_RANDOM_HALF;
        high = low;
        low = next;
    }
    return high * BI_RANDOM_HALF + low;
}

/* Key i of DISTINCT: the permutation of i; a 64-bit key has a second permutation in its low half. */
BI_FN uint64_t bi_random_distinct_key(const struct bi_random_keys_args *a, uint32_t i)
{
    const uint32_t key = bi_random_permute(a->tables, i);
    if (!a->is_64bit) return key;
    return (uint64_t)key << 32 | bi_random_permute(a->tables + BI_RANDOM_ROUNDS * BI_RANDOM_HALF, i);
}

BI_FN uint64_t bi_random_key(const struct bi_random_keys_args *a, int64_t i)
{
    /* Apart from the streams of points and words, and so are the further ones of bi_zipf_rank. */
    const uint64_t stream = 0xb05ca9e05a000000ull;
    const uint32_t x = (uint32_t)i;
    switch (a->kind) {
    case BOSC_RANDOM_KEYS_SEQUENTIAL: return x;
    case BOSC_RANDOM_KEYS_MULTIPLES: return a->is_64bit ? (uint64_t)x << 32 : (uint32_t)(x << 8 | x >> 24);
    case BOSC_RANDOM_KEYS_ZIPF:
        return bi_random_distinct_key(a, bi_zipf_rank(&a->zipf, a->seed, stream, (uint64_t)i) - 1);
    case BOSC_RANDOM_KEYS_EQUAL: return bi_random_distinct_key(a, 0);
    default: return bi_random_distinct_key(a, x);
    }
}

BI_FN void bi_step_keys(const struct bi_random_keys_args *a, int64_t i)
{
    const uint64_t key = bi_random_key(a, i);
    if (a->is_64bit)
        ((uint64_t *)a->keys)[i] = key;
    else
        ((uint32_t *)a->keys)[i] = (uint32_t)key;
}

/* ---- words ---- */

struct bi_random_words_args {
    uint64_t seed;
    bosc_random_words_kind kind;
    int32_t length, letters;
    uint8_t *words;
};

/* Writes row i. An odd row of PAIRS has the letters of the row before it, and one of them another. */
BI_FN void bi_step_words(const struct bi_random_words_args *a, int64_t i)
{
    /* 1. The letters of a row, four from a block. */
    const uint64_t stream = 0xb05ca9e0a5000000ull | (uint64_t)a->kind << 16, letters = (uint64_t)a->letters;
    const bool is_copy = a->kind == BOSC_RANDOM_WORDS_PAIRS && i % 2 == 1;
    const uint64_t from = (uint64_t)(is_copy ? i - 1 : i), blocks = (uint64_t)(a->length + 3) / 4;
    uint8_t *word = a->words + i * a->length;
    struct bi_philox block = {{0, 0, 0, 0}};
    for (int32_t k = 0; k < a->length; k++) {
        if (k % 4 == 0) block = bi_philox_at(a->seed, stream, from * blocks + (uint64_t)k / 4);
        word[k] = (uint8_t)(block.v[k % 4] * letters >> 32);
    }
    if (!is_copy) return;
    /* 2. Add 1 to letters - 1 to one of them. */
    block = bi_philox_at(a->seed, stream | 1, (uint64_t)i);
    uint8_t *letter = &word[block.v[0] * (uint64_t)a->length >> 32];
    *letter = (uint8_t)((*letter + 1 + (block.v[1] * (letters - 1) >> 32)) % letters);
}

#endif
