/* Steps of PUBLISHED trees, which are the article's heap alone. Commands change the bits of its deepest level; what the
 * tree was at the last reduction is read from the sums above it. Source: Dupuy (2020), sections 3 and 4. */
#ifndef BI_CBT_STEPS_PUBLISHED_H
#define BI_CBT_STEPS_PUBLISHED_H

#include <boscage/device/cbt_heap.h>

#include "base/atomic.h"
#include "cbt/steps/bits.h"
#include "cbt/steps/heap.h"
#include "cbt/steps/nodes.h"

/* 64 bits of the heap from `bit` on, or those of a field of less. */
BI_FN uint64_t bi_cbt_heap_field(const bosc_cbt_heap_view *v, uint64_t bit)
{
    return bosc_cbt_heap_word(v, bit >> 6) >> (bit & 63) & bi_cbt_field_mask(v->depth);
}

/* A word of the bit field with the commands that were recorded. */
BI_FN uint64_t bi_cbt_heap_now(const bosc_cbt_heap_view *v, int64_t word)
{
    return bi_cbt_heap_field(v, ((uint64_t)3 << v->depth) + 64 * (uint64_t)word);
}

/* The same as of the last reduction. The level above the deepest one has two bits a node, which lie as its children's
 * bits do: 2 if both are set, 1 if the left one is. */
BI_FN uint64_t bi_cbt_heap_then(const bosc_cbt_heap_view *v, int64_t word)
{
    if (v->depth == 0) return 1;
    const uint64_t sums = bi_cbt_heap_field(v, ((uint64_t)2 << v->depth) + 64 * (uint64_t)word);
    return sums | (sums >> 1 & 0x5555555555555555u);
}

/* Item i: what is asked of a leaf or a node. */
struct bi_cbt_heap_query {
    bosc_cbt_heap_view view;
    const int64_t *leaves; /* of decoding; NULL: first, first + 1, ... */
    int64_t first, count;
    void *nodes;
    int64_t *answers;
    bool wide;
};

BI_FN void bi_step_cbt_heap_decode(const struct bi_cbt_heap_query *a, int64_t i)
{
    const int64_t leaf = a->leaves ? a->leaves[i] : a->first + i;
    bi_cbt_store_node(a->nodes, i, bosc_cbt_heap_leaf_node(&a->view, leaf), a->wide);
}

BI_FN void bi_step_cbt_heap_encode(const struct bi_cbt_heap_query *a, int64_t i)
{
    a->answers[i] = bosc_cbt_heap_leaf_index(&a->view, bi_cbt_load_node(a->nodes, i, a->wide));
}

BI_FN void bi_step_cbt_heap_values(const struct bi_cbt_heap_query *a, int64_t i)
{
    const uint64_t node = bi_cbt_load_node(a->nodes, i, a->wide);
    if (node == 0)
        a->answers[i] = (int64_t)1 << a->view.depth;
    else if (bosc_cbt_is_node(node, a->view.depth))
        a->answers[i] = (int64_t)bosc_cbt_heap_value(&a->view, node, bosc_cbt_level(node));
    else
        a->answers[i] = 0;
}

/* Leaves first to first + count - 1, bit by bit, by one item. */
BI_FN void bi_step_cbt_heap_sequential(const struct bi_cbt_heap_query *a, int64_t item)
{
    const int32_t depth = a->view.depth;
    const uint64_t end = (uint64_t)1 << depth;
    int64_t leaf = -1 - a->first;
    uint64_t begin = 0, bits = 0;
    for (uint64_t position = 0; position <= end; position++, bits >>= 1) {
        if (position < end && position % 64 == 0) bits = bi_cbt_heap_then(&a->view, (int64_t)(position / 64));
        if (position < end && !(bits & 1)) continue;
        const uint64_t node = position ? bosc_cbt_node(begin, bosc_cbt_trailing_zeros(position - begin), depth) : 0;
        if (leaf >= 0 && leaf < a->count) bi_cbt_store_node(a->nodes, leaf, node, a->wide);
        leaf++;
        begin = position;
    }
    for (leaf = leaf < 0 ? 0 : leaf; leaf < a->count; leaf++) bi_cbt_store_node(a->nodes, leaf, 0, a->wide);
    (void)item;
}

/* Item i: a command for nodes[i], or for leaf i. */
struct bi_cbt_heap_record {
    bosc_cbt_heap_view view;
    const void *nodes;
    bool wide, merge;
    const uint8_t *commands;
};

