/* Steps that change trees. Commands for leaves first become states of diamonds. Then each node decides whether it is
 * split, by the criterion or by the states of its diamond, and the decisions make the bits of a new tree. */
#ifndef BI_TERRAIN_STEPS_REFINE_H
#define BI_TERRAIN_STEPS_REFINE_H

#include "base/atomic.h"
#include "terrain/steps/criterion.h"
#include "terrain/steps/word.h"

/* ---- states of diamonds ---- */

/* A set of these flags: four bits a diamond, eight diamonds a word. IS_SPLIT: in the tree; the others are commands. */
enum { BI_TERRAIN_IS_SPLIT = 1, BI_TERRAIN_TO_SPLIT = 2, BI_TERRAIN_TO_MERGE = 4 };

BI_FN uint32_t bi_terrain_diamond_state(const uint32_t *states, int64_t slot)
{
    return states[slot >> 3] >> (4 * (slot & 7)) & 15;
}

BI_FN void bi_terrain_set_diamond_state(uint32_t *states, int64_t slot, uint32_t state)
{
    bi_atomic_or_u32(states + (slot >> 3), state << (4 * (slot & 7)));
}

/* True if a child of the triangle is split, or will be, so that the triangle must stay split. deepest: its children are
 * of the last level, which is never split. */
BI_FN bool bi_terrain_blocks_merge(const struct bi_terrain_grid *g, const uint32_t *states,
                                   const struct bi_terrain_triangle *t, bool deepest)
{
    if (deepest || !bi_terrain_has_area(g, t)) return false;
    for (uint64_t which = 0; which < 2; which++) {
        struct bi_terrain_triangle child = bi_terrain_child(t, which);
        struct bi_terrain_point m = bi_terrain_midpoint(&child);
        if (!bi_terrain_has_area(g, &child)) continue;
        if (bi_terrain_diamond_state(states, bi_terrain_slot(g, m.x, m.y)) &
            (BI_TERRAIN_IS_SPLIT | BI_TERRAIN_TO_SPLIT))
            return true;
    }
    return false;
}

/* True if the diamond of a triangle of this level is split after the update. */
BI_FN bool bi_terrain_stays_split(const struct bi_terrain_grid *g, const uint32_t *states,
                                  const struct bi_terrain_triangle *t, int32_t level)
{
    struct bi_terrain_point m = bi_terrain_midpoint(t);
    uint32_t state = bi_terrain_diamond_state(states, bi_terrain_slot(g, m.x, m.y));
    if (state & BI_TERRAIN_TO_SPLIT) return true;
    if (!(state & BI_TERRAIN_IS_SPLIT)) return false;
    if (!(state & BI_TERRAIN_TO_MERGE)) return true;
    struct bi_terrain_triangle mate = bi_terrain_base_neighbour(t);
    bool deepest = level + 1 == g->depth;
    return bi_terrain_blocks_merge(g, states, t, deepest) || bi_terrain_blocks_merge(g, states, &mate, deepest);
}

/* ---- commands become states ---- */

/* Marks the split diamonds. Items are words. */
struct bi_terrain_marks {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const uint8_t *commands;
    int64_t count;
    uint32_t *states;
};

BI_FN void bi_step_terrain_mark_split(const struct bi_terrain_marks *a, int64_t word)
{
    const struct bi_terrain_grid *g = &a->grid;
    struct bi_terrain_word w = bi_terrain_word_of(g, word);
    struct bi_terrain_point m;
    for (uint64_t left = a->view.bits[word]; bi_terrain_next_midpoint(g, &w, &left, &m);)
        bi_terrain_set_diamond_state(a->states, bi_terrain_slot(g, m.x, m.y), BI_TERRAIN_IS_SPLIT);
}

/* Marks a diamond, and the diamonds that must be split before it. One triangle of a diamond is a leaf; if its mate is
 * not in the tree, the mate's parent is split first, and so on up to a diamond with both triangles or a marked one. */
BI_FN void bi_terrain_mark_split_chain(const struct bi_terrain_marks *a, struct bi_terrain_triangle t, int32_t level)
{
    const struct bi_terrain_grid *g = &a->grid;
    for (;; level--) {
        struct bi_terrain_point m = bi_terrain_midpoint(&t);
        int64_t slot = bi_terrain_slot(g, m.x, m.y);
        if (bi_atomic_load_u32(a->states + (slot >> 3)) >> (4 * (slot & 7)) & BI_TERRAIN_TO_SPLIT) return;
        bi_terrain_set_diamond_state(a->states, slot, BI_TERRAIN_TO_SPLIT);
        struct bi_terrain_triangle mate = bi_terrain_base_neighbour(&t);
        if (level <= g->first || !bi_terrain_has_area(g, &mate)) return;
        slot = bi_terrain_slot(g, mate.px, mate.py);
        if (bi_atomic_load_u32(a->states + (slot >> 3)) >> (4 * (slot & 7)) & BI_TERRAIN_IS_SPLIT) return;
        uint64_t node = bi_terrain_node(g, &mate, level - 1); /* the mate's parent */
        t = bi_terrain_triangle_of(g, node);
    }
}

