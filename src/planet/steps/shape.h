/* Steps that compute the positions of triangles, and bounds of the distance of the surface from them.
 *
 * A leaf (v0, v1, v2) with midpoint m of its base has the children (v2, v0, m) and (v1, v2, m). An update reuses known
 * positions: a child needs one new vertex, a parent one too, for its own parent's base. Errors belong to bases and are
 * computed from their ends alone: so both triangles of a diamond have the same error and decide together. */
#ifndef BI_PLANET_STEPS_SHAPE_H
#define BI_PLANET_STEPS_SHAPE_H

#include "planet/steps/surface.h"

/* Points of the octahedron: a node's corners, and the end of its parent's base that is no corner of it. */
struct bi_planet_points {
    double p[4][3];
};

BI_FN struct bi_planet_points bi_planet_points_of(const struct bi_bisector_view *pool, uint64_t node)
{
    struct bi_planet_points points = {{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}};
    double c[3][2];
    const int64_t root = bi_bisector_root(pool, node);
    const int near = node & 1 ? 0 : 1; /* the corner that is an end of the parent's base, whose midpoint is v2 */
    bi_bisector_corners(pool, node, c);
    for (int v = 0; v < 3; v++) bi_planet_point(root, c[v][0], c[v][1], points.p[v]);
    for (int k = 0; k < 3; k++) points.p[3][k] = 2 * points.p[2][k] - points.p[near][k];
    return points;
}

/* A box of the raster: columns left to right and rows low to high. Columns that wrap around make two runs. */
struct bi_planet_box {
    int64_t left[2], right[2], low, high;
};

/* Bounds of a box: from samples if it has at most BI_PLANET_FEW rows and columns, else from cells of a level at which
 * at most three rows of cells intersect it. */
BI_FN struct bi_planet_cell bi_planet_cell_of_box(const struct bi_planet_view *s, const struct bi_planet_box *b)
{
    struct bi_planet_cell cell = bi_planet_empty_cell();
    const bool few =
        b->high - b->low < BI_PLANET_FEW && b->right[0] - b->left[0] + b->right[1] - b->left[1] + 2 <= BI_PLANET_FEW;
    int32_t level = few ? 0 : BI_PLANET_CELL;
    while (!few && level < s->top && (b->high - b->low) >> level > 1) level++;
    const int64_t across = bi_planet_cell_count(s->width, level);
    for (int64_t j = b->low >> level; j <= b->high >> level; j++)
        for (int run = 0; run < 2; run++)
            for (int64_t i = b->left[run] >> level; i <= b->right[run] >> level; i++) {
                const struct bi_planet_cell one =
                    few ? bi_planet_sample_cell(s, j, i) : s->cells[s->first[level] + j * across + i];
                bi_planet_extend_cell(&cell, &one);
            }
    return cell;
}

/* The box of the samples within du columns and dv rows of a texel, and their neighbours. */
BI_FN struct bi_planet_box bi_planet_box_of(const struct bi_planet_view *s, struct bi_planet_texel t, double du,
                                            double dv)
{
    const int64_t w = s->width, h = s->height;
    struct bi_planet_box b = {{0, 0}, {w - 1, -1}, 0, h - 1}; /* the second run is empty */
    const double north = bi_floor(t.v - dv), south = bi_floor(t.v + dv) + 1;
    if (north > 0) b.low = (int64_t)north;
    if (south < (double)(h - 1)) b.high = (int64_t)south;
    if (2 * du + 3 >= (double)w) return b; /* whole rows */
    const int64_t west = (int64_t)bi_floor(t.u - du), east = (int64_t)bi_floor(t.u + du) + 1;
    b.left[0] = west < 0 ? 0 : west;
    b.right[0] = east >= w ? w - 1 : east;
    if (west < 0) {
        b.left[1] = west + w;
        b.right[1] = w - 1;
    } else if (east >= w) {
        b.right[1] = east - w;
    }
    return b;
}

/* Bound of the distance of the detail from a straight line of this length, which is in periods of the first octave: for
 * each octave twice the error of a parabola, by the largest change of its gradient. */
BI_FN double bi_planet_detail_error(const struct bi_planet_view *s, double length)
{
    double sum = 0, size = s->amplitude;
    for (int32_t octave = 0; octave < s->octaves; octave++, size *= 0.5, length *= 2)
        sum += size * (4 * length * length < 3 ? 4 * length * length : 3); /* of an octave at most 3 */
    return sum;
}