BI_FN void bi_step_cbt_heap_record(const struct bi_cbt_heap_record *a, int64_t i)
{
    const uint64_t node = bi_cbt_load_node(a->nodes, i, a->wide);
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

/* What a reduction does to the bits before it sums them up. */
enum bi_cbt_bits_change {
    BI_CBT_BITS_AS_THEY_ARE,
    BI_CBT_BITS_COMMANDED, /* merges of which a child is to be split are taken back */
    BI_CBT_BITS_OF_LEVEL,
    BI_CBT_BITS_GIVEN
};

struct bi_cbt_reduction {
    bosc_cbt_heap_view view;
    enum bi_cbt_bits_change change;
    int32_t level;
    const uint64_t *bits;
    uint32_t *arrived; /* a word of scratch in reach, at which blocks of a device wait for each other */
};

/* Item: a word of the field. The bits of splits, which it reads of others, were clear then, and those that others set
 * here were set. */
BI_FN void bi_step_cbt_heap_settle(const struct bi_cbt_reduction *a, int64_t word)
{
    const bosc_cbt_heap_view *v = &a->view;
    uint64_t merged = bi_cbt_heap_then(v, word) & ~bi_cbt_heap_now(v, word);
    for (; merged; merged &= merged - 1) {
        const uint64_t x = 64 * (uint64_t)word + (uint64_t)bosc_cbt_trailing_zeros(merged);
        const uint64_t half = (x & (0 - x)) >> 1;
        if (half == 0) continue; /* of the deepest level */
        const uint64_t left = x - half, right = x + half;
        if ((bi_cbt_heap_now(v, (int64_t)(left >> 6)) >> (left & 63) & 1) ||
            (bi_cbt_heap_now(v, (int64_t)(right >> 6)) >> (right & 63) & 1))
            bosc_cbt_heap_set_bit(v, x, 1);
    }
}

/* Item: a word of the field gets what the reduction sums up. */
BI_FN void bi_cbt_change_bits(const struct bi_cbt_reduction *a, int64_t word)
{
    const bosc_cbt_heap_view *v = &a->view;
    const uint64_t at = ((uint64_t)3 << v->depth) + 64 * (uint64_t)word, mask = bi_cbt_field_mask(v->depth);
    uint64_t bits;
    if (a->change == BI_CBT_BITS_COMMANDED) bi_step_cbt_heap_settle(a, word);
    if (a->change == BI_CBT_BITS_OF_LEVEL)
        bits = bi_cbt_level_word(v->depth, v->depth - a->level, 64 * (uint64_t)word);
    else if (a->change == BI_CBT_BITS_GIVEN)
        bits = a->bits[word];
    else
        return;
    uint64_t *to = v->heap + (at >> 6);
    *to = v->depth < 6 ? (*to & ~(mask << (at & 63))) | bits << (at & 63) : bits;
}

/* The words that a level takes, and their sums; 6 <= level < depth. */
BI_FN int64_t bi_cbt_level_words(int32_t depth, int32_t level)
{
    return ((int64_t)1 << (level - 6)) * (depth - level + 1);
}

BI_FN struct bi_cbt_heap bi_cbt_level_of(const bosc_cbt_heap_view *v, int32_t level)
{
    const struct bi_cbt_heap all = {v->heap, NULL, v->depth, level,
                                    ((int64_t)1 << (level - 6)) * (v->depth - level + 3)};
    return all;
}

/* The levels up to 5, by one thread. */
BI_FN void bi_cbt_reduce_top(const bosc_cbt_heap_view *v)
{
    const uint64_t bits = v->depth < 6 ? bi_cbt_heap_now(v, 0) : 0;
    const struct bi_cbt_heap top = {v->heap, &bits, v->depth, 0, 0};
    bi_step_cbt_heap_top(&top, 0);
}

/* Item: a word of the field, as of the last reduction. */
struct bi_cbt_heap_export {
    bosc_cbt_heap_view view;
    uint64_t *bits; /* the field, or NULL */
    uint64_t *heap; /* or that of a heap, whose sums are there */
};

BI_FN void bi_step_cbt_heap_export(const struct bi_cbt_heap_export *a, int64_t word)
{
    const uint64_t at = ((uint64_t)3 << a->view.depth) + 64 * (uint64_t)word, bits = bi_cbt_heap_then(&a->view, word);
    if (a->bits) {
        a->bits[word] = bits;
        return;
    }
    uint64_t *to = a->heap + (at >> 6), mask = bi_cbt_field_mask(a->view.depth);
    *to = a->view.depth < 6 ? (*to & ~(mask << (at & 63))) | bits << (at & 63) : bits;
}

/* Item: a block of 1,024 bits of the field. How many leaves it will have, after commands were settled; and, from what
 * all blocks before it will have, where they come from. */
struct bi_cbt_heap_sources {
    bosc_cbt_heap_view view;
    int64_t blocks;
    int64_t *counts; /* (blocks + 1), then what is before each */
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
        count += bosc_cbt_popcount(bi_cbt_heap_now(&a->view, block * BI_CBT_WORDS + w));
    a->counts[block] = count;
}

/* Items: the blocks, and one for each 1,024 sources, which clears those beyond the last leaf. */
BI_FN void bi_step_cbt_heap_sources(const struct bi_cbt_heap_sources *a, int64_t block)
{
    if (block >= a->blocks) {
        const int64_t from = (block - a->blocks) * BI_CBT_BLOCK, leaves = a->counts[a->blocks];
        for (int64_t i = from < leaves ? leaves : from; i < from + BI_CBT_BLOCK && i < a->capacity; i++)
            a->sources[i] = -1;
        return;
    }
    int64_t leaf = a->counts[block], old = bosc_cbt_heap_rank(&a->view, (uint64_t)block << BOSC_CBT_BLOCK_BITS) - 1;
    for (int32_t w = 0; w < bi_cbt_words_of_block(a->view.depth) && leaf < a->capacity; w++) {
        const int64_t word = block * BI_CBT_WORDS + w;
        const uint64_t was = bi_cbt_heap_then(&a->view, word), is = bi_cbt_heap_now(&a->view, word);
        for (uint64_t left = was | is; left; left &= left - 1) {
            const uint64_t bit = left & (0 - left);
            if (was & bit) old++;
            if (!(is & bit)) continue;
            if (leaf < a->capacity) a->sources[leaf] = old;
            leaf++;
        }
    }
}

#endif
