/* Steps that read trees. */
#ifndef BI_CBT_STEPS_DECODE_H
#define BI_CBT_STEPS_DECODE_H

#include "cbt/steps/change.h"

BI_FN void bi_cbt_put(void *nodes, int64_t i, uint64_t node, bool wide)
{
    if (wide)
        ((uint64_t *)nodes)[i] = node;
    else
        ((uint32_t *)nodes)[i] = (uint32_t)node;
}

/* Nodes of the leaves first to first + count - 1. Items: the blocks, and one for each 1,024 places of `nodes`, which
 * clears those beyond the last leaf. */
struct bi_cbt_decode {
    bosc_cbt_view view;
    int64_t first, count;
    void *nodes;
    bool wide;
};

/* log2 of the places of the one leaf that begins in a block: while the blocks behind it are empty. (They are as far as
 * it goes and no farther, so nothing need be known of where it may begin.) */
BI_FN int32_t bi_cbt_lone_size(const bosc_cbt_view *v, int64_t block)
{
    int32_t size = v->depth < BOSC_CBT_BLOCK_BITS ? v->depth : BOSC_CBT_BLOCK_BITS;
    for (int64_t step = 1; block + 2 * step <= v->blocks; step *= 2, size++)
        if (v->ranks[block + 2 * step] != v->ranks[block] + 1) break;
    return size;
}

/* The leaves that begin in a block with several, to nodes[at] and on: each ends where the next one begins, the last one
 * at place `end`. base: the first place's node of the deepest level. */
BI_FN void bi_cbt_decode_mixed(const uint64_t *bits, uint64_t base, uint32_t end, void *nodes, int64_t at, bool wide)
{
    uint32_t before = 0;
    at--; /* where the leaf that begins at `before` goes, once it is known where it ends */
    for (uint32_t w = 0; w < BI_CBT_WORDS; w++) {
        for (uint64_t left = bits[w]; left; left &= left - 1) {
            uint32_t place = 64 * w + (uint32_t)bosc_cbt_low_zeros(left);
            if (place) bi_cbt_put(nodes, at, (base + before) >> bosc_cbt_low_zeros(place - before), wide);
            before = place;
            at++;
        }
    }
    bi_cbt_put(nodes, at, (base + before) >> bosc_cbt_low_zeros(end - before), wide);
}
#ifndef BI_CBT_DECODE_MIXED
#define BI_CBT_DECODE_MIXED bi_cbt_decode_mixed
#endif

/* All leaves of a block to nodes[at] and on. */
BI_FN void bi_cbt_decode_block(const struct bi_cbt_decode *a, int64_t block, int64_t at, int64_t leaves, bool wide)
{
    void *nodes = a->nodes;
    int32_t depth = a->view.depth;
    uint64_t base = ((uint64_t)1 << depth) + ((uint64_t)block << BOSC_CBT_BLOCK_BITS);
    if (leaves == 1) {
        bi_cbt_put(nodes, at, base >> bi_cbt_lone_size(&a->view, block), wide);
    } else if (leaves == BI_CBT_BLOCK) {
        for (int64_t i = 0; i < BI_CBT_BLOCK; i++) bi_cbt_put(nodes, at + i, base + (uint64_t)i, wide);
    } else {
        uint32_t end = (uint32_t)1 << (depth < BOSC_CBT_BLOCK_BITS ? depth : (int32_t)BOSC_CBT_BLOCK_BITS);
        BI_CBT_DECODE_MIXED(a->view.bits + block * BI_CBT_WORDS, base, end, nodes, at, wide);
    }
}

/* Those leaves of a block that were asked for. */
BI_FN void bi_cbt_decode_part(const struct bi_cbt_decode *a, int64_t block)
{
    int64_t leaf = a->view.ranks[block], end = a->first + a->count;
    for (int64_t word = block * BI_CBT_WORDS; word < (block + 1) * BI_CBT_WORDS; word++) {
        for (uint64_t left = a->view.bits[word]; left && leaf < end; left &= left - 1, leaf++) {
            if (leaf < a->first) continue;
            uint64_t place = (uint64_t)word * 64 + (uint64_t)bosc_cbt_low_zeros(left);
            int32_t size = bosc_cbt_size_at(&a->view, place);
            bi_cbt_put(a->nodes, leaf - a->first, bosc_cbt_node(place, size, a->view.depth), a->wide);
        }
    }
}

BI_FN void bi_step_cbt_decode(const struct bi_cbt_decode *a, int64_t item)
{
    const bosc_cbt_view *v = &a->view;
    if (item >= v->blocks) {
        int64_t from = (item - v->blocks) * BI_CBT_BLOCK, known = bosc_cbt_leaves(v) - a->first;
        for (int64_t i = from < known ? known : from; i < from + BI_CBT_BLOCK && i < a->count; i++)
            bi_cbt_put(a->nodes, i, 0, a->wide);
        return;
    }
    int64_t begin = v->ranks[item], end = v->ranks[item + 1];
    if (begin == end || end <= a->first || begin - a->first >= a->count) return;
    if (begin < a->first || end - a->first > a->count)
        bi_cbt_decode_part(a, item);
    else if (a->wide)
        bi_cbt_decode_block(a, item, begin - a->first, end - begin, true);
    else
        bi_cbt_decode_block(a, item, begin - a->first, end - begin, false);
}

/* The same, bit by bit, by one item. */
BI_FN void bi_step_cbt_walk(const struct bi_cbt_decode *a, int64_t item)
{
    int64_t leaf = -1 - a->first;
    uint64_t begin = 0, end = (uint64_t)1 << a->view.depth;
    for (uint64_t place = 0; place <= end; place++) {
        if (place < end && !bosc_cbt_bit(a->view.bits, place)) continue;
        uint64_t node = place ? bosc_cbt_node(begin, bosc_cbt_low_zeros(place - begin), a->view.depth) : 0;
        if (leaf >= 0 && leaf < a->count) bi_cbt_put(a->nodes, leaf, node, a->wide);
        leaf++;
        begin = place;
    }
    for (leaf = leaf < 0 ? 0 : leaf; leaf < a->count; leaf++) bi_cbt_put(a->nodes, leaf, 0, a->wide);
    (void)item;
}

/* Item i: one leaf, or one node. */
struct bi_cbt_ask {
    bosc_cbt_view view;
    const int64_t *leaves;
    void *nodes;
    int64_t *answers;
    bool wide;
};

BI_FN void bi_step_cbt_decode_at(const struct bi_cbt_ask *a, int64_t i)
{
    bi_cbt_put(a->nodes, i, bosc_cbt_find(&a->view, a->leaves[i]), a->wide);
}

BI_FN void bi_step_cbt_encode(const struct bi_cbt_ask *a, int64_t i)
{
    a->answers[i] = bosc_cbt_number(&a->view, bi_cbt_get(a->nodes, i, a->wide));
}

BI_FN void bi_step_cbt_heap_read(const struct bi_cbt_ask *a, int64_t i)
{
    a->answers[i] = bosc_cbt_heap(&a->view, bi_cbt_get(a->nodes, i, a->wide));
}

/* Item i: what leaf i had before. */
struct bi_cbt_carry {
    const int64_t *sources;
    const unsigned char *in;
    int64_t n, size;
    unsigned char *out;
};

BI_FN void bi_step_cbt_carry(const struct bi_cbt_carry *a, int64_t i)
{
    int64_t from = a->sources[i];
    bool there = from >= 0 && from < a->n;
    for (int64_t b = 0; b < a->size; b++) a->out[i * a->size + b] = there ? a->in[from * a->size + b] : 0;
}

#endif
