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

/* Bound of the distance of the detail from a triangle, by its longest edge in periods of the first octave: for each
 * octave the error of a parabola, by the largest change of its gradient, at most 16 a period. */
BI_FN double bi_planet_detail_error(const struct bi_planet_view *s, double square)
{
    double sum = 0, size = s->amplitude, bend = 16 / 6. * square;
    for (int32_t octave = 0; octave < s->octaves; octave++, size *= 0.5, bend *= 4)
        sum += size * (bend < 3 ? bend : 3); /* of an octave at most 3 */
    return sum;
}

/* Bound for the sphere and the detail, by the square of the longest edge of a triangle in units of the radius: a circle
 * of radius edge / sqrt(3) covers it (Jung), and the sphere is half the square of that over it. */
BI_FN double bi_planet_smooth_error(const struct bi_planet_view *s, double square)
{
    return (s->radius + s->high) * square / 6 + bi_planet_detail_error(s, square * (s->frequency * s->frequency));
}

/* The middle of a base, and the box around it that covers both triangles at the base. */
struct bi_planet_diamond {
    struct bi_planet_texel middle;
    struct bi_planet_reach reach;
    double square; /* of the longest edge of the triangles, as seen from the center in units of the distance */
    bool polar;    /* the box reaches a pole or nearly so: it has all columns */
};

/* The offset `apex` of a corner across a base from its middle, on a face of the octahedron; returns `skew`. The corners
 * across are the middle + apex and the middle - apex, each + or - skew x base. At an edge of the octahedron, the second
 * is the mirror image of the first.
 *
 * Bisection makes triangles of three shapes only. An equilateral one (on even levels) is divided into two with angles
 * of 30, 60 and 90 degrees (on odd levels), each of these into an equilateral one and one with 30, 30 and 120 degrees.
 * Sides are parallel to an edge of the octahedron, where one coordinate does not change, except the longest of the last
 * shape. base: the difference of its ends; sign: of the face. */
BI_FN double bi_planet_apex_of(const double base[3], const double sign[3], bool even, double apex[3])
{
    const bool flat = base[0] != 0 && base[1] != 0 && base[2] != 0; /* 30, 30, 120 degrees */
    const double size = flat ? 1 / 6. : even ? 0.5 : 0.25;          /* of the height, divided by the root of 3 */
    for (int c = 0; c < 3; c++) {
        const int d = c == 2 ? 0 : c + 1, e = c == 0 ? 2 : c - 1;
        apex[c] = size * (sign[d] * base[e] - sign[e] * base[d]);
    }
    return even ? 0 : 0.25;
}

/* Finds the box of a base, by the coordinates x, y to the east and north on the plane that touches the unit sphere at
 * its middle: there edges are straight, so coordinates are largest at corners. m: the middle, on the octahedron. */
BI_FN void bi_planet_find_diamond(const struct bi_planet_view *s, const double p0[3], const double p1[3], bool even,
                                  struct bi_planet_diamond *out)
{
    double m[3], base[3], sign[3], apex[3], d[3];
    int between = -1; /* the coordinate that is 0 along the base: it is an edge of the octahedron */
    for (int c = 0; c < 3; c++) {
        m[c] = 0.5 * (p0[c] + p1[c]);
        base[c] = p0[c] - p1[c];
        sign[c] = m[c] < 0 ? -1 : 1;
        if (p0[c] == 0 && p1[c] == 0) between = c;
    }
    const double skew = bi_planet_apex_of(base, sign, even, apex), square = bi_planet_dot(m, m);
    const double length = bi_sqrt(square), to_unit = 1 / length;
    for (int c = 0; c < 3; c++) d[c] = m[c] * to_unit;
    out->middle = bi_planet_texel_of(s, d);
    /* 1. Offsets of corners to the east and north, and towards the middle; `other` is across an edge. */
    const double across = bi_sqrt(d[0] * d[0] + d[1] * d[1]), to_east = 1 / across;
    const double axes[3][3] = {{-d[1] * to_east, d[0] * to_east, 0},
                               {-d[0] * d[2] * to_east, -d[1] * d[2] * to_east, across},
                               {d[0], d[1], d[2]}};
    double half[3], top[3], base_square = 0, apex_square = 0, both = 0;
    for (int k = 0; k < 3; k++) {
        const double along = bi_planet_dot(axes[k], base), size = bi_planet_abs(along),
                     one = bi_planet_dot(axes[k], apex);
        double high = bi_planet_abs(one);
        if (between >= 0) {
            const double other = bi_planet_abs(one - 2 * (axes[k][between] * apex[between]));
            high = other > high ? other : high;
        }
        if (k < 2) {
            base_square += along * along;
            apex_square += one * one;
            both += one * along;
        }
        half[k] = 0.5 * size;
        top[k] = high + skew * size;
    }
    /* 2. On the plane: the box, the span of one triangle, the longest edge. */
    const double to_plane = 1 / (length - (half[2] > top[2] ? half[2] : top[2]));
    double reach[2], span[2];
    for (int k = 0; k < 2; k++) {
        reach[k] = (half[k] > top[k] ? half[k] : top[k]) * to_plane;
        span[k] = half[k] * to_plane + reach[k];
    }
    const double far = 0.5 + skew, edge = apex_square + far * (far * base_square) + 2 * (far * bi_planet_abs(both));
    out->square = (edge > base_square ? edge : base_square) * (to_plane * to_plane);
    /* 3. In radians: parallels bend away from the plane's lines by tan(latitude) x^2 / 2; the longitude is x over the
     * distance from the axis. */
    const double sine = bi_planet_abs(d[2]), tangent = sine * to_east;
    const double bent = 0.5 * tangent * (reach[0] * reach[0] + reach[1] * reach[1]), dv = reach[1] + bent;
    const double arc = 1 + 0.5708 * (dv * dv); /* (asin x - x) / x^3 grows to pi / 2 - 1 = 0.5708 */
    const double axis = across - sine * reach[1];
    /* 4. In rows and columns. The limits of polar boxes are not measured. */
    const double rows = s->height * (1 / BI_PI);
    out->polar = !(reach[0] < 0.95 * axis && dv < 0.95);
    out->reach.dv = dv * arc * rows;
    out->reach.rows = (span[1] + bent) * arc * rows;
    out->reach.du = out->reach.columns = s->width;
    out->reach.curved = 0;
    if (out->polar) return;
    const double columns = s->width * (0.5 / BI_PI) / axis;
    out->reach.du = reach[0] * columns;
    out->reach.columns = span[0] * columns;
    out->reach.curved = tangent * (span[0] * (0.125 * rows * span[0] + 0.25 * columns * span[1]));
}

