/* Steps that make and change trees; items are blocks of 1,024 bits unless said otherwise. */
#ifndef BI_CBT_STEPS_CHANGE_H
#define BI_CBT_STEPS_CHANGE_H

#include "base/atomic.h"
#include "cbt/cbt.h"
#include "cbt/steps/word.h"

/* Node i of an array of 32 or 64-bit numbers. */
BI_FN uint64_t bi_cbt_get(const void *nodes, int64_t i, bool wide)
{
    return wide ? ((const uint64_t *)nodes)[i] : ((const uint32_t *)nodes)[i];
}

/* The nodes of a level are the leaves. Items are blocks + 1. */
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
    uint64_t every = 1;
    for (int32_t t = 5; t >= size; t--) every |= every << ((uint64_t)1 << t);
    for (int w = 0; w < BI_CBT_WORDS; w++) {
        uint64_t place = first + 64 * (uint64_t)w;
        bool begins = size < 6 || (place & (((uint64_t)1 << size) - 1)) == 0;
        a->bits[block * BI_CBT_WORDS + w] = place < end && begins ? every & bi_cbt_inside(a->depth) : 0;
    }
}

/* Item i: a command for nodes[i]. */
struct bi_cbt_record {
    bosc_cbt_view view;
    const void *nodes;
    bool wide, merge;
};

BI_FN void bi_step_cbt_record(const struct bi_cbt_record *a, int64_t i)
{
    uint64_t node = bi_cbt_get(a->nodes, i, a->wide);
    if (a->merge)
        bosc_cbt_to_merge(&a->view, node);
    else
        bosc_cbt_to_split(&a->view, node);
}

/* Commands by the number of the leaf. */
struct bi_cbt_order {
    bosc_cbt_view view;
    const uint8_t *commands;
    int64_t count;
};

BI_FN void bi_step_cbt_order(const struct bi_cbt_order *a, int64_t block)
{
    int64_t leaf = a->view.ranks[block];
    for (int w = 0; w < BI_CBT_WORDS && leaf < a->count; w++) {
        int64_t word = block * BI_CBT_WORDS + w;
        for (uint64_t left = a->view.bits[word]; left && leaf < a->count; left &= left - 1, leaf++) {
            uint8_t command = a->commands[leaf];
            if (command != BOSC_CBT_SPLIT && command != BOSC_CBT_MERGE) continue;
            uint64_t place = (uint64_t)word * 64 + (uint64_t)bosc_cbt_low_zeros(left);
            uint64_t node = bosc_cbt_node(place, bosc_cbt_size_at(&a->view, place), a->view.depth);
            if (command == BOSC_CBT_SPLIT)
                bosc_cbt_to_split(&a->view, node);
            else
                bosc_cbt_to_merge(&a->view, node);
        }
    }
}

/* What the commands change, in place of the merges, and how many leaves each block will have. No word of changes is
 * read by another block, and nothing else is written, so no order shows. */
struct bi_cbt_mark {
    bosc_cbt_view view;
    int64_t *counts;
    uint32_t *changed; /* becomes 1 if anything is changed */
};

BI_FN void bi_step_cbt_mark(const struct bi_cbt_mark *a, int64_t block)
{
    const bosc_cbt_view *v = &a->view;
    uint64_t changed = 0;
    int64_t count = 0, begin = block * BI_CBT_WORDS;
    for (int w = 0; w < BI_CBT_WORDS && v->touched[block]; w++) {
        uint64_t changes = bi_cbt_changes(v, begin + w);
        v->merges[begin + w] = changes;
        changed |= changes;
        count += bosc_cbt_ones(v->bits[begin + w] ^ changes);
    }
    a->counts[block] = changed ? count : v->ranks[block + 1] - v->ranks[block];
    if (changed) bi_atomic_or_u32(a->changed, 1);
}

/* After the new ranks are made, before the bits are changed: which old leaf each new one comes from. */
struct bi_cbt_sources {
    bosc_cbt_view view;   /* with changes in place of merges */
    const int64_t *fresh; /* (blocks + 1) the new ranks */
    int64_t *sources;
    int64_t room;
};

