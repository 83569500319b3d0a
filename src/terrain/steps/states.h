/* States of diamonds while leaves are split and merged by command. */
#ifndef BI_TERRAIN_STEPS_STATES_H
#define BI_TERRAIN_STEPS_STATES_H

#include "base/atomic.h"
#include "terrain/steps/grid.h"

/* A set of these flags: four bits a diamond, eight diamonds a word. */
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

#endif
