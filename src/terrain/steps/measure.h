/* The step that measures the largest distance of a mesh from its raster. */
#ifndef BI_TERRAIN_STEPS_MEASURE_H
#define BI_TERRAIN_STEPS_MEASURE_H

#include "base/atomic.h"
#include "terrain/steps/errors.h"

/* The largest distance of a sample from the mesh, as bits of a float, and the level of the deepest leaf. */
struct bi_terrain_measure {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *heights;
    uint32_t *largest; /* (2) error, level */
};

BI_FN bool bi_terrain_is_corner(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t, int64_t sample)
{
    return sample == bi_terrain_sample(g, t->lx, t->ly) || sample == bi_terrain_sample(g, t->rx, t->ry) ||
           sample == bi_terrain_sample(g, t->px, t->py);
}

BI_FN void bi_step_terrain_measure(const struct bi_terrain_measure *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    const int64_t row = i / g->width;
    double x = (double)(i - row * g->width), y = (double)row;
    if (g->half && y > x) return;
    struct bi_terrain_location location = bi_terrain_locate_leaf(g, &a->view, x, y);
    struct bi_terrain_plane plane = bi_terrain_plane_of(g, a->heights, &location.t);
    double error =
        bi_terrain_is_corner(g, &location.t, i) ? 0 : bi_terrain_height_at(&plane, x, y) - (double)a->heights[i];
    bi_atomic_max_u32(a->largest, bi_f32_bits(bi_terrain_round_up(error < 0 ? -error : error)));
    bi_atomic_max_u32(a->largest + 1, (uint32_t)bosc_cbt_level(location.node));
}

#endif