/* Bound of the distance of the surface from the two triangles at a base.
 *
 * With second differences of at most A along rows, D down columns and T across both, a chord over p columns and q rows
 * is within (A (p^2 + 2 p) + D (q^2 + 2 q) + 2 T p q) / 8 of the bilinear surface: each line of samples bends it by A
 * or D at most, and each cell twists it. Columns are close to each other beside a pole, where p is large and A small. A
 * point of a triangle lies on a line from a corner to a point of the edge across: that makes two such errors. A sphere
 * is within 3/16 of a triangle's longest edge squared of it, in units of the radius.
 *
 * p0, p1: ends of the base, not 0; only their directions count. The bound has the unit of s->radius. */
BI_LONG_FN float bi_planet_base_error(const struct bi_planet_view *s, const double p0[3], const double p1[3])
{
    double d0[3], d1[3], m[3], apart[3];
    bi_planet_unit(p0, d0);
    bi_planet_unit(p1, d1);
    for (int c = 0; c < 3; c++) {
        m[c] = p0[c] + p1[c];
        apart[c] = d0[c] - d1[c];
    }
    /* 1. The sphere and the detail. For long bases the range of the raster bounds the rest. */
    const double square = bi_planet_dot(apart, apart), chord = bi_sqrt(square);
    const double smooth = (s->radius + s->high) * square * 0.1875 + bi_planet_detail_error(s, chord * s->frequency);
    if (chord > 0.5) return (float)((s->high - s->low) + smooth);
    /* 2. The box of samples around the middle of the base that both triangles cover. */
    bi_planet_unit(m, m);
    const struct bi_planet_texel t = bi_planet_texel_of(s, m);
    const double reach = 1.05 * chord; /* in radians: the arc over a chord of 0.5 is 1.011 times as long */
    const double dv = reach * s->height / BI_PI;
    const double across = bi_sqrt(m[0] * m[0] + m[1] * m[1]), slant = reach / across;
    const bool polar = !(slant < 0.95); /* near a pole: the box has all columns; the limit is not measured */
    /* The arc sine of the slant, from above: (asin x - x) / x^3 grows to pi / 2 - 1 = 0.5708. */
    const double du = polar ? s->width : slant * (1 + 0.5708 * (slant * slant)) * s->width / (2 * BI_PI);
    const struct bi_planet_box box = bi_planet_box_of(s, t, du, dv);
    const struct bi_planet_cell cell = bi_planet_cell_of_box(s, &box);
    /* 3. The smaller of two bounds: the range of heights, and the bending of lines. */
    double range = (double)cell.high - cell.low;
    /* Beside a pole heights vary linearly towards it. */
    if (t.v + dv < 0) range *= 2 * (t.v + dv + 0.5);
    if (t.v - dv > s->height - 1) range *= 2 * (s->height - 0.5 - (t.v - dv));
    const double bend = 0.25 * (bi_planet_bend(cell.along, t.u, du) + bi_planet_bend(cell.down, t.v, dv) +
                                2 * (cell.twist * (du * dv)));
    struct bi_planet_bounds b = {cell.low, cell.high, range, polar ? BI_INFINITY : bend};
    /* 4. Insets over it. */
    if (s->inset_count) bi_planet_bound_insets(s, t, du, dv, polar, &b);
    return (float)((b.bend < b.range ? b.bend : b.range) + smooth);
}

BI_FN void bi_planet_find_base_error(const struct bi_planet_view *s, const struct bi_planet_points *points,
                                     struct bi_planet_leaf *leaf)
{
    leaf->error = bi_planet_base_error(s, points->p[0], points->p[1]);
}

/* Sets the error of the parent's base; infinite for a root, which cannot merge. */
BI_FN void bi_planet_find_parent(const struct bi_planet_view *s, struct bi_planet_recent *recent,
                                 const struct bi_planet_points *points, uint64_t node, struct bi_planet_leaf *leaf)
{
    leaf->parent_error = (float)BI_INFINITY;
    for (int c = 0; c < 3; c++) leaf->position[3][c] = leaf->position[2][c];
    if (leaf->level == 0) return;
    leaf->parent_error = bi_planet_base_error(s, points->p[node & 1 ? 0 : 1], points->p[3]);
    bi_planet_recent_position(s, recent, points->p[3], leaf->position[3]);
}

/* Item i: computes leaf i from its node (shape), or from old leaves (derive). */
struct bi_planet_shape {
    struct bi_planet_view view;
    struct bi_bisector_view pool;
    struct bi_planet_leaf *leaves;
    const struct bi_planet_leaf *old_leaves; /* the leaves before the update */
    const int64_t *sources;
    uint32_t *changed; /* set to 1 if a leaf is new */
};

