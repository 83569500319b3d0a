/* The published heap: a perfect tree of sums over the bit field, level d with D - d + 1 bits a node. Steps that compute
 * it from a bit field; and steps of PUBLISHED trees, which consist of the heap alone: commands change the bits of its
 * deepest level, and the sums above keep the tree of the last reduction. Source: Dupuy (2020), sections 3 and 4. */
#ifndef BI_CBT_STEPS_PUBLISHED_HEAP_H
#define BI_CBT_STEPS_PUBLISHED_HEAP_H

#include <boscage/device/cbt_heap.h>

#include "cbt/steps/bits.h"

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

/* ---- PUBLISHED trees ---- */

/* 64 bits of the heap from `bit` on; fewer for a field of less than a word. */
BI_FN uint64_t bi_cbt_heap_field(const bosc_cbt_heap_view *v, uint64_t bit)
{
    return bosc_cbt_heap_word(v, bit >> 6) >> (bit & 63) & bi_cbt_field_mask(v->depth);
}

/* A word of the current bit field, with the recorded commands. */
BI_FN uint64_t bi_cbt_heap_current_word(const bosc_cbt_heap_view *v, int64_t word)
{
    return bi_cbt_heap_field(v, ((uint64_t)3 << v->depth) + 64 * (uint64_t)word);
}

/* The same word as of the last reduction, from the level above the deepest one. It has two bits a node, at the
 * positions of its children's bits: 2 if both were set, 1 if the left one was. */
BI_FN uint64_t bi_cbt_heap_previous_word(const bosc_cbt_heap_view *v, int64_t word)
{
    if (v->depth == 0) return 1;
    const uint64_t sums = bi_cbt_heap_field(v, ((uint64_t)2 << v->depth) + 64 * (uint64_t)word);
    return sums | (sums >> 1 & 0x5555555555555555u);
}

/* Stores a word of the bit field in a heap; a field of less than a word is part of one. */
BI_FN void bi_cbt_heap_store_field(uint64_t *heap, int32_t depth, int64_t word, uint64_t bits)
{
    const uint64_t at = ((uint64_t)3 << depth) + 64 * (uint64_t)word, mask = bi_cbt_field_mask(depth);
    uint64_t *to = heap + (at >> 6);
    *to = depth < 6 ? (*to & ~(mask << (at & 63))) | bits << (at & 63) : bits;
}

/* Item i: a query about a leaf or a node. */
struct bi_cbt_heap_query {
    bosc_cbt_heap_view view;
    const int64_t *leaves; /* leaves to decode; NULL: first, first + 1, ... */
    int64_t first, count;
    void *nodes;
    int64_t *answers;
    bool is_64bit;
};

BI_FN void bi_step_cbt_heap_decode(const struct bi_cbt_heap_query *a, int64_t i)
{
    const int64_t leaf = a->leaves ? a->leaves[i] : a->first + i;
    bi_cbt_store_node(a->nodes, i, bosc_cbt_heap_leaf_node(&a->view, leaf), a->is_64bit);
}

BI_FN void bi_step_cbt_heap_encode(const struct bi_cbt_heap_query *a, int64_t i)
{
    a->answers[i] = bosc_cbt_heap_leaf_index(&a->view, bi_cbt_load_node(a->nodes, i, a->is_64bit));
}

BI_FN void bi_step_cbt_heap_values(const struct bi_cbt_heap_query *a, int64_t i)
{
    const uint64_t node = bi_cbt_load_node(a->nodes, i, a->is_64bit);
    if (node == 0)
        a->answers[i] = (int64_t)1 << a->view.depth;
    else if (bosc_cbt_is_node(node, a->view.depth))
        a->answers[i] = (int64_t)bosc_cbt_heap_value(&a->view, node, bosc_cbt_level(node));
    else
        a->answers[i] = 0;
}

