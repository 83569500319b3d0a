/* Steps that look at every sample: checks, errors of diamonds, and how far a mesh is from the raster. */
#ifndef BI_CBT_TERRAIN_ERROR_STEPS_H
#define BI_CBT_TERRAIN_ERROR_STEPS_H

#include "base/atomic.h"
#include "cbt/terrain_point.h"

/* Copies the raster; *bad becomes the first sample that is no number or infinite. Items are samples. */
struct bi_terrain_take {
    const float *from;
    float *to;
    int64_t w, stride;
    uint64_t *bad; /* NULL: not looked for */
};

BI_FN void bi_step_terrain_take(const struct bi_terrain_take *a, int64_t i)
{
    float z = a->from[i / a->w * a->stride + i % a->w];
    a->to[i] = z;
    if (a->bad && (bi_f32_bits(z) & 0x7f800000u) == 0x7f800000u) bi_lower_u64(a->bad, (uint64_t)i);
}

/* Errors of all diamonds, as bits of floats, 0 at first. Items are samples: each lifts the error of the diamond over it
 * on every level. Of several at an edge it is the one that bi_terrain_find goes through. */
struct bi_terrain_errors {
    struct bi_terrain_grid grid;
    const float *heights;
    uint32_t *errors;
};

BI_FN void bi_step_terrain_errors(const struct bi_terrain_errors *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    double x = (double)(i % g->w), y = (double)(i / g->w), z = a->heights[i];
    if (g->half && y > x) return;
    struct bi_terrain_place place = bi_terrain_enter(g, x, y);
    place.node = 0;
    for (int32_t level = g->first; level < g->depth; level++) {
        double error = bi_terrain_height(g, a->heights, &place.t, x, y) - z;
        struct bi_terrain_point m = bi_terrain_middle(&place.t);
        float up = bi_terrain_up(error < 0 ? -error : error);
        if (up > 0) bi_lift_u32(a->errors + bi_terrain_slot(g, m.x, m.y), bi_f32_bits(up));
        bi_terrain_enter_child(g, &place, x, y);
    }
}

/* Makes the errors of diamonds those of all that can only be split after them. Items are the live diamonds of a size:
 * squares with middles at odd multiples of s; or those on their corners, at multiples of s of which one is odd. */
struct bi_terrain_saturate {
    struct bi_terrain_grid grid;
    uint32_t *errors;
    int32_t s, columns;
    bool cornered;
};

/* The largest error of what the triangle is split into, if it is live. */
BI_FN uint32_t bi_terrain_below_error(const struct bi_terrain_grid *g, const uint32_t *errors,
                                      const struct bi_terrain_triangle *t)
{
    uint32_t most = 0;
    if (!bi_terrain_live(g, t)) return 0;
    for (uint64_t which = 0; which < 2; which++) {
        struct bi_terrain_triangle child = bi_terrain_child(t, which);
        struct bi_terrain_point m = bi_terrain_middle(&child);
        if (!bi_terrain_live(g, &child)) continue;
        uint32_t error = errors[bi_terrain_slot(g, m.x, m.y)];
        most = error > most ? error : most;
    }
    return most;
}

BI_FN void bi_step_terrain_saturate(const struct bi_terrain_saturate *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    int32_t column = (int32_t)(i % a->columns), row = (int32_t)(i / a->columns);
    int32_t x = a->cornered ? a->s * (2 * column + !(row & 1)) : a->s * (2 * column + 1);
    int32_t y = a->cornered ? a->s * row : a->s * (2 * row + 1);
    if (x - a->s >= g->last_x || y - a->s >= g->last_y) return;
    struct bi_terrain_triangle t = bi_terrain_of_middle(x, y), mate = bi_terrain_mate(&t);
    uint32_t one = bi_terrain_below_error(g, a->errors, &t), two = bi_terrain_below_error(g, a->errors, &mate);
    int64_t slot = bi_terrain_slot(g, x, y);
    uint32_t most = one > two ? one : two;
    if (a->errors[slot] < most) a->errors[slot] = most;
}

/* The largest distance of a sample from the mesh, as bits of a float, and the level of the deepest leaf. */
struct bi_terrain_measure {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *heights;
    uint32_t *most; /* (2) error, level */
};

BI_FN void bi_step_terrain_measure(const struct bi_terrain_measure *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    double x = (double)(i % g->w), y = (double)(i / g->w);
    if (g->half && y > x) return;
    struct bi_terrain_place place = bi_terrain_find(g, &a->view, x, y);
    double error = bi_terrain_height(g, a->heights, &place.t, x, y) - (double)a->heights[i];
    bi_lift_u32(a->most, bi_f32_bits(bi_terrain_up(error < 0 ? -error : error)));
    bi_lift_u32(a->most + 1, (uint32_t)bosc_cbt_level(place.node));
}

/* The lowest and the highest sample, as ordered numbers (bi_key_u32_of_f32), the second one inverted. */
struct bi_terrain_range {
    const float *heights;
    uint32_t *range; /* (2) */
    int64_t n;
};

enum { BI_TERRAIN_RUN = 1024 };

BI_FN void bi_step_terrain_range(const struct bi_terrain_range *a, int64_t item)
{
    uint32_t low = UINT32_MAX, high = UINT32_MAX;
    for (int64_t i = item * BI_TERRAIN_RUN; i < a->n && i < (item + 1) * BI_TERRAIN_RUN; i++) {
        uint32_t key = bi_key_u32_of_f32(a->heights[i]);
        low = key < low ? key : low;
        high = ~key < high ? ~key : high;
    }
    bi_lower_u32(a->range, low);
    bi_lower_u32(a->range + 1, high);
}

#endif
