/* Steps on whole bit fields. Items are blocks of 1,024 bits unless said otherwise. */
#ifndef BI_CBT_STEPS_BITS_H
#define BI_CBT_STEPS_BITS_H

#include "base/atomic.h"
#include "cbt/steps/sizes.h"
#include "cbt/steps/word.h"

/* The word at position `first` of a field whose leaves begin at multiples of 2^size. */
BI_FN uint64_t bi_cbt_level_word(int32_t depth, int32_t size, uint64_t first)
{
    const bool starts = size < 6 || (first & (((uint64_t)1 << size) - 1)) == 0;
    uint64_t every = 1;
    for (int32_t t = 5; t >= size; t--) every |= every << ((uint64_t)1 << t);
    return !(first >> depth) && starts ? every & bi_cbt_field_mask(depth) : 0;
}

/* Makes the nodes of a level the leaves. Items are blocks + 1: the last one writes the total. */
struct bi_cbt_reset {
    int32_t depth, level;
    int64_t blocks;
    uint64_t *bits;
    int64_t *ranks;
};

BI_FN void bi_step_cbt_reset(const struct bi_cbt_reset *a, int64_t block)
{
    int32_t size = a->depth - a->level; /* leaves begin at multiples of 2^size */
    uint64_t first = (uint64_t)block << BOSC_CBT_BLOCK_BITS, end = (uint64_t)1 << a->depth;
    a->ranks[block] = (int64_t)(((first < end ? first : end) + ((uint64_t)1 << size) - 1) >> size);
    if (block == a->blocks) return;
    for (int w = 0; w < BI_CBT_WORDS; w++)
        a->bits[block * BI_CBT_WORDS + w] = bi_cbt_level_word(a->depth, size, first + 64 * (uint64_t)w);
}

/* Copies bits and ranks to a tree, in one launch, so that it never has half of them. Items are blocks + 1. */
struct bi_cbt_install {
    bosc_cbt_view view;
    const uint64_t *bits;
    const int64_t *ranks;
};

BI_FN void bi_step_cbt_install(const struct bi_cbt_install *a, int64_t block)
{
    uint64_t *bits = (uint64_t *)a->view.bits;
    ((int64_t *)a->view.ranks)[block] = a->ranks[block];
    if (block == a->view.blocks) return;
    if (bits == a->bits) return; /* the tree's own field */
    for (int64_t w = block * BI_CBT_WORDS; w < (block + 1) * BI_CBT_WORDS; w++) bits[w] = a->bits[w];
}

/* Counts the leaves of blocks. */
struct bi_cbt_count {
    const uint64_t *bits;
    int64_t *counts;
};

BI_FN void bi_step_cbt_count(const struct bi_cbt_count *a, int64_t block)
{
    int64_t count = 0;
    for (int w = 0; w < BI_CBT_WORDS; w++) count += bosc_cbt_popcount(a->bits[block * BI_CBT_WORDS + w]);
    a->counts[block] = count;
}

/* Lowers *invalid to the first bit that no tree has. Items are words. */
struct bi_cbt_validate {
    const uint64_t *bits;
    int32_t depth;
    int64_t *invalid;
};

BI_FN void bi_step_cbt_validate(const struct bi_cbt_validate *a, int64_t word)
{
    uint64_t inside = bi_cbt_field_mask(a->depth), b = a->bits[word], split = word == 0 ? b & inside & ~(uint64_t)1 : b;
    uint64_t wrong = (split & ~bi_cbt_valid_splits(a->bits, a->depth, word, split)) | (b & ~inside);
    if (word == 0 && !(b & 1)) wrong |= 1;
    if (wrong) bi_atomic_min_i64(a->invalid, word * 64 + bosc_cbt_trailing_zeros(wrong));
}

/* Keeps the bits whose ancestors are all set. Items are words. */
struct bi_cbt_repair {
    const uint64_t *bits;
    int32_t depth;
    uint64_t *out;
};

BI_FN void bi_step_cbt_repair(const struct bi_cbt_repair *a, int64_t word)
{
    uint64_t kept = word == 0, inside = bi_cbt_field_mask(a->depth);
    for (uint64_t left = a->bits[word] & inside; left; left &= left - 1) {
        uint64_t x = (uint64_t)word * 64 + (uint64_t)bosc_cbt_trailing_zeros(left), up = x;
        while (up && !(up >> a->depth) && bosc_cbt_bit(a->bits, up)) up = bi_cbt_parent_bit(up);
        if (up >> a->depth) kept |= left & (0 - left);
    }
    a->out[word] = kept;
}

#endif