/* Bound of the distance of the surface from the two triangles at a base.
 *
 * The surface is bilinear between samples, with second differences of at most A along rows, D down columns and T across
 * both. Let a triangle span p columns and q rows, and a point of it be the mean of its corners with weights l. Along
 * the line to a corner u columns and v rows away the surface leaves its tangent by at most the sum of A (u - c), over
 * the lines of samples c between, as much for rows, and T u v. The means of u^2, of v^2 and of u v are at most p^2 / 4,
 * q^2 / 4 and p q / 4 (Popoviciu), and that of a kink is p / 4. The triangle is therefore within
 * (A (p^2 + 2 p) + D (q^2 + 2 q) + 2 T p q) / 8.
 *
 * p0, p1: ends of the base on the octahedron; even: the level of the triangles is even. The bound has the unit of
 * s->radius. */
BI_LONG_FN float bi_planet_base_error(const struct bi_planet_view *s, const double p0[3], const double p1[3], bool even)
{
    double square = 0;
    struct bi_planet_diamond at;
    for (int c = 0; c < 3; c++) square += (p0[c] - p1[c]) * (p0[c] - p1[c]);
    /* 1. For long bases the range of the raster bounds all but the sphere and the detail. */
    if (square > 0.5) return (float)((s->high - s->low) + bi_planet_smooth_error(s, 1.5 * square));
    /* 2. The box of samples around the middle of the base that both triangles cover. */
    bi_planet_find_diamond(s, p0, p1, even, &at);
    const double smooth = bi_planet_smooth_error(s, at.square);
    const struct bi_planet_reach reach = at.reach;
    const struct bi_planet_texel t = at.middle;
    const struct bi_planet_box box = bi_planet_box_of(s, t, reach.du, reach.dv);
    const struct bi_planet_cell cell = bi_planet_cell_of_box(s, &box);
    /* 3. The smaller of two bounds: the range of heights, and the bending of lines. */
    double range = (double)cell.high - cell.low;
    /* Beside a pole heights vary linearly towards it. */
    if (t.v + reach.dv < 0) range *= 2 * (t.v + reach.dv + 0.5);
    if (t.v - reach.dv > s->height - 1) range *= 2 * (s->height - 0.5 - (t.v - reach.dv));
    /* Heights on a plane are harmonic means of heights at corners: off by the square of their change. */
    const double change = range * (reach.columns + reach.rows);
    const double bend = bi_planet_bend(&cell, t, &reach) + change * change * 0.5 / s->radius;
    struct bi_planet_bounds b = {cell.low, cell.high, range, at.polar ? BI_INFINITY : bend};
    /* 4. Insets over it. */
    if (s->inset_count) bi_planet_bound_insets(s, t, &reach, at.polar, &b);
    return (float)((b.bend < b.range ? b.bend : b.range) + smooth);
}

BI_FN void bi_planet_find_base_error(const struct bi_planet_view *s, const struct bi_planet_points *points,
                                     struct bi_planet_leaf *leaf)
{
    leaf->error = bi_planet_base_error(s, points->p[0], points->p[1], !(leaf->level & 1));
}

/* Sets the error of the parent's base; infinite for a root, which cannot merge. */
BI_FN void bi_planet_find_parent(const struct bi_planet_view *s, struct bi_planet_recent *recent,
                                 const struct bi_planet_points *points, uint64_t node, struct bi_planet_leaf *leaf)
{
    leaf->parent_error = (float)BI_INFINITY;
    for (int c = 0; c < 3; c++) leaf->position[3][c] = leaf->position[2][c];
    if (leaf->level == 0) return;
    leaf->parent_error = bi_planet_base_error(s, points->p[node & 1 ? 0 : 1], points->p[3], leaf->level & 1);
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
