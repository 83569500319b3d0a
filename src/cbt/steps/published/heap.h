/* Steps of the published heap: a perfect tree of sums over the bit field, level d with D - d + 1 bits a node. Source:
 * Dupuy (2020), sections 3 and 4. */
#ifndef BI_CBT_STEPS_PUBLISHED_HEAP_H
#define BI_CBT_STEPS_PUBLISHED_HEAP_H

#include <boscage/device/cbt.h>

#include "cbt/steps/word.h"

/* The position of the first bit of a node of a level. */
BI_FN uint64_t bi_cbt_heap_bit(uint64_t node, int32_t level, int32_t depth)
{
    return ((uint64_t)2 << level) + node * (uint64_t)(depth - level + 1);
}

BI_FN uint64_t bi_cbt_heap_get(const uint64_t *heap, uint64_t node, int32_t level, int32_t depth)
{
    uint64_t bit = bi_cbt_heap_bit(node, level, depth), word = bit >> 6, low = bit & 63;
    int32_t width = depth - level + 1;
    uint64_t value = heap[word] >> low;
    if (low + (uint64_t)width > 64) value |= heap[word + 1] << (64 - low);
    return value & (((uint64_t)1 << width) - 1);
}

/* Computes one level of sums from the level below, or copies the bits. Items are the words of the heap that contain the
 * level, from `word` on. A value that spans two words is computed for both, so that no two items write one word. */
struct bi_cbt_heap {
    uint64_t *heap;
    const uint64_t *bits;
    int32_t depth, level;
    int64_t word;
};

/* The bits of node k's value that lie in a word, in place. */
BI_FN uint64_t bi_cbt_heap_word_part(const struct bi_cbt_heap *a, uint64_t k, int32_t level, uint64_t word)
{
    uint64_t sum, bit = bi_cbt_heap_bit(k, level, a->depth);
    if (level == a->depth)
        sum = (uint64_t)bosc_cbt_bit(a->bits, k - ((uint64_t)1 << a->depth));
    else
        sum = bi_cbt_heap_get(a->heap, 2 * k, level + 1, a->depth) +
              bi_cbt_heap_get(a->heap, 2 * k + 1, level + 1, a->depth);
    return bit >= 64 * word ? sum << (bit - 64 * word) : sum >> (64 * word - bit);
}

/* For levels from 6 on, which begin and end at word boundaries. */
BI_FN void bi_step_cbt_heap_level(const struct bi_cbt_heap *a, int64_t i)
{
    uint64_t word = (uint64_t)(a->word + i), width = (uint64_t)a->depth - (uint64_t)a->level + 1, sums = 0;
    uint64_t base = (uint64_t)2 << a->level, k = (64 * word - base) / width, end = (uint64_t)2 << a->level;
    if (a->level == a->depth) {
        a->heap[word] = a->bits[i];
        return;
    }
    for (; k < end && bi_cbt_heap_bit(k, a->level, a->depth) < 64 * (word + 1); k++)
        sums |= bi_cbt_heap_word_part(a, k, a->level, word);
    a->heap[word] = sums;
}

/* Computes node 0 and the levels up to 5, by one item. Words of levels from 6 on are unchanged. */
BI_FN void bi_step_cbt_heap_top(const struct bi_cbt_heap *a, int64_t item)
{
    int32_t low = a->depth < 5 ? a->depth : 5;
    uint64_t bits = bi_cbt_heap_bit((uint64_t)2 << low, low, a->depth);
    for (uint64_t word = 0; word < (bits + 63) / 64; word++) a->heap[word] = 0;
    a->heap[a->depth >> 6] |= (uint64_t)1 << (a->depth & 63);
    for (int32_t level = low; level >= 0; level--) {
        for (uint64_t k = (uint64_t)1 << level; k < (uint64_t)2 << level; k++) {
            uint64_t bit = bi_cbt_heap_bit(k, level, a->depth), width = (uint64_t)a->depth - (uint64_t)level + 1;
            for (uint64_t word = bit >> 6; word <= (bit + width - 1) >> 6; word++)
                a->heap[word] |= bi_cbt_heap_word_part(a, k, level, word);
        }
    }
    (void)item;
}

/* Extracts words of the bit field from a heap; for depths below 6 the field is part of a word. */
struct bi_cbt_heap_bits {
    const uint64_t *heap;
    int32_t depth;
    uint64_t *bits;
};

BI_FN void bi_step_cbt_heap_bits(const struct bi_cbt_heap_bits *a, int64_t word)
{
    uint64_t bit = ((uint64_t)3 << a->depth) + 64 * (uint64_t)word;
    a->bits[word] = a->heap[bit >> 6] >> (bit & 63) & bi_cbt_field_mask(a->depth);
}

#endif
