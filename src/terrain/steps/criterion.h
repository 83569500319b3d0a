/* The refinement criterion: how the error of a diamond compares with its bound. */
#ifndef BI_TERRAIN_STEPS_CRITERION_H
#define BI_TERRAIN_STEPS_CRITERION_H

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
    /* Level twos + 2: the box, at most 6 * 2^twos wide, meets at most 3 x 3 cells. */
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

/* The ratio of the error of a diamond to its bound: at least that of each diamond that can only be split after it. */
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
    return bi_terrain_round_up(largest);
}

#endif
