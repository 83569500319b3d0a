/* Bit fields: the validity of commands and of bits in a word, for all 64 bits at once; the sources of leaves; and steps
 * on whole fields.
 *
 * Split bits are ordered as the nodes of an in-order tree: if x ends in t zeros, the parent of bit x is x + 2^t or x -
 * 2^t, whichever ends in exactly t + 1 zeros, and its children are x + 2^(t-1) and x - 2^(t-1). So parents for t < 5
 * and children for t < 6 lie in the same word, a shift away. */
#ifndef BI_CBT_STEPS_BITS_H
#define BI_CBT_STEPS_BITS_H

#include "base/atomic.h"
#include "cbt/steps/arrays.h"

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

/* ---- sources of the leaves after a change ---- */

/* Writes the sources of the leaves that begin in a word, from leaf number `leaf` on; returns the number after them.
 * *old: the number of the last old leaf that begins before the word; becomes that of the last one in it. */
BI_FN int64_t bi_cbt_write_word_sources(uint64_t old_word, uint64_t new_word, int64_t *old, int64_t leaf,
                                        int64_t *sources, int64_t capacity)
{
    for (uint64_t left = old_word | new_word; left; left &= left - 1) {
        uint64_t bit = left & (0 - left);
        if (old_word & bit) ++*old;
        if (!(new_word & bit)) continue;
        if (leaf < capacity) sources[leaf] = *old;
        leaf++;
    }
    return leaf;
}

/* Writes -1 to number `chunk` of the chunks of 1,024 sources, from the number of leaves on. */
BI_FN void bi_cbt_clear_sources(int64_t *sources, int64_t capacity, int64_t chunk, int64_t leaves)
{
    int64_t from = chunk * BI_CBT_BLOCK;
    for (int64_t i = from < leaves ? leaves : from; i < from + BI_CBT_BLOCK && i < capacity; i++) sources[i] = -1;
}

/* ---- steps: items are blocks of 1,024 bits unless said otherwise ---- */

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
