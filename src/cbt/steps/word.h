/* Validity of commands and of bits in a word of a bit field, for all 64 bits at once.
 *
 * Split bits are ordered as the nodes of an in-order tree: if x ends in t zeros, the parent of bit x is x + 2^t or x -
 * 2^t, whichever ends in exactly t + 1 zeros, and its children are x + 2^(t-1) and x - 2^(t-1). So parents for t < 5
 * and children for t < 6 lie in the same word, a shift away. */
#ifndef BI_CBT_STEPS_WORD_H
#define BI_CBT_STEPS_WORD_H

#include <stdbool.h>

#include <boscage/device/cbt.h>

#include "base/step.h"

/* The bits of a word whose positions end in exactly t zeros, 0 < t < 6. */
BI_FN uint64_t bi_cbt_level_mask(int t)
{
    return t == 1   ? 0x4444444444444444u
           : t == 2 ? 0x1010101010101010u
           : t == 3 ? 0x0100010001000100u
           : t == 4 ? 0x0001000000010000u
                    : 0x0000000100000000u;
}

BI_FN uint64_t bi_cbt_shift_both(uint64_t bits, int distance) { return bits << distance | bits >> distance; }

/* The parent of split bit x > 0; 2^depth or more for the root's. */
BI_FN uint64_t bi_cbt_parent_bit(uint64_t x)
{
    uint64_t low = x & (0 - x);
    return x & low << 1 ? x - low : x + low;
}

/* True if the node of split bit x is in the tree: its parent is split. */
BI_FN bool bi_cbt_node_exists(const uint64_t *bits, int32_t depth, uint64_t x)
{
    uint64_t parent = bi_cbt_parent_bit(x);
    return parent >> depth || bosc_cbt_bit(bits, parent);
}

/* Keeps the bits of `candidates` whose nodes are in the tree `bits`. */
BI_FN uint64_t bi_cbt_valid_splits(const uint64_t *bits, int32_t depth, int64_t word, uint64_t candidates)
{
    uint64_t b = bits[word], existing = 0, first = (uint64_t)word << 6;
    for (int t = 0; t < 5; t++) existing |= bi_cbt_shift_both(b & bi_cbt_level_mask(t + 1), 1 << t);
    if (depth > 0 && depth < 6 && word == 0) existing |= (uint64_t)1 << (1 << depth >> 1); /* the root's bit */
    if (candidates >> 32 & 1 && bi_cbt_node_exists(bits, depth, first + 32)) existing |= (uint64_t)1 << 32;
    if (candidates & 1 && first && bi_cbt_node_exists(bits, depth, first)) existing |= 1;
    return candidates & existing;
}

/* Keeps the split bits of `candidates` that can be merged: neither child is split or will be. */
BI_FN uint64_t bi_cbt_valid_merges(const uint64_t *bits, const uint64_t *splits, int64_t word, uint64_t candidates)
{
    uint64_t split = bits[word] | splits[word], blocked = 0, first = (uint64_t)word << 6;
    for (int t = 1; t < 6; t++) blocked |= bi_cbt_shift_both(split, 1 << (t - 1)) & bi_cbt_level_mask(t);
    if (candidates & 1) {
        uint64_t half = (first & (0 - first)) >> 1;
        if (!first || bosc_cbt_bit(bits, first - half) || bosc_cbt_bit(bits, first + half) ||
            bosc_cbt_bit(splits, first - half) || bosc_cbt_bit(splits, first + half))
            blocked |= 1;
    }
    return candidates & ~blocked;
}

/* The bits of a word that the commands in it change. */
BI_FN uint64_t bi_cbt_changes(const bosc_cbt_view *view, int64_t word)
{
    uint64_t b = view->bits[word], split = view->splits[word] & ~b, merge = view->merges[word] & b, changes = 0;
    if (split) changes = bi_cbt_valid_splits(view->bits, view->depth, word, split);
    if (merge) changes |= bi_cbt_valid_merges(view->bits, view->splits, word, merge);
    return changes;
}

/* The bits of a word that lie within a field of 2^depth bits. */
BI_FN uint64_t bi_cbt_field_mask(int32_t depth)
{
    return depth < 6 ? ((uint64_t)1 << ((uint32_t)1 << depth)) - 1 : ~(uint64_t)0;
}

#endif
