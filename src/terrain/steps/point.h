/* Points in images of triangles: location of the child and the leaf that contain one, and heights. */
#ifndef BI_TERRAIN_STEPS_POINT_H
#define BI_TERRAIN_STEPS_POINT_H

#include "base/elementary.h"
#include "terrain/steps/grid.h"

/* Positive if the point lies to the left of the line from a to b. Exact for samples. */
BI_FN double bi_terrain_cross(double ax, double ay, double bx, double by, double x, double y)
{
    return (bx - ax) * (y - ay) - (by - ay) * (x - ax);
}

/* 0 or more if the image of the triangle contains the point: the smallest of three edge functions. */
BI_FN double bi_terrain_inside_depth(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t, double x,
                                     double y)
{
    double lx = bi_terrain_min(t->lx, g->last_x), ly = bi_terrain_min(t->ly, g->last_y);
    double rx = bi_terrain_min(t->rx, g->last_x), ry = bi_terrain_min(t->ry, g->last_y);
    double px = bi_terrain_min(t->px, g->last_x), py = bi_terrain_min(t->py, g->last_y);
    double a = bi_terrain_cross(lx, ly, rx, ry, x, y), b = bi_terrain_cross(rx, ry, px, py, x, y);
    double c = bi_terrain_cross(px, py, lx, ly, x, y);
    a = b < a ? b : a;
    return c < a ? c : a;
}

/* The triangle that contains a point, and its node (0: not known). */
struct bi_terrain_location {
    struct bi_terrain_triangle t;
    uint64_t node;
};

BI_FN struct bi_terrain_location bi_terrain_locate_root(const struct bi_terrain_grid *g, double x, double y)
{
    int32_t along = (int32_t)(g->tall ? y : x), last = g->tall ? g->last_y : g->last_x;
    int32_t square = bi_terrain_min(along, last - 1) >> g->side;
    struct bi_terrain_location location = {bi_terrain_root(g, square, 0), 1};
    if (g->half) return location;
    struct bi_terrain_triangle other = bi_terrain_root(g, square, 1);
    bool second = bi_terrain_inside_depth(g, &other, x, y) > bi_terrain_inside_depth(g, &location.t, x, y);
    if (second) location.t = other;
    location.node = ((uint64_t)1 << g->first) + 2 * (uint64_t)square + second;
    return location;
}

/* Replaces the location by the child, of the triangle or of its mate, whose image contains the point; the first of
 * several. With clamped vertices the images of children cover the diamond's image, but not each its parent's. */
BI_FN void bi_terrain_locate_clamped_child(const struct bi_terrain_grid *g, struct bi_terrain_location *location,
                                           double x, double y)
{
    struct bi_terrain_triangle mate = bi_terrain_base_neighbour(&location->t), found = location->t;
    double best = 0;
    int which = -1, n = bi_terrain_has_area(g, &mate) ? 4 : 2;
    for (int i = 0; i < n; i++) {
        struct bi_terrain_triangle child = bi_terrain_child(i < 2 ? &location->t : &mate, (uint64_t)(i & 1));
        if (!bi_terrain_has_area(g, &child)) continue;
        double depth = bi_terrain_inside_depth(g, &child, x, y);
        if (which >= 0 && depth <= best) continue;
        best = depth;
        which = i;
        found = child;
    }
    location->t = found;
    location->node = which < 2 && location->node ? 2 * location->node + (uint64_t)which : 0;
}

BI_FN void bi_terrain_locate_child(const struct bi_terrain_grid *g, struct bi_terrain_location *location, double x,
                                   double y)
{
    const struct bi_terrain_triangle *t = &location->t;
    if (!bi_terrain_diamond_inside(g, t)) {
        bi_terrain_locate_clamped_child(g, location, x, y);
        return;
    }
    struct bi_terrain_point m = bi_terrain_midpoint(t);
    uint64_t which = bi_terrain_cross(t->px, t->py, m.x, m.y, x, y) > 0;
    location->t = bi_terrain_child(t, which);
    if (location->node) location->node = 2 * location->node + which;
}

/* The leaf over a point of the raster. */
BI_FN struct bi_terrain_location bi_terrain_locate_leaf(const struct bi_terrain_grid *g, const bosc_cbt_view *v,
                                                        double x, double y)
{
    struct bi_terrain_location location = bi_terrain_locate_root(g, x, y);
    for (int32_t level = g->first; bi_terrain_is_split(v, location.node);) {
        bi_terrain_locate_child(g, &location, x, y);
        level++;
        if (!location.node) location.node = bi_terrain_node(g, &location.t, level);
    }
    return location;
}

/* The plane through the three samples of an image: the height p at the right angle (px, py), and the slopes. */
struct bi_terrain_plane {
    double px, py, p, slope_x, slope_y;
};

