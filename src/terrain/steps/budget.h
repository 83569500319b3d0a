/* Steps that find the bound which keeps to a triangle budget, by radix selection over the bits of floats. */
#ifndef BI_TERRAIN_STEPS_BUDGET_H
#define BI_TERRAIN_STEPS_BUDGET_H

#include "base/atomic.h"
#include "terrain/steps/criterion.h"

/* The coordinate whose column (or row) in the array of diamonds this is; 0 if none is. */
BI_FN int32_t bi_terrain_coordinate(int32_t column, int32_t last)
{
    if (column <= last) return column;
    int32_t twos = column - last - 1, at = ((last >> twos) + 1) << twos;
    return bi_terrain_trailing_zeros(at) == twos ? at : 0;
}

/* How many triangles more there are when a diamond is split. */
BI_FN int32_t bi_terrain_added_triangles(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    if (!bi_terrain_has_area(g, t)) return 0;
    struct bi_terrain_triangle left = bi_terrain_child(t, 0), right = bi_terrain_child(t, 1);
    return bi_terrain_has_area(g, &left) + bi_terrain_has_area(g, &right) - 1;
}

/* The bound that keeps to a budget, 8 bits of the float after another. Items are places of the array of diamonds: of
 * those whose measure begins with the bits prefix, the triangles they are gain, by the next bits. */
struct bi_terrain_budget {
    struct bi_terrain_criterion criterion;
    const uint64_t *before; /* the tree that was */
    uint64_t *prefix;       /* (2) the bits; triangles left for measures that begin with them */
    uint64_t *gain;         /* (256) */
    float *threshold;
    float min_threshold;
    int32_t shift;
};

BI_FN bool bi_terrain_was_split(const struct bi_terrain_grid *g, const uint64_t *bits, int32_t x, int32_t y)
{
    struct bi_terrain_triangle t = bi_terrain_diamond_at(x, y), mate = bi_terrain_base_neighbour(&t);
    int32_t twos = bi_terrain_min(bi_terrain_trailing_zeros(x), bi_terrain_trailing_zeros(y));
    int32_t level = g->depth - 1 - 2 * twos - (bi_terrain_trailing_zeros(x) == bi_terrain_trailing_zeros(y));
    if (!bi_terrain_has_area(g, &t)) t = mate;
    uint64_t node = bi_terrain_node(g, &t, level);
    return bosc_cbt_bit(bits, bosc_cbt_first_bit(bosc_cbt_right(node), g->depth));
}

/* What the diamond kept at this place is gain, and the next bits of its measure; 0 if none is to be counted. */
BI_FN uint32_t bi_terrain_triangle_gain(const struct bi_terrain_budget *a, int64_t slot, uint32_t *digit)
{
    const struct bi_terrain_grid *g = &a->criterion.grid;
    if (a->criterion.errors[slot] == 0) return 0;
    int32_t x = bi_terrain_coordinate((int32_t)(slot % g->pitch), g->last_x);
    int32_t y = bi_terrain_coordinate((int32_t)(slot / g->pitch), g->last_y);
    struct bi_terrain_triangle t = bi_terrain_diamond_at(x, y), mate = bi_terrain_base_neighbour(&t);
    int32_t more = bi_terrain_added_triangles(g, &t) + bi_terrain_added_triangles(g, &mate);
    bool was = a->criterion.keep < 1 && bi_terrain_was_split(g, a->before, x, y);
    uint64_t measure = bi_f32_bits(bi_terrain_error_ratio(&a->criterion, x, y, was));
    *digit = (uint32_t)(measure >> a->shift & 255);
    return more > 0 && measure >> (a->shift + 8) == a->prefix[0] ? (uint32_t)more : 0;
}

BI_FN void bi_step_terrain_count_gain(const struct bi_terrain_budget *a, int64_t slot)
{
    uint32_t digit, more = bi_terrain_triangle_gain(a, slot, &digit);
    if (more) bi_atomic_fetch_add_u64(a->gain + digit, more);
}

/* The next bits: those of the largest measures that are too many. One item. */
BI_FN void bi_step_terrain_select_digit(const struct bi_terrain_budget *a, int64_t i)
{
    int digit = 255;
    uint64_t left = a->prefix[1];
    (void)i;
    for (; digit >= 0 && a->gain[digit] <= left; digit--) left -= a->gain[digit];
    a->prefix[1] = left;
    a->prefix[0] =
        digit < 0 ? (uint64_t)1 << 40 : a->prefix[0] << 8 | (uint64_t)digit; /* all fit: no other begins so */
    for (int d = 0; d < 256; d++) a->gain[d] = 0;
    if (a->shift > 0) return;
    float found = a->prefix[0] >> 32 ? 0 : bi_f32_from_bits((uint32_t)a->prefix[0]);
    *a->threshold = found > a->min_threshold ? found : a->min_threshold;
}

#endif