/* Records commands for leaves. Items are blocks of the tree. */
BI_FN void bi_step_terrain_mark_commands(const struct bi_terrain_marks *a, int64_t block)
{
    const struct bi_terrain_grid *g = &a->grid;
    int64_t leaf = a->view.ranks[block];
    for (int64_t word = block * BOSC_CBT_BLOCK_WORDS; word < (block + 1) * BOSC_CBT_BLOCK_WORDS; word++) {
        struct bi_terrain_word w = bi_terrain_word_of(g, word);
        for (uint64_t left = a->view.bits[word]; left && leaf < a->count; left &= left - 1, leaf++) {
            uint8_t command = a->commands[leaf];
            int32_t level;
            if (command != BOSC_CBT_SPLIT && command != BOSC_CBT_MERGE) continue;
            struct bi_terrain_triangle t =
                bi_terrain_leaf_triangle(g, &a->view, &w, bosc_cbt_trailing_zeros(left), left & (left - 1), &level);
            if (!bi_terrain_has_area(g, &t)) continue;
            if (command == BOSC_CBT_SPLIT && level < g->depth) bi_terrain_mark_split_chain(a, t, level);
            if (command == BOSC_CBT_MERGE && level > g->first)
                bi_terrain_set_diamond_state(a->states, bi_terrain_slot(g, t.px, t.py), BI_TERRAIN_TO_MERGE);
        }
    }
}

/* ---- decisions become bits ---- */

/* Computes the bits of a tree from the decision for each diamond. Items are words. */
struct bi_terrain_refinement {
    struct bi_terrain_criterion criterion;
    const uint64_t *old_bits; /* bit field of the tree before */
    const uint32_t *states;   /* commands as states of diamonds; NULL: the criterion decides */
    const float *threshold;   /* diamonds with a larger error ratio are split; NULL: `min_threshold` */
    float min_threshold;
    uint64_t *bits;
};

BI_FN bool bi_terrain_should_split(const struct bi_terrain_refinement *a, uint64_t node, int32_t level,
                                   const struct bi_terrain_triangle *t)
{
    const struct bi_terrain_grid *g = &a->criterion.grid;
    if (level >= g->depth || !bi_terrain_has_area(g, t)) return false;
    if (a->states) return bi_terrain_stays_split(g, a->states, t, level);
    struct bi_terrain_point m = bi_terrain_midpoint(t);
    bool was_split =
        a->criterion.keep_factor < 1 && bosc_cbt_bit(a->old_bits, bosc_cbt_first_bit(bosc_cbt_right(node), g->depth));
    return bi_terrain_error_ratio(&a->criterion, m.x, m.y, was_split) >
           (a->threshold ? *a->threshold : a->min_threshold);
}

/* The new split bit at position p of a word. */
BI_FN bool bi_terrain_refined_bit(const struct bi_terrain_refinement *a, const struct bi_terrain_word *w, int32_t p)
{
    int32_t level;
    uint64_t position = w->first + (uint64_t)p;
    if (position == 0) return true;
    struct bi_terrain_triangle t = bi_terrain_split_triangle(&a->criterion.grid, w, p, &level);
    if (level < a->criterion.grid.first) return true;
    return bi_terrain_should_split(a, bosc_cbt_node(position, a->criterion.grid.depth - level, a->criterion.grid.depth),
                                   level, &t);
}

/* A node is split only if its parent is: so the bits are computed from the largest node of the word down. */
BI_FN void bi_step_terrain_refine(const struct bi_terrain_refinement *a, int64_t word)
{
    int32_t positions = a->criterion.grid.depth < 6 ? 1 << a->criterion.grid.depth : 64;
    struct bi_terrain_word w = bi_terrain_word_of(&a->criterion.grid, word);
    uint64_t bits = bi_terrain_refined_bit(a, &w, 0);
    if (bits && positions > 1 && bi_terrain_refined_bit(a, &w, positions / 2)) {
        bits |= (uint64_t)1 << positions / 2;
        for (int32_t size = positions / 4; size > 0; size /= 2) { /* half of the positions of the node */
            for (int32_t p = size; p < positions; p += 2 * size) {
                int32_t parent = p & 2 * size ? p - size : p + size;
                if (bits >> parent & 1 && bi_terrain_refined_bit(a, &w, p)) bits |= (uint64_t)1 << p;
            }
        }
    }
    a->bits[word] = bits;
}

#endif