/* Decodes leaves first to first + count - 1, bit by bit, by one item. */
BI_FN void bi_step_cbt_heap_sequential(const struct bi_cbt_heap_query *a, int64_t item)
{
    const int32_t depth = a->view.depth;
    const uint64_t end = (uint64_t)1 << depth;
    int64_t leaf = -1 - a->first;
    uint64_t begin = 0, bits = 0;
    for (uint64_t position = 0; position <= end; position++, bits >>= 1) {
        if (position < end && position % 64 == 0) bits = bi_cbt_heap_previous_word(&a->view, (int64_t)(position / 64));
        if (position < end && !(bits & 1)) continue;
        const uint64_t node = position ? bosc_cbt_node(begin, bosc_cbt_trailing_zeros(position - begin), depth) : 0;
        if (leaf >= 0 && leaf < a->count) bi_cbt_store_node(a->nodes, leaf, node, a->is_64bit);
        leaf++;
        begin = position;
    }
    for (leaf = leaf < 0 ? 0 : leaf; leaf < a->count; leaf++) bi_cbt_store_node(a->nodes, leaf, 0, a->is_64bit);
    (void)item;
}

/* Item i: a command for nodes[i], or for leaf i. */
struct bi_cbt_heap_record {
    bosc_cbt_heap_view view;
    const void *nodes;
    bool is_64bit, merge;
    const uint8_t *commands;
};

BI_FN void bi_step_cbt_heap_record(const struct bi_cbt_heap_record *a, int64_t i)
{
    const uint64_t node = bi_cbt_load_node(a->nodes, i, a->is_64bit);
    if (a->merge)
        bosc_cbt_heap_mark_merge(&a->view, node);
    else
        bosc_cbt_heap_mark_split(&a->view, node);
}

BI_FN void bi_step_cbt_heap_record_by_leaf(const struct bi_cbt_heap_record *a, int64_t leaf)
{
    const uint8_t command = a->commands[leaf];
    if (command != BOSC_CBT_SPLIT && command != BOSC_CBT_MERGE) return;
    const uint64_t node = bosc_cbt_heap_leaf_node(&a->view, leaf);
    if (command == BOSC_CBT_SPLIT)
        bosc_cbt_heap_mark_split(&a->view, node);
    else
        bosc_cbt_heap_mark_merge(&a->view, node);
}

/* Change of the bits before a reduction sums them. */
enum bi_cbt_bits_change {
    BI_CBT_BITS_UNCHANGED,
    BI_CBT_BITS_UPDATED, /* merges are cancelled if a child is to be split */
    BI_CBT_BITS_OF_LEVEL,
    BI_CBT_BITS_COPIED
};

struct bi_cbt_reduction {
    bosc_cbt_heap_view view;
    enum bi_cbt_bits_change change;
    int32_t level;
    const uint64_t *bits;
    uint32_t *arrived; /* a word of scratch in reach: the barrier of a device's blocks */
};

/* Sets the bit of a merge again if a child of the node is to be split. Items are words. Items may run in any order: the
 * bits they read (of splits) were clear at the last reduction, the bits they set (of merges) were set. */
BI_FN void bi_step_cbt_heap_cancel_merges(const struct bi_cbt_reduction *a, int64_t word)
{
    const bosc_cbt_heap_view *v = &a->view;
    uint64_t merged = bi_cbt_heap_previous_word(v, word) & ~bi_cbt_heap_current_word(v, word);
    for (; merged; merged &= merged - 1) {
        const uint64_t x = 64 * (uint64_t)word + (uint64_t)bosc_cbt_trailing_zeros(merged);
        const uint64_t half = (x & (0 - x)) >> 1;
        if (half == 0) continue; /* children of the deepest level cannot be split */
        const uint64_t left = x - half, right = x + half;
        if ((bi_cbt_heap_current_word(v, (int64_t)(left >> 6)) >> (left & 63) & 1) ||
            (bi_cbt_heap_current_word(v, (int64_t)(right >> 6)) >> (right & 63) & 1))
            bosc_cbt_heap_set_bit(v, x, 1);
    }
}

/* Changes a word of the field before it is summed. */
BI_FN void bi_cbt_change_bits(const struct bi_cbt_reduction *a, int64_t word)
{
    const bosc_cbt_heap_view *v = &a->view;
    uint64_t bits;
    if (a->change == BI_CBT_BITS_UPDATED) bi_step_cbt_heap_cancel_merges(a, word);
    if (a->change == BI_CBT_BITS_OF_LEVEL)
        bits = bi_cbt_level_word(v->depth, v->depth - a->level, 64 * (uint64_t)word);
    else if (a->change == BI_CBT_BITS_COPIED)
        bits = a->bits[word];
    else
        return;
    bi_cbt_heap_store_field(v->heap, v->depth, word, bits);
}

