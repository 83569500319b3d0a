/* Steps that turn commands for leaves into states of diamonds. */
#ifndef BI_TERRAIN_STEPS_UPDATE_H
#define BI_TERRAIN_STEPS_UPDATE_H

#include "terrain/steps/states.h"
#include "terrain/steps/word.h"

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

#endif
