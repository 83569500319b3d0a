/* Steps that decode leaves, and steps of queries about single leaves and nodes. */
#ifndef BI_CBT_STEPS_DECODE_H
#define BI_CBT_STEPS_DECODE_H

#include "cbt/steps/arrays.h"

/* Decodes the leaves first to first + count - 1. Items: the blocks, then one for each 1,024 nodes, which clears those
 * beyond the last leaf. */
struct bi_cbt_decode {
    bosc_cbt_view view;
    int64_t first, count;
    void *nodes;
    bool is_64bit;
};

/* log2 of the bits of the one leaf that begins in a block: doubled while the blocks after it are empty, which they are
 * exactly up to its end. */
BI_FN int32_t bi_cbt_single_size(const bosc_cbt_view *v, int64_t block)
{
    int32_t size = v->depth < BOSC_CBT_BLOCK_BITS ? v->depth : BOSC_CBT_BLOCK_BITS;
    for (int64_t step = 1; block + 2 * step <= v->blocks; step *= 2, size++)
        if (v->ranks[block + 2 * step] != v->ranks[block] + 1) break;
    return size;
}

/* Decodes a block with several leaves to nodes[at] and on. A leaf ends where the next one begins, the last one at bit
 * `end`. base: the node of the deepest level at the block's first bit. */
BI_FN void bi_cbt_decode_mixed(const uint64_t *bits, uint64_t base, uint32_t end, void *nodes, int64_t at,
                               bool is_64bit)
{
    uint32_t start = 0;
    at--; /* the slot of the leaf at `start`, which is stored once its end is known */
    for (uint32_t w = 0; w < BI_CBT_WORDS; w++) {
        for (uint64_t left = bits[w]; left; left &= left - 1) {
            uint32_t position = 64 * w + (uint32_t)bosc_cbt_trailing_zeros(left);
            if (position)
                bi_cbt_store_node(nodes, at, (base + start) >> bosc_cbt_trailing_zeros(position - start), is_64bit);
            start = position;
            at++;
        }
    }
    bi_cbt_store_node(nodes, at, (base + start) >> bosc_cbt_trailing_zeros(end - start), is_64bit);
}
#ifndef BI_CBT_DECODE_MIXED
#define BI_CBT_DECODE_MIXED bi_cbt_decode_mixed
#endif

/* Decodes all leaves of a block to nodes[at] and on. */
BI_FN void bi_cbt_decode_block(const struct bi_cbt_decode *a, int64_t block, int64_t at, int64_t leaves, bool is_64bit)
{
    void *nodes = a->nodes;
    int32_t depth = a->view.depth;
    uint64_t base = ((uint64_t)1 << depth) + ((uint64_t)block << BOSC_CBT_BLOCK_BITS);
    if (leaves == 1) {
        bi_cbt_store_node(nodes, at, base >> bi_cbt_single_size(&a->view, block), is_64bit);
    } else if (leaves == BI_CBT_BLOCK) {
        for (int64_t i = 0; i < BI_CBT_BLOCK; i++) bi_cbt_store_node(nodes, at + i, base + (uint64_t)i, is_64bit);
    } else {
        uint32_t end = (uint32_t)1 << (depth < BOSC_CBT_BLOCK_BITS ? depth : (int32_t)BOSC_CBT_BLOCK_BITS);
        BI_CBT_DECODE_MIXED(a->view.bits + block * BI_CBT_WORDS, base, end, nodes, at, is_64bit);
    }
}

/* Decodes the requested leaves of a block. */
BI_FN void bi_cbt_decode_range(const struct bi_cbt_decode *a, int64_t block)
{
    int64_t leaf = a->view.ranks[block], end = a->first + a->count;
    for (int64_t word = block * BI_CBT_WORDS; word < (block + 1) * BI_CBT_WORDS; word++) {
        for (uint64_t left = a->view.bits[word]; left && leaf < end; left &= left - 1, leaf++) {
            if (leaf < a->first) continue;
            uint64_t position = (uint64_t)word * 64 + (uint64_t)bosc_cbt_trailing_zeros(left);
            int32_t size = bosc_cbt_log2_size_at(&a->view, position);
            bi_cbt_store_node(a->nodes, leaf - a->first, bosc_cbt_node(position, size, a->view.depth), a->is_64bit);
        }
    }
}

BI_FN void bi_step_cbt_decode(const struct bi_cbt_decode *a, int64_t item)
{
    const bosc_cbt_view *v = &a->view;
    if (item >= v->blocks) {
        int64_t from = (item - v->blocks) * BI_CBT_BLOCK, available = bosc_cbt_leaf_count(v) - a->first;
        for (int64_t i = from < available ? available : from; i < from + BI_CBT_BLOCK && i < a->count; i++)
            bi_cbt_store_node(a->nodes, i, 0, a->is_64bit);
        return;
    }
    int64_t begin = v->ranks[item], end = v->ranks[item + 1];
    if (begin == end || end <= a->first || begin - a->first >= a->count) return;
    if (begin < a->first || end - a->first > a->count)
        bi_cbt_decode_range(a, item);
    else if (a->is_64bit)
        bi_cbt_decode_block(a, item, begin - a->first, end - begin, true);
    else
        bi_cbt_decode_block(a, item, begin - a->first, end - begin, false);
}

/* The same, bit by bit, by one item. */
BI_FN void bi_step_cbt_decode_sequential(const struct bi_cbt_decode *a, int64_t item)
{
    int64_t leaf = -1 - a->first;
    uint64_t begin = 0, end = (uint64_t)1 << a->view.depth;
    for (uint64_t position = 0; position <= end; position++) {
        if (position < end && !bosc_cbt_bit(a->view.bits, position)) continue;
        uint64_t node = position ? bosc_cbt_node(begin, bosc_cbt_trailing_zeros(position - begin), a->view.depth) : 0;
        if (leaf >= 0 && leaf < a->count) bi_cbt_store_node(a->nodes, leaf, node, a->is_64bit);
        leaf++;
        begin = position;
    }
    for (leaf = leaf < 0 ? 0 : leaf; leaf < a->count; leaf++) bi_cbt_store_node(a->nodes, leaf, 0, a->is_64bit);
    (void)item;
}

/* ---- queries ---- */

/* Item i: one leaf, or one node. */
struct bi_cbt_query {
    bosc_cbt_view view;
    const int64_t *leaves;
    void *nodes;
    int64_t *answers;
    bool is_64bit;
};

BI_FN void bi_step_cbt_decode_at(const struct bi_cbt_query *a, int64_t i)
{
    bi_cbt_store_node(a->nodes, i, bosc_cbt_leaf_node(&a->view, a->leaves[i]), a->is_64bit);
}

BI_FN void bi_step_cbt_encode(const struct bi_cbt_query *a, int64_t i)
{
    a->answers[i] = bosc_cbt_leaf_index(&a->view, bi_cbt_load_node(a->nodes, i, a->is_64bit));
}

BI_FN void bi_step_cbt_heap_read(const struct bi_cbt_query *a, int64_t i)
{
    a->answers[i] = bosc_cbt_leaves_below(&a->view, bi_cbt_load_node(a->nodes, i, a->is_64bit));
}

#endif
