/* The step that makes the bits of a tree from the decision for each diamond. */
#ifndef BI_TERRAIN_STEPS_REFINE_H
#define BI_TERRAIN_STEPS_REFINE_H

#include "terrain/steps/criterion.h"
#include "terrain/steps/states.h"
#include "terrain/steps/word.h"

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
