/* Steps that find the threshold for a triangle budget, by radix selection over the bits of floats, 8 bits a pass. */
#ifndef BI_TERRAIN_STEPS_BUDGET_H
#define BI_TERRAIN_STEPS_BUDGET_H

#include "base/atomic.h"
#include "terrain/steps/criterion.h"

/* The coordinate stored in a column (or row) of the array of diamonds, see bi_terrain_slot; 0 if there is none. */
BI_FN int32_t bi_terrain_coordinate(int32_t column, int32_t last)
{
    if (column <= last) return column;
    int32_t twos = column - last - 1, at = ((last >> twos) + 1) << twos;
    return bi_terrain_trailing_zeros(at) == twos ? at : 0;
}

/* Number of triangles that splitting a triangle adds. */
BI_FN int32_t bi_terrain_added_triangles(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    if (!bi_terrain_has_area(g, t)) return 0;
    struct bi_terrain_triangle left = bi_terrain_child(t, 0), right = bi_terrain_child(t, 1);
    return bi_terrain_has_area(g, &left) + bi_terrain_has_area(g, &right) - 1;
}

/* One pass: a histogram by the next 8 bits of the error ratio, of the triangles added by the diamonds whose ratio
 * starts with `prefix`. Items are slots of the array of diamonds. */
struct bi_terrain_budget {
    struct bi_terrain_criterion criterion;
    const uint64_t *old_bits; /* bit field of the tree before */
    uint64_t *prefix;         /* (2) the leading bits; the part of the budget left for ratios that start with them */
    uint64_t *gain;           /* (256) */
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

/* Returns the triangles that the diamond in this slot adds, and sets the next bits of its ratio. 0 if the slot is empty
 * or the ratio does not start with the prefix. */
BI_FN uint32_t bi_terrain_triangle_gain(const struct bi_terrain_budget *a, int64_t slot, uint32_t *digit)
{
    const struct bi_terrain_grid *g = &a->criterion.grid;
    if (a->criterion.errors[slot] == 0) return 0;
    int32_t x = bi_terrain_coordinate((int32_t)(slot % g->pitch), g->last_x);
    int32_t y = bi_terrain_coordinate((int32_t)(slot / g->pitch), g->last_y);
    struct bi_terrain_triangle t = bi_terrain_diamond_at(x, y), mate = bi_terrain_base_neighbour(&t);
    int32_t gain = bi_terrain_added_triangles(g, &t) + bi_terrain_added_triangles(g, &mate);
    bool was_split = a->criterion.keep_factor < 1 && bi_terrain_was_split(g, a->old_bits, x, y);
    uint64_t ratio = bi_f32_bits(bi_terrain_error_ratio(&a->criterion, x, y, was_split));
    *digit = (uint32_t)(ratio >> a->shift & 255);
    return gain > 0 && ratio >> (a->shift + 8) == a->prefix[0] ? (uint32_t)gain : 0;
}

BI_FN void bi_step_terrain_count_gain(const struct bi_terrain_budget *a, int64_t slot)
{
    uint32_t digit, gain = bi_terrain_triangle_gain(a, slot, &digit);
    if (gain) bi_atomic_fetch_add_u64(a->gain + digit, gain);
}

/* Chooses the next 8 bits: from the largest ratios down, the first digit whose triangles exceed the budget. After the
 * last pass sets the threshold. One item. */
BI_FN void bi_step_terrain_select_digit(const struct bi_terrain_budget *a, int64_t i)
{
    int digit = 255;
    uint64_t left = a->prefix[1];
    (void)i;
    for (; digit >= 0 && a->gain[digit] <= left; digit--) left -= a->gain[digit];
    a->prefix[1] = left;
    a->prefix[0] =
        digit < 0 ? (uint64_t)1 << 40 : a->prefix[0] << 8 | (uint64_t)digit; /* all fit: a prefix that no ratio has */
    for (int d = 0; d < 256; d++) a->gain[d] = 0;
    if (a->shift > 0) return;
    float found = a->prefix[0] >> 32 ? 0 : bi_f32_from_bits((uint32_t)a->prefix[0]);
    *a->threshold = found > a->min_threshold ? found : a->min_threshold;
}

#endif
