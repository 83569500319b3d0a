/* The refinement criterion: how the error of a diamond compares with its bound. */
#ifndef BI_TERRAIN_STEPS_CRITERION_H
#define BI_TERRAIN_STEPS_CRITERION_H

#include "base/bits.h"
#include "terrain/steps/bounds.h"
#include "terrain/steps/errors.h"

/* What bosc_terrain_goal says, prepared by the driver. */
struct bi_terrain_view {
    double eye[3];
    double planes[5][3]; /* inward normals of planes through the eye */
    double scale;        /* of an error, over its distance, in units of the pixels allowed */
    bool on, cull;
};

struct bi_terrain_criterion {
    struct bi_terrain_grid grid;
    const uint32_t *errors;
    struct bi_terrain_bounds bounds;
    const bosc_terrain_region *regions; /* in reach */
    int64_t region_count;
    struct bi_terrain_view view;
    double spacing_x, spacing_y, error;
    double keep; /* 1 - hysteresis */
    bool plain;  /* the measure is the error itself, not the part of a bound */
};

/* Where the mesh may be changed if a diamond of this error is split: samples to either side of the middle. */
BI_FN int32_t bi_terrain_change_reach(int32_t x, int32_t y)
{
    int32_t tx = bi_terrain_trailing_zeros(x), ty = bi_terrain_trailing_zeros(y);
    return tx == ty ? 3 << tx : 2 << bi_terrain_min(tx, ty);
}

struct bi_terrain_box {
    double low[3], high[3];
};

/* Where that is. The box of a diamond that can only be split after it is in this one. */
BI_FN struct bi_terrain_box bi_terrain_change_box(const struct bi_terrain_criterion *a, int32_t x, int32_t y)
{
    int32_t twos = bi_terrain_min(bi_terrain_trailing_zeros(x), bi_terrain_trailing_zeros(y)),
            reach = bi_terrain_change_reach(x, y);
    int32_t left = bi_terrain_max(x - reach, 0), right = bi_terrain_min(x + reach, a->grid.last_x);
    int32_t bottom = bi_terrain_max(y - reach, 0), top = bi_terrain_min(y + reach, a->grid.last_y);
    struct bi_terrain_bound bound = {0, 0};
    if (a->view.on) bound = bi_terrain_bound_of_box(&a->grid, &a->bounds, twos + 2, left, right, bottom, top);
    struct bi_terrain_box box = {{left * a->spacing_x, bottom * a->spacing_y, bound.low},
                                 {right * a->spacing_x, top * a->spacing_y, bound.high}};
    return box;
}

BI_FN bool bi_terrain_in_view(const struct bi_terrain_view *v, const struct bi_terrain_box *box)
{
    for (int i = 0; i < 5; i++) {
        double most = 0;
        for (int c = 0; c < 3; c++) {
            double n = v->planes[i][c];
            most += n * ((n > 0 ? box->high[c] : box->low[c]) - v->eye[c]);
        }
        if (most < 0) return false;
    }
    return true;
}

/* How often an error exceeds what the camera allows. */
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

/* How often the error of a diamond is its bound: not less than that of any that can only be split after it. */
BI_FN float bi_terrain_error_ratio(const struct bi_terrain_criterion *a, int32_t x, int32_t y, bool was_split)
{
    double error = bi_f32_from_bits(a->errors[bi_terrain_slot(&a->grid, x, y)]), most = 0;
    if (error == 0) return 0;
    if (a->plain) {
        most = error;
    } else {
        struct bi_terrain_box box = bi_terrain_change_box(a, x, y);
        bool own = false;
        for (int64_t i = 0; i < a->region_count; i++) {
            const bosc_terrain_region *r = a->regions + i;
            if (r->low[0] > box.high[0] || r->high[0] < box.low[0] || r->low[1] > box.high[1] ||
                r->high[1] < box.low[1])
                continue;
            double times = bi_terrain_ratio(error, r->error);
            most = times > most ? times : most;
            own = own || (r->low[0] <= box.low[0] && r->high[0] >= box.high[0] && r->low[1] <= box.low[1] &&
                          r->high[1] >= box.high[1]);
        }
        if (!own) {
            double times = a->view.on ? bi_terrain_screen_ratio(a, &box, error) : bi_terrain_ratio(error, a->error);
            most = times > most ? times : most;
        }
    }
    if (was_split && a->keep < 1) most /= a->keep;
    return bi_terrain_round_up(most);
}

#endif
