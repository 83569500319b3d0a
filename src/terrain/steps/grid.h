/* The triangles and diamonds of a raster: their corners, nodes, and slots in arrays.
 *
 * All triangles lie in a row of squares of 2^side intervals, in whose corner the raster is. Coordinates there are
 * columns and rows, beyond the last ones too. The image of a vertex is the nearest sample. A triangle is live if its
 * image has an area: if it reaches into the raster beyond a border's line. Every edge of a live triangle is shared with
 * another live one, or its image lies on the border of the raster: an edge of a triangle that is not live lies in x >=
 * w - 1 or in y >= h - 1. So where dead triangles are never split, and both live ones of a diamond together, the images
 * of the live leaves tile the raster: none of them is turned over (two corners have the same x, two the same y, or one
 * the middle between them, and images keep the order), each edge within the raster is shared by two of them, and their
 * areas add up.
 *
 * A diamond is known by its middle (x, y), at which it is split. Let 2^t be the smaller power of two that divides x or
 * y. If both are odd multiples of it, the diamond is a square of side 2^(t+1), whose longest edge is one diagonal: the
 * one between corners whose coordinates, in units of that side, have an even sum. Otherwise it is a square on its
 * corner, which lie 2^t from the middle; the longest edge is in the direction of the coordinate with fewer factors of
 * 2, and right angles in that of the other one. */
#ifndef BI_TERRAIN_STEPS_GRID_H
#define BI_TERRAIN_STEPS_GRID_H

#include <stdbool.h>

#include <boscage/device/cbt.h>
#include <boscage/terrain.h>

#include "base/step.h"

struct bi_terrain_grid {
    int32_t width, height;  /* of the raster in samples */
    int32_t last_x, last_y; /* its last column and row */
    int32_t side, tiles;    /* log2 of the intervals of a square's side; of the number of squares */
    int32_t depth, first;   /* of the tree; level of the largest triangles */
    int32_t pitch, rows;    /* of the array of diamonds, see bi_terrain_slot */
    bool tall;              /* squares are in a column, not a row */
    bool half;              /* one triangle is the root */
};

/* Corners counter-clockwise: the ends l and r of the longest edge, and the right angle p. */
struct bi_terrain_triangle {
    int32_t lx, ly, rx, ry, px, py;
};

struct bi_terrain_point {
    int32_t x, y;
};

BI_FN int32_t bi_terrain_min(int32_t a, int32_t b) { return a < b ? a : b; }
BI_FN int32_t bi_terrain_max(int32_t a, int32_t b) { return a > b ? a : b; }
BI_FN int32_t bi_terrain_min3(int32_t a, int32_t b, int32_t c) { return bi_terrain_min(a, bi_terrain_min(b, c)); }
BI_FN int32_t bi_terrain_max3(int32_t a, int32_t b, int32_t c) { return bi_terrain_max(a, bi_terrain_max(b, c)); }

/* Factors of 2 in a coordinate; 31 for 0, more than any other has. */
BI_FN int32_t bi_terrain_trailing_zeros(int32_t x) { return x ? bosc_cbt_trailing_zeros((uint64_t)(uint32_t)x) : 31; }

BI_FN bool bi_terrain_has_area(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    int32_t x = bi_terrain_min3(t->lx, t->rx, t->px), y = bi_terrain_min3(t->ly, t->ry, t->py);
    if (x < 0 || y < 0 || x >= g->last_x || y >= g->last_y) return false;
    return !g->half || t->lx + t->rx + t->px > t->ly + t->ry + t->py;
}

/* The two triangles of a square, `which` 0 or 1. */
BI_FN struct bi_terrain_triangle bi_terrain_root(const struct bi_terrain_grid *g, int32_t square, int32_t which)
{
    int32_t s = (int32_t)1 << g->side, x = g->tall ? 0 : square << g->side, y = g->tall ? square << g->side : 0;
    bool even = (square & 1) == 0;
    struct bi_terrain_triangle t;
    if (even) {
        t.lx = which ? x : x + s;
        t.ly = which ? y : y + s;
        t.rx = which ? x + s : x;
        t.ry = which ? y + s : y;
        t.px = which ? x : x + s;
        t.py = which ? y + s : y;
    } else {
        t.lx = which ? x : x + s;
        t.ly = which ? y + s : y;
        t.rx = which ? x + s : x;
        t.ry = which ? y : y + s;
        t.px = which ? x + s : x;
        t.py = which ? y + s : y;
    }
    return t;
}

/* The point where the triangle is split. Not for the deepest level, where it is no sample. */
BI_FN struct bi_terrain_point bi_terrain_midpoint(const struct bi_terrain_triangle *t)
{
    struct bi_terrain_point m = {(t->lx + t->rx) >> 1, (t->ly + t->ry) >> 1};
    return m;
}

BI_FN struct bi_terrain_triangle bi_terrain_child(const struct bi_terrain_triangle *t, uint64_t which)
{
    struct bi_terrain_point m = bi_terrain_midpoint(t);
    struct bi_terrain_triangle left = {t->px, t->py, t->lx, t->ly, m.x, m.y};
    struct bi_terrain_triangle right = {t->rx, t->ry, t->px, t->py, m.x, m.y};
    return which ? right : left;
}

/* The mate: the other triangle of the diamond. It may lie outside. */
BI_FN struct bi_terrain_triangle bi_terrain_base_neighbour(const struct bi_terrain_triangle *t)
{
    struct bi_terrain_triangle mate = {t->rx, t->ry, t->lx, t->ly, t->lx + t->rx - t->px, t->ly + t->ry - t->py};
    return mate;
}

