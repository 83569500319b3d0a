/* The refinement criterion: how the error of a diamond compares with its bound. And steps that find the threshold for a
 * budget of triangles, by radix selection over the bits of floats, 8 bits a pass. */
#ifndef BI_TERRAIN_STEPS_CRITERION_H
#define BI_TERRAIN_STEPS_CRITERION_H

#include "base/atomic.h"
#include "base/bits.h"
#include "terrain/steps/bounds.h"
#include "terrain/steps/errors.h"

/* The camera of a bosc_terrain_goal, prepared by the driver. */
struct bi_terrain_view {
    double eye[3];
    double planes[5][3]; /* inward normals of planes through the eye */
    double scale;        /* an error at distance d has error x scale / d times the allowed pixels */
    bool has_camera, cull;
};

struct bi_terrain_criterion {
    struct bi_terrain_grid grid;
    const uint32_t *errors;
    struct bi_terrain_bounds bounds;
    const bosc_terrain_region *regions; /* in reach */
    int64_t region_count;
    struct bi_terrain_view view;
    double spacing_x, spacing_y, error;
    double keep_factor; /* 1 - hysteresis */
    bool plain;         /* neither camera nor regions: the ratio is the error itself */
};

/* Distance, in samples from the middle, within which splitting this diamond or one below it changes the mesh. */
BI_FN int32_t bi_terrain_change_reach(int32_t x, int32_t y)
{
    int32_t tx = bi_terrain_trailing_zeros(x), ty = bi_terrain_trailing_zeros(y);
    return tx == ty ? 3 << tx : 2 << bi_terrain_min(tx, ty);
}

struct bi_terrain_box {
    double low[3], high[3];
};

/* The box of these changes. It contains the boxes of all diamonds that can only be split after this one. */
BI_FN struct bi_terrain_box bi_terrain_change_box(const struct bi_terrain_criterion *a, int32_t x, int32_t y)
{
    int32_t twos = bi_terrain_min(bi_terrain_trailing_zeros(x), bi_terrain_trailing_zeros(y)),
            reach = bi_terrain_change_reach(x, y);
    int32_t left = bi_terrain_max(x - reach, 0), right = bi_terrain_min(x + reach, a->grid.last_x);
    int32_t bottom = bi_terrain_max(y - reach, 0), top = bi_terrain_min(y + reach, a->grid.last_y);
    struct bi_terrain_bound bound = {0, 0};
    /* Level twos + 2: the box, at most 6 * 2^twos wide, intersects at most 3 x 3 cells. */
    if (a->view.has_camera) bound = bi_terrain_bound_of_box(&a->grid, &a->bounds, twos + 2, left, right, bottom, top);
    struct bi_terrain_box box = {{left * a->spacing_x, bottom * a->spacing_y, bound.low},
                                 {right * a->spacing_x, top * a->spacing_y, bound.high}};
    return box;
}

BI_FN bool bi_terrain_in_view(const struct bi_terrain_view *v, const struct bi_terrain_box *box)
{
    for (int i = 0; i < 5; i++) {
        double largest = 0;
        for (int c = 0; c < 3; c++) {
            double n = v->planes[i][c];
            largest += n * ((n > 0 ? box->high[c] : box->low[c]) - v->eye[c]);
        }
        if (largest < 0) return false;
    }
    return true;
}

/* The ratio of an error to the error that the camera allows. */
BI_FN double bi_terrain_screen_ratio(const struct bi_terrain_criterion *a, const struct bi_terrain_box *box,
                                     double error)
{
    const struct bi_terrain_view *v = &a->view;
    double square = 0;
    if (error <= a->error || (v->cull && !bi_terrain_in_view(v, box))) return 0;
    for (int c = 0; c < 3; c++) {
        double off = v->eye[c] < box->low[c]    ? box->low[c] - v->eye[c]
                     : v->eye[c] > box->high[c] ? v->eye[c] - box->high[c]
                                                : 0;
        square += off * off;
    }
    return square > 0 ? error * v->scale / bi_sqrt(square) : BI_INFINITY;
}

BI_FN double bi_terrain_ratio(double error, double bound) { return bound > 0 ? error / bound : BI_INFINITY; }

/* The ratio of the error of a diamond to its bound: at least that of each diamond that can only be split after it. If
 * a->plain, the error itself. 0 if the error is 0; infinite if a bound is 0. was_split: in the tree before, for
 * hysteresis. The diamond is live. */
BI_FN float bi_terrain_error_ratio(const struct bi_terrain_criterion *a, int32_t x, int32_t y, bool was_split)
{
    double error = bi_f32_from_bits(a->errors[bi_terrain_slot(&a->grid, x, y)]), largest = 0;
    if (error == 0) return 0;
    if (a->plain) {
        largest = error;
    } else {
        struct bi_terrain_box box = bi_terrain_change_box(a, x, y);
        bool covered = false; /* by one region: the bound elsewhere does not apply */
        /* 1. The largest ratio of the regions that the box intersects. */
        for (int64_t i = 0; i < a->region_count; i++) {
            const bosc_terrain_region *r = a->regions + i;
            if (r->low[0] > box.high[0] || r->high[0] < box.low[0] || r->low[1] > box.high[1] ||
                r->high[1] < box.low[1])
                continue;
            double ratio = bi_terrain_ratio(error, r->error);
            largest = ratio > largest ? ratio : largest;
            covered = covered || (r->low[0] <= box.low[0] && r->high[0] >= box.high[0] && r->low[1] <= box.low[1] &&
                                  r->high[1] >= box.high[1]);
        }
        /* 2. The bound or camera outside regions. */
        if (!covered) {
            double ratio =
                a->view.has_camera ? bi_terrain_screen_ratio(a, &box, error) : bi_terrain_ratio(error, a->error);
            largest = ratio > largest ? ratio : largest;
        }
    }
    if (was_split && a->keep_factor < 1) largest /= a->keep_factor; /* hysteresis */
    return bi_f32_round_up(largest);
}

/* ---- budgets ---- */

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