BI_FN void bi_step_planet_shape(const struct bi_planet_shape *a, int64_t i)
{
    const uint64_t node = a->pool.nodes[i];
    const struct bi_planet_points points = bi_planet_points_of(&a->pool, node);
    struct bi_planet_leaf leaf;
    leaf.level = bi_bisector_level(&a->pool, node);
    leaf.reserved = 0;
    for (int v = 0; v < 3; v++) bi_planet_surface_position(&a->view, points.p[v], leaf.position[v]);
    bi_planet_find_base_error(&a->view, &points, &leaf);
    bi_planet_find_parent(&a->view, NULL, &points, node, &leaf);
    a->leaves[i] = leaf;
}
BI_PLANET_TILED(shape, bi_planet_shape)

BI_FN void bi_planet_copy_position(double to[3], const double from[3])
{
    for (int c = 0; c < 3; c++) to[c] = from[c];
}

/* A child, from its parent: one new vertex, v2. */
BI_FN struct bi_planet_leaf bi_planet_child(const struct bi_planet_shape *a, struct bi_planet_recent *recent,
                                            const struct bi_planet_leaf *parent, uint64_t node)
{
    const struct bi_planet_points points = bi_planet_points_of(&a->pool, node);
    const int second = (int)(node & 1);
    struct bi_planet_leaf leaf;
    leaf.parent_error = parent->error;
    leaf.level = parent->level + 1;
    leaf.reserved = 0;
    bi_planet_copy_position(leaf.position[0], parent->position[second ? 1 : 2]);
    bi_planet_copy_position(leaf.position[1], parent->position[second ? 2 : 0]);
    bi_planet_copy_position(leaf.position[3], parent->position[second ? 0 : 1]);
    bi_planet_recent_position(&a->view, recent, points.p[2], leaf.position[2]);
    bi_planet_find_base_error(&a->view, &points, &leaf);
    return leaf;
}

/* The parent, from its first child. */
BI_FN struct bi_planet_leaf bi_planet_parent(const struct bi_planet_shape *a, struct bi_planet_recent *recent,
                                             const struct bi_planet_leaf *child, uint64_t node)
{
    const struct bi_planet_points points = bi_planet_points_of(&a->pool, node);
    struct bi_planet_leaf leaf;
    leaf.error = child->parent_error;
    leaf.level = child->level - 1;
    leaf.reserved = 0;
    bi_planet_copy_position(leaf.position[0], child->position[1]);
    bi_planet_copy_position(leaf.position[1], child->position[3]);
    bi_planet_copy_position(leaf.position[2], child->position[0]);
    bi_planet_find_parent(&a->view, recent, &points, node, &leaf);
    return leaf;
}

/* Computes leaf i of the new pool, which differs from its source: that is at most two levels above it or one below.
 * recent: or NULL. */
BI_FN void bi_planet_derive_new(const struct bi_planet_shape *a, struct bi_planet_recent *recent, int64_t i)
{
    const uint64_t node = a->pool.nodes[i];
    const struct bi_planet_leaf *source = a->old_leaves + a->sources[i];
    const int32_t down = bi_bisector_level(&a->pool, node) - source->level;
    if (down < 0) {
        a->leaves[i] = bi_planet_parent(a, recent, source, node);
    } else if (down == 1) {
        a->leaves[i] = bi_planet_child(a, recent, source, node);
    } else {
        const struct bi_planet_leaf between = bi_planet_child(a, recent, source, node >> 1);
        a->leaves[i] = bi_planet_child(a, recent, &between, node);
    }
}

/* Derives leaf i of the new pool from its source. */
BI_FN void bi_step_planet_derive(const struct bi_planet_shape *a, int64_t i)
{
    const struct bi_planet_leaf *source = a->old_leaves + a->sources[i];
    if (bi_bisector_level(&a->pool, a->pool.nodes[i]) == source->level) {
        a->leaves[i] = *source;
        return;
    }
    bi_atomic_or_u32(a->changed, 1);
    bi_planet_derive_new(a, NULL, i);
}
BI_PLANET_TILED(derive, bi_planet_shape)

/* Item k: the first leaf of tile k of a level; the last item: the number of leaves. */
struct bi_planet_tile_starts {
    struct bi_bisector_view pool;
    int64_t *first;
    int32_t level;
};

/* A leaf that is coarser than the tiles belongs to the first tile it covers. */
BI_FN void bi_step_planet_tile_starts(const struct bi_planet_tile_starts *a, int64_t k)
{
    const bool end = k >= a->pool.root_count << a->level;
    const uint64_t position = end ? 0 : (uint64_t)k << (a->pool.depth - a->level);
    const int64_t leaf = end ? a->pool.leaves : bi_bisector_leaf_at(&a->pool, position);
    a->first[k] = end || bi_bisector_first_position(&a->pool, a->pool.nodes[leaf]) == position ? leaf : leaf + 1;
}

#endif