/* Edges parallel to x and y give the slopes. If only the longest edge is parallel to an axis, the right angle gives the
 * other slope. Slopes are exact for small integer heights where no vertex is clamped. */
BI_FN struct bi_terrain_plane bi_terrain_plane_of(const struct bi_terrain_grid *g, const float *heights,
                                                  const struct bi_terrain_triangle *t)
{
    double lx = bi_terrain_min(t->lx, g->last_x), ly = bi_terrain_min(t->ly, g->last_y);
    double rx = bi_terrain_min(t->rx, g->last_x), ry = bi_terrain_min(t->ry, g->last_y);
    double px = bi_terrain_min(t->px, g->last_x), py = bi_terrain_min(t->py, g->last_y);
    double l = heights[bi_terrain_sample(g, t->lx, t->ly)], r = heights[bi_terrain_sample(g, t->rx, t->ry)];
    double p = heights[bi_terrain_sample(g, t->px, t->py)];
    struct bi_terrain_plane plane = {px, py, p, 0, 0};
    if (t->ly == t->ry) {
        plane.slope_x = (r - l) / (rx - lx);
        plane.slope_y = (p - (l + plane.slope_x * (px - lx))) / (py - ly);
    } else if (t->lx == t->rx) {
        plane.slope_y = (r - l) / (ry - ly);
        plane.slope_x = (p - (l + plane.slope_y * (py - ly))) / (px - lx);
    } else if (t->ly == t->py) {
        plane.slope_x = (l - p) / (lx - px);
        plane.slope_y = (r - p) / (ry - py);
    } else {
        plane.slope_x = (r - p) / (rx - px);
        plane.slope_y = (l - p) / (ly - py);
    }
    return plane;
}

BI_FN double bi_terrain_height_at(const struct bi_terrain_plane *plane, double x, double y)
{
    return plane->p + plane->slope_y * (y - plane->py) + plane->slope_x * (x - plane->px);
}

/* A range of rows or columns, both ends included. */
struct bi_terrain_span {
    int32_t from, to;
};

/* The rows of the image of a triangle. */
BI_FN struct bi_terrain_span bi_terrain_rows(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    struct bi_terrain_span rows = {bi_terrain_min3(t->ly, t->ry, t->py),
                                   bi_terrain_min(bi_terrain_max3(t->ly, t->ry, t->py), g->last_y)};
    return rows;
}

/* Columns crossed by an edge after `done` of its `rows` rows, rounded down; the whole edge crosses `width` columns. */
BI_FN int32_t bi_terrain_edge_offset(int32_t width, int32_t done, int32_t rows)
{
    return width == rows || width == 0 ? (width ? done : 0) : rows ? (int32_t)((int64_t)width * done / rows) : width;
}

/* The columns of the samples in row y of the image of a triangle, both ends included. The image has an area and
 * contains the row. */
BI_FN struct bi_terrain_span bi_terrain_columns(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t,
                                                int32_t y)
{
    int32_t lx = bi_terrain_min(t->lx, g->last_x), ly = bi_terrain_min(t->ly, g->last_y);
    int32_t rx = bi_terrain_min(t->rx, g->last_x), ry = bi_terrain_min(t->ry, g->last_y);
    int32_t px = bi_terrain_min(t->px, g->last_x), py = bi_terrain_min(t->py, g->last_y);
    int32_t left, right;
    if (t->ly == t->ry) { /* the longest edge is parallel to x */
        int32_t done = y < py ? py - y : y - py, all = ly < py ? py - ly : ly - py;
        int32_t low = bi_terrain_min(lx, rx), high = bi_terrain_max(lx, rx);
        left = px - bi_terrain_edge_offset(px - low, done, all);
        right = px + bi_terrain_edge_offset(high - px, done, all);
    } else if (t->lx == t->rx) { /* it is parallel to y */
        int32_t low = bi_terrain_min(ly, ry), high = bi_terrain_max(ly, ry), width = px < lx ? lx - px : px - lx;
        int32_t far = y < py ? bi_terrain_edge_offset(width, y - low, py - low)
                             : bi_terrain_edge_offset(width, high - y, high - py);
        left = px < lx ? lx - far : lx;
        right = px < lx ? lx : lx + far;
    } else { /* the legs are parallel to the axes */
        int32_t ux = t->ly == t->py ? lx : rx,
                vy = t->ly == t->py ? ry : ly; /* the corners in the directions of x and y */
        int32_t width = ux < px ? px - ux : ux - px;
        int32_t far = bi_terrain_edge_offset(width, y < vy ? vy - y : y - vy, vy < py ? py - vy : vy - py);
        left = ux < px ? px - far : px;
        right = ux < px ? px : px + far;
    }
    struct bi_terrain_span columns = {left, right};
    return columns;
}

#endif