/* Number of words of a level, and the first of them; 6 <= level <= depth. */
BI_FN int64_t bi_cbt_level_words(int32_t depth, int32_t level)
{
    return ((int64_t)1 << (level - 6)) * (depth - level + 1);
}
BI_FN int64_t bi_cbt_level_first_word(int32_t depth, int32_t level)
{
    return ((int64_t)1 << (level - 6)) * (depth - level + 3);
}

/* The arguments of bi_step_cbt_heap_level for a level. */
BI_FN struct bi_cbt_heap bi_cbt_level_of(const bosc_cbt_heap_view *v, int32_t level)
{
    const struct bi_cbt_heap all = {v->heap, NULL, v->depth, level, bi_cbt_level_first_word(v->depth, level)};
    return all;
}

/* Computes the levels up to 5, by one thread. */
BI_FN void bi_cbt_reduce_top(const bosc_cbt_heap_view *v)
{
    const uint64_t bits = v->depth < 6 ? bi_cbt_heap_current_word(v, 0) : 0;
    const struct bi_cbt_heap top = {v->heap, &bits, v->depth, 0, 0};
    bi_step_cbt_heap_top(&top, 0);
}

/* Exports a word of the field, as of the last reduction. */
struct bi_cbt_heap_export {
    bosc_cbt_heap_view view;
    uint64_t *bits; /* the field, or NULL */
    uint64_t *heap; /* or a heap that has its sums already */
};

BI_FN void bi_step_cbt_heap_export(const struct bi_cbt_heap_export *a, int64_t word)
{
    const uint64_t bits = bi_cbt_heap_previous_word(&a->view, word);
    if (a->bits)
        a->bits[word] = bits;
    else
        bi_cbt_heap_store_field(a->heap, a->view.depth, word, bits);
}

/* Counts the leaves that a block of 1,024 bits will have, once merges are cancelled; then, from the scan of these
 * counts, writes their sources. */
struct bi_cbt_heap_sources {
    bosc_cbt_heap_view view;
    int64_t blocks;
    int64_t *counts; /* (blocks + 1), then their exclusive scan */
    int64_t *sources;
    int64_t capacity;
};

BI_FN int32_t bi_cbt_words_of_block(int32_t depth)
{
    return depth >= BOSC_CBT_BLOCK_BITS ? BI_CBT_WORDS : depth > 6 ? 1 << (depth - 6) : 1;
}

BI_FN void bi_step_cbt_heap_count(const struct bi_cbt_heap_sources *a, int64_t block)
{
    int64_t count = 0;
    for (int32_t w = 0; w < bi_cbt_words_of_block(a->view.depth) && block < a->blocks; w++)
        count += bosc_cbt_popcount(bi_cbt_heap_current_word(&a->view, block * BI_CBT_WORDS + w));
    a->counts[block] = count;
}

/* Items: the blocks, then one for each 1,024 sources, which writes -1 beyond the last leaf. */
BI_FN void bi_step_cbt_heap_sources(const struct bi_cbt_heap_sources *a, int64_t block)
{
    if (block >= a->blocks) {
        bi_cbt_clear_sources(a->sources, a->capacity, block - a->blocks, a->counts[a->blocks]);
        return;
    }
    int64_t leaf = a->counts[block], old = bosc_cbt_heap_rank(&a->view, (uint64_t)block << BOSC_CBT_BLOCK_BITS) - 1;
    for (int32_t w = 0; w < bi_cbt_words_of_block(a->view.depth) && leaf < a->capacity; w++) {
        const int64_t word = block * BI_CBT_WORDS + w;
        leaf = bi_cbt_write_word_sources(bi_cbt_heap_previous_word(&a->view, word),
                                         bi_cbt_heap_current_word(&a->view, word), &old, leaf, a->sources, a->capacity);
    }
}

#endif