/* The triangle below `t` on the path of the `count` lowest bits. */
BI_FN struct bi_terrain_triangle bi_terrain_descend(struct bi_terrain_triangle t, uint64_t path, int32_t count)
{
    while (count-- > 0) t = bi_terrain_child(&t, path >> count & 1);
    return t;
}

/* The triangle of a node of level g->first or more. */
BI_FN struct bi_terrain_triangle bi_terrain_triangle_of(const struct bi_terrain_grid *g, uint64_t node)
{
    int32_t below = bosc_cbt_level(node) - g->first;
    uint64_t root = (node >> below) - ((uint64_t)1 << g->first);
    return bi_terrain_descend(bi_terrain_root(g, (int32_t)(root >> 1), (int32_t)(root & 1)), node, below);
}

/* The two triangles of the diamond with this middle; they may lie outside. */
BI_FN struct bi_terrain_triangle bi_terrain_diamond_at(int32_t x, int32_t y)
{
    int32_t tx = bi_terrain_trailing_zeros(x), ty = bi_terrain_trailing_zeros(y), t = bi_terrain_min(tx, ty),
            s = (int32_t)1 << t;
    if (tx > ty) {
        struct bi_terrain_triangle upright = {x, y - s, x, y + s, x - s, y};
        return upright;
    }
    if (tx < ty) {
        struct bi_terrain_triangle level = {x - s, y, x + s, y, x, y + s};
        return level;
    }
    if ((((x - s) >> (t + 1)) + ((y - s) >> (t + 1))) & 1) {
        struct bi_terrain_triangle falling = {x + s, y - s, x - s, y + s, x - s, y - s};
        return falling;
    }
    struct bi_terrain_triangle rising = {x + s, y + s, x - s, y - s, x + s, y - s};
    return rising;
}

/* The node of a triangle of this level: descends to the triangle that contains its centroid. */
BI_FN uint64_t bi_terrain_node(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t, int32_t level)
{
    int64_t x = (int64_t)t->lx + t->rx + t->px, y = (int64_t)t->ly + t->ry + t->py; /* three times the centroid */
    uint64_t node = 1, square = (uint64_t)(g->tall ? y / 3 : x / 3) >> g->side;
    struct bi_terrain_triangle at = bi_terrain_root(g, (int32_t)square, 0);
    if (!g->half) {
        int64_t ex = at.rx - at.lx, ey = at.ry - at.ly;
        int which = ex * (y - 3 * (int64_t)at.ly) - ey * (x - 3 * (int64_t)at.lx) < 0;
        if (which) at = bi_terrain_root(g, (int32_t)square, 1);
        node = ((uint64_t)1 << g->first) + 2 * square + (uint64_t)which;
    }
    for (int32_t i = g->first; i < level; i++) {
        int64_t ex = (int64_t)at.lx + at.rx - 2 * (int64_t)at.px, ey = (int64_t)at.ly + at.ry - 2 * (int64_t)at.py;
        uint64_t which = ex * (y - 3 * (int64_t)at.py) - ey * (x - 3 * (int64_t)at.px) > 0;
        at = bi_terrain_child(&at, which);
        node = 2 * node + which;
    }
    return node;
}

/* The slot of the diamond with this middle in arrays of diamonds. Beyond the last column, live diamonds have their
 * middles in at most one column for each power of two: the first one that it divides. Rows likewise. */
BI_FN int64_t bi_terrain_slot(const struct bi_terrain_grid *g, int32_t x, int32_t y)
{
    int32_t column = x <= g->last_x ? x : g->width + bi_terrain_trailing_zeros(x);
    int32_t row = y <= g->last_y ? y : g->height + bi_terrain_trailing_zeros(y);
    return (int64_t)row * g->pitch + column;
}

BI_FN int64_t bi_terrain_sample(const struct bi_terrain_grid *g, int32_t x, int32_t y)
{
    return (int64_t)bi_terrain_min(y, g->last_y) * g->width + bi_terrain_min(x, g->last_x);
}

BI_FN bool bi_terrain_is_unclamped(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    return bi_terrain_max3(t->lx, t->rx, t->px) <= g->last_x && bi_terrain_max3(t->ly, t->ry, t->py) <= g->last_y;
}

/* True if all corners of the diamond lie in the raster, so that its triangles equal their images. */
BI_FN bool bi_terrain_diamond_inside(const struct bi_terrain_grid *g, const struct bi_terrain_triangle *t)
{
    int32_t qx = t->lx + t->rx - t->px, qy = t->ly + t->ry - t->py;
    int32_t x = bi_terrain_max3(t->lx, t->rx, t->px), y = bi_terrain_max3(t->ly, t->ry, t->py);
    return bi_terrain_max(x, qx) <= g->last_x && bi_terrain_max(y, qy) <= g->last_y;
}

/* True if the raster fills a power of two of squares. Then all triangles are live and none is clamped. */
BI_FN bool bi_terrain_fills_squares(const struct bi_terrain_grid *g)
{
    int32_t s = (int32_t)1 << g->side, along = g->tall ? g->last_y : g->last_x,
            across = g->tall ? g->last_x : g->last_y;
    return across == s && along == s << g->tiles;
}

/* True if the node, which is in the tree, is split. */
BI_FN bool bi_terrain_is_split(const bosc_cbt_view *v, uint64_t node)
{
    return !(node >> v->depth) && bosc_cbt_bit(v->bits, bosc_cbt_first_bit(bosc_cbt_right(node), v->depth));
}

#endif
