/* Steps that answer queries about leaves and points. */
#ifndef BI_TERRAIN_STEPS_QUERY_H
#define BI_TERRAIN_STEPS_QUERY_H

#include "base/elementary.h"
#include "terrain/steps/point.h"

/* Item i: leaf first + i, point i, or leaf i. */
struct bi_terrain_query {
    struct bi_terrain_grid grid;
    bosc_cbt_view view;
    const float *samples;
    double spacing_x, spacing_y;
    int64_t first;
    const double *points;
    const int64_t *leaves;
    int64_t *answers;
    double *heights;
};

BI_FN void bi_step_terrain_corners(const struct bi_terrain_query *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    uint64_t node = bosc_cbt_leaf_node(&a->view, a->first + i);
    int64_t *to = a->answers + 3 * i;
    to[0] = to[1] = to[2] = -1;
    if (!node) return;
    struct bi_terrain_triangle t = bi_terrain_triangle_of(g, node);
    if (!bi_terrain_has_area(g, &t)) return;
    to[0] = bi_terrain_sample(g, t.lx, t.ly);
    to[1] = bi_terrain_sample(g, t.rx, t.ry);
    to[2] = bi_terrain_sample(g, t.px, t.py);
}

BI_FN void bi_step_terrain_locate(const struct bi_terrain_query *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    double x = a->points[2 * i] / a->spacing_x, y = a->points[2 * i + 1] / a->spacing_y;
    bool in = x >= 0 && y >= 0 && x <= g->last_x && y <= g->last_y && (!g->half || x >= y);
    if (!in) {
        if (a->answers) a->answers[i] = -1;
        if (a->heights) a->heights[i] = BI_QUIET_NAN;
        return;
    }
    struct bi_terrain_location location = bi_terrain_locate_leaf(g, &a->view, x, y);
    if (a->answers) a->answers[i] = bosc_cbt_leaf_index(&a->view, location.node);
    struct bi_terrain_plane plane = bi_terrain_plane_of(g, a->samples, &location.t);
    if (a->heights) a->heights[i] = bi_terrain_height_at(&plane, x, y);
}

/* The leaf just beyond the edge from a to b: it contains the edge's middle, moved to the right by a sixth of the edge.
 * That point lies in the right isosceles triangle over the edge, which is the leaf, its child, or part of a larger one.
 * Coordinates are six times those of the grid: the point is no sample. */
BI_FN int64_t bi_terrain_leaf_across(const struct bi_terrain_query *a, int32_t ax, int32_t ay, int32_t bx, int32_t by)
{
    const struct bi_terrain_grid *g = &a->grid;
    int64_t x = 3 * ((int64_t)ax + bx) + (by - ay), y = 3 * ((int64_t)ay + by) - (bx - ax);
    int64_t along = (g->tall ? y : x) / 6, across = g->tall ? x : y, last = g->tall ? g->last_y : g->last_x;
    if (x < 0 || y < 0 || across > (int64_t)6 << g->side) return -1;
    if (g->half && y > x) return -1;
    /* 1. The root triangle that contains the point. */
    uint64_t node = 1;
    int64_t square = along >> g->side;
    if (square > (last - 1) >> g->side) return -1;
    struct bi_terrain_triangle t = bi_terrain_root(g, (int32_t)square, 0);
    if (!g->half) {
        int64_t ex = t.rx - t.lx, ey = t.ry - t.ly;
        bool second = ex * (y - 6 * (int64_t)t.ly) - ey * (x - 6 * (int64_t)t.lx) < 0;
        if (second) t = bi_terrain_root(g, (int32_t)square, 1);
        node = ((uint64_t)1 << g->first) + 2 * (uint64_t)square + second;
    }
    /* 2. Down to the leaf, by the side of the line from the right angle to the middle of the longest edge. */
    while (bi_terrain_is_split(&a->view, node)) {
        int64_t ex = (int64_t)t.lx + t.rx - 2 * (int64_t)t.px, ey = (int64_t)t.ly + t.ry - 2 * (int64_t)t.py;
        uint64_t which = ex * (y - 6 * (int64_t)t.py) - ey * (x - 6 * (int64_t)t.px) > 0;
        t = bi_terrain_child(&t, which);
        node = 2 * node + which;
    }
    return bi_terrain_has_area(g, &t) ? bosc_cbt_leaf_index(&a->view, node) : -1;
}

BI_FN void bi_step_terrain_neighbours(const struct bi_terrain_query *a, int64_t i)
{
    const struct bi_terrain_grid *g = &a->grid;
    uint64_t node = bosc_cbt_leaf_node(&a->view, a->leaves[i]);
    int64_t *to = a->answers + 3 * i;
    to[0] = to[1] = to[2] = -1;
    if (!node) return;
    struct bi_terrain_triangle t = bi_terrain_triangle_of(g, node);
    if (!bi_terrain_has_area(g, &t)) return;
    to[0] = bi_terrain_leaf_across(a, t.lx, t.ly, t.rx, t.ry);
    to[1] = bi_terrain_leaf_across(a, t.rx, t.ry, t.px, t.py);
    to[2] = bi_terrain_leaf_across(a, t.px, t.py, t.lx, t.ly);
}

#endif
