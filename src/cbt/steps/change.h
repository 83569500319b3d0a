/* Steps that record and apply commands. Items are blocks of 1,024 bits unless said otherwise. */
#ifndef BI_CBT_STEPS_CHANGE_H
#define BI_CBT_STEPS_CHANGE_H

#include "cbt/steps/bits.h"

/* Item i: a command for nodes[i]. */
struct bi_cbt_record {
    bosc_cbt_view view;
    const void *nodes;
    bool is_64bit, merge;
};

BI_FN void bi_step_cbt_record(const struct bi_cbt_record *a, int64_t i)
{
    uint64_t node = bi_cbt_load_node(a->nodes, i, a->is_64bit);
    if (a->merge)
        bosc_cbt_mark_merge(&a->view, node);
    else
        bosc_cbt_mark_split(&a->view, node);
}

/* Records commands by leaf. */
struct bi_cbt_record_by_leaf {
    bosc_cbt_view view;
    const uint8_t *commands;
    int64_t count;
};

BI_FN void bi_step_cbt_record_by_leaf(const struct bi_cbt_record_by_leaf *a, int64_t block)
{
    int64_t leaf = a->view.ranks[block];
    for (int w = 0; w < BI_CBT_WORDS && leaf < a->count; w++) {
        int64_t word = block * BI_CBT_WORDS + w;
        for (uint64_t left = a->view.bits[word]; left && leaf < a->count; left &= left - 1, leaf++) {
            uint8_t command = a->commands[leaf];
            if (command != BOSC_CBT_SPLIT && command != BOSC_CBT_MERGE) continue;
            uint64_t position = (uint64_t)word * 64 + (uint64_t)bosc_cbt_trailing_zeros(left);
            uint64_t node = bosc_cbt_node(position, bosc_cbt_log2_size_at(&a->view, position), a->view.depth);
            if (command == BOSC_CBT_SPLIT)
                bosc_cbt_mark_split(&a->view, node);
            else
                bosc_cbt_mark_merge(&a->view, node);
        }
    }
}

/* Finds the bits that commands change, stores them over the merges, and counts the leaves of each block afterwards. No
 * block reads merges of another one, so the order of items does not matter. */
struct bi_cbt_find_changes {
    bosc_cbt_view view;
    int64_t *counts;
    uint32_t *changed; /* set to 1 if any bit changes */
};

BI_FN void bi_step_cbt_find_changes(const struct bi_cbt_find_changes *a, int64_t block)
{
    const bosc_cbt_view *v = &a->view;
    uint64_t changed = 0;
    int64_t count = 0, begin = block * BI_CBT_WORDS;
    for (int w = 0; w < BI_CBT_WORDS && v->touched[block]; w++) {
        uint64_t changes = bi_cbt_changes(v, begin + w);
        v->merges[begin + w] = changes;
        changed |= changes;
        count += bosc_cbt_popcount(v->bits[begin + w] ^ changes);
    }
    a->counts[block] = changed ? count : v->ranks[block + 1] - v->ranks[block];
    if (changed) bi_atomic_or_u32(a->changed, 1);
}

/* Writes the source of each new leaf, from the old bits and the new ranks. */
struct bi_cbt_sources {
    bosc_cbt_view view;       /* merges: the bits that change */
    const int64_t *new_ranks; /* (blocks + 1) the new ranks */
    int64_t *sources;
    int64_t capacity;
};

BI_FN void bi_step_cbt_sources(const struct bi_cbt_sources *a, int64_t block)
{
    if (block >= a->view.blocks) { /* beyond the leaves */
        bi_cbt_clear_sources(a->sources, a->capacity, block - a->view.blocks, a->new_ranks[a->view.blocks]);
        return;
    }
    int64_t leaf = a->new_ranks[block], old = a->view.ranks[block] - 1;
    for (int w = 0; w < BI_CBT_WORDS; w++) {
        int64_t word = block * BI_CBT_WORDS + w;
        uint64_t old_word = a->view.bits[word], new_word = old_word ^ a->view.merges[word];
        leaf = bi_cbt_write_word_sources(old_word, new_word, &old, leaf, a->sources, a->capacity);
    }
}

/* Changes the bits, clears the commands, and replaces the ranks: in one launch, so that a tree never has half of it.
 * Items are blocks + 1. */
struct bi_cbt_apply {
    bosc_cbt_view view;
    const int64_t *new_ranks; /* NULL: no bit changes */
};

BI_FN void bi_step_cbt_apply(const struct bi_cbt_apply *a, int64_t block)
{
    uint64_t *bits = (uint64_t *)a->view.bits;
    if (a->new_ranks) ((int64_t *)a->view.ranks)[block] = a->new_ranks[block];
    if (block == a->view.blocks || !a->view.touched[block]) return;
    for (int64_t w = block * BI_CBT_WORDS; w < (block + 1) * BI_CBT_WORDS; w++) {
        bits[w] ^= a->view.merges[w];
        a->view.splits[w] = a->view.merges[w] = 0;
    }
    a->view.touched[block] = 0;
}

/* Gathers the payload of leaf i from that of its source; zeros without a source. */
struct bi_cbt_gather_payload {
    const int64_t *sources;
    const unsigned char *in;
    int64_t n, size;
    unsigned char *out;
};

BI_FN void bi_step_cbt_gather_payload(const struct bi_cbt_gather_payload *a, int64_t i)
{
    int64_t from = a->sources[i];
    bool valid = from >= 0 && from < a->n;
    for (int64_t b = 0; b < a->size; b++) a->out[i * a->size + b] = valid ? a->in[from * a->size + b] : 0;
}

#endif
