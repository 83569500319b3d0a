/* The step that measures the distance of samples from the mesh. */
#ifndef BI_PLANET_STEPS_MEASURE_H
#define BI_PLANET_STEPS_MEASURE_H

#include "base/atomic.h"
#include "planet/steps/surface.h"

/* Items are the samples of a rectangle: `columns` wide, from column `left` and row `above` on. */
struct bi_planet_measure {
    struct bi_planet_view view;
    struct bi_bisector_view pool;
    const struct bi_planet_leaf *leaves;
    uint32_t *errors; /* (leaves) the largest error of each, as bits of f32; or NULL */
    uint64_t *worst;  /* the complement of the bits of the largest error, and its first sample */
    int64_t left, above, columns;
};

/* The leaf in a direction: a descent by barycentric coordinates, which need not sum to 1. */
BI_FN int64_t bi_planet_leaf_at(const struct bi_bisector_view *pool, const double d[3])
{
    const bool west = bi_is_negative(d[0]), far = bi_is_negative(d[1]), south = bi_is_negative(d[2]);
    const int64_t root = (far ? 3 - west : west) + 4 * south; /* quadrants: ++, -+, --, +- */
    double l[3];
    for (int v = 0; v < 3; v++) {
        const double x = d[bi_planet_axis(root, v)];
        l[v] = x < 0 ? -x : x;
    }
    uint64_t position = (uint64_t)root;
    for (int32_t level = 0; level < pool->depth; level++) {
        const bool second = l[1] > l[0];
        const double kept = second ? l[1] - l[0] : l[0] - l[1], middle = 2 * (second ? l[0] : l[1]);
        l[0] = second ? kept : l[2];
        l[1] = second ? l[2] : kept;
        l[2] = middle;
        position = 2 * position + second;
    }
    return bi_bisector_leaf_at(pool, position);
}

/* The distance of a triangle from the center in a direction. */
BI_FN double bi_planet_distance_in(const struct bi_planet_leaf *leaf, const double d[3])
{
    const double *p = leaf->position[0], *q = leaf->position[1], *r = leaf->position[2];
    double normal[3];
    for (int c = 0; c < 3; c++) {
        const int e = c == 2 ? 0 : c + 1, f = c == 0 ? 2 : c - 1;
        normal[c] = (q[e] - p[e]) * (r[f] - p[f]) - (q[f] - p[f]) * (r[e] - p[e]);
    }
    return bi_planet_dot(normal, p) / bi_planet_dot(normal, d);
}

BI_FN float bi_planet_round_up(double x)
{
    const float f = (float)x;
    return (double)f < x ? bi_f32_from_bits(bi_f32_bits(f) + 1) : f;
}

BI_FN void bi_step_planet_measure(const struct bi_planet_measure *a, int64_t i)
{
    const struct bi_planet_view *s = &a->view;
    const int64_t r = a->above + i / a->columns, c = a->left + i % a->columns;
    const double row = (double)r, column = (double)c;
    const struct bi_angle longitude = bi_angle_of_turns((column + 0.5) / s->width - 0.5),
                          latitude = bi_angle_of_turns((0.5 - (row + 0.5) / s->height) / 2);
    const double across = bi_angle_cos(latitude);
    const double d[3] = {across * bi_angle_cos(longitude), across * bi_angle_sin(longitude), bi_angle_sin(latitude)};
    const int64_t leaf = bi_planet_leaf_at(&a->pool, d);
    const double surface = s->radius + (bi_planet_stored(s, r, c) + bi_planet_detail(s, d));
    const double off = bi_planet_distance_in(a->leaves + leaf, d) - surface;
    const uint32_t bits = bi_f32_bits(bi_planet_round_up(off < 0 ? -off : off));
    const uint64_t key = (uint64_t)~bits << 32 | (uint64_t)(r * s->width + c);
    if (a->errors) bi_atomic_max_u32(a->errors + leaf, bits);
    if (key < bi_atomic_load_u64(a->worst)) bi_atomic_min_u64(a->worst, key);
}

#endif