BI_FN void bi_step_cbt_sources(const struct bi_cbt_sources *a, int64_t block)
{
    if (block >= a->view.blocks) { /* beyond the leaves */
        int64_t from = (block - a->view.blocks) * BI_CBT_BLOCK, leaves = a->fresh[a->view.blocks];
        for (int64_t i = from < leaves ? leaves : from; i < from + BI_CBT_BLOCK && i < a->room; i++) a->sources[i] = -1;
        return;
    }
    int64_t leaf = a->fresh[block], old = a->view.ranks[block] - 1;
    for (int w = 0; w < BI_CBT_WORDS; w++) {
        int64_t word = block * BI_CBT_WORDS + w;
        uint64_t was = a->view.bits[word], is = was ^ a->view.merges[word];
        for (uint64_t left = was | is; left; left &= left - 1) {
            uint64_t bit = left & (0 - left);
            if (was & bit) old++;
            if (!(is & bit)) continue;
            if (leaf < a->room) a->sources[leaf] = old;
            leaf++;
        }
    }
}

/* Carries out what was marked, forgets the commands and takes over the new ranks: in one launch, so that a tree never
 * has half of it. Items are blocks + 1. */
struct bi_cbt_flip {
    bosc_cbt_view view;
    const int64_t *fresh; /* NULL: nothing was changed */
};

BI_FN void bi_step_cbt_flip(const struct bi_cbt_flip *a, int64_t block)
{
    uint64_t *bits = (uint64_t *)a->view.bits;
    if (a->fresh) ((int64_t *)a->view.ranks)[block] = a->fresh[block];
    if (block == a->view.blocks || !a->view.touched[block]) return;
    for (int64_t w = block * BI_CBT_WORDS; w < (block + 1) * BI_CBT_WORDS; w++) {
        bits[w] ^= a->view.merges[w];
        a->view.splits[w] = a->view.merges[w] = 0;
    }
    a->view.touched[block] = 0;
}

/* A tree takes over bits and ranks, for the same reason. Items are blocks + 1. */
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
    if (bits == a->bits) return; /* they are the tree's own, and counted anew */
    for (int64_t w = block * BI_CBT_WORDS; w < (block + 1) * BI_CBT_WORDS; w++) bits[w] = a->bits[w];
}

struct bi_cbt_count {
    const uint64_t *bits;
    int64_t *counts;
};

BI_FN void bi_step_cbt_count(const struct bi_cbt_count *a, int64_t block)
{
    int64_t count = 0;
    for (int w = 0; w < BI_CBT_WORDS; w++) count += bosc_cbt_ones(a->bits[block * BI_CBT_WORDS + w]);
    a->counts[block] = count;
}

/* *bad becomes the first wrong place of a field. Items are words. */
struct bi_cbt_check {
    const uint64_t *bits;
    int32_t depth;
    int64_t *bad;
};

BI_FN void bi_step_cbt_check(const struct bi_cbt_check *a, int64_t word)
{
    uint64_t inside = bi_cbt_inside(a->depth), b = a->bits[word], split = word == 0 ? b & inside & ~(uint64_t)1 : b;
    uint64_t wrong = (split & ~bi_cbt_existing(a->bits, a->depth, word, split)) | (b & ~inside);
    if (word == 0 && !(b & 1)) wrong |= 1;
    if (wrong) bi_atomic_min_i64(a->bad, word * 64 + bosc_cbt_low_zeros(wrong));
}

/* Keeps the bits all of whose ancestors are set. Items are words. */
struct bi_cbt_repair {
    const uint64_t *bits;
    int32_t depth;
    uint64_t *out;
};

BI_FN void bi_step_cbt_repair(const struct bi_cbt_repair *a, int64_t word)
{
    uint64_t kept = word == 0, inside = bi_cbt_inside(a->depth);
    for (uint64_t left = a->bits[word] & inside; left; left &= left - 1) {
        uint64_t x = (uint64_t)word * 64 + (uint64_t)bosc_cbt_low_zeros(left), up = x;
        while (up && !(up >> a->depth) && bosc_cbt_bit(a->bits, up)) up = bi_cbt_parent_place(up);
        if (up >> a->depth) kept |= left & (0 - left);
    }
    a->out[word] = kept;
}

#endif
