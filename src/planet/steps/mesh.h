/* Steps that write the mesh, or a range of its triangles; and the step that measures its distance from the samples. The
 * triangle with the lowest number around a vertex owns it. A triangle numbers its own vertices in the order of its
 * corners, and writes the numbers to the other triangles. */
#ifndef BI_PLANET_STEPS_MESH_H
#define BI_PLANET_STEPS_MESH_H

#include "base/atomic.h"
#include "planet/steps/surface.h"

/* Items are the leaves from `begin` on, up to `end`. */
struct bi_planet_mesh {
    const struct bi_planet_leaf *leaves;
    const uint32_t *neighbours; /* (leaves x 3) those of the pool */
    int64_t begin, end;
    uint32_t *first; /* number of vertices that a leaf owns, then their exclusive scan */
    uint8_t *owned;  /* bit mask of the owned corners */
    double origin[3];
    float *vertices, *normals; /* each output may be NULL */
    double *positions;
    uint32_t *triangles;
};

/* A corner of a leaf. The next one around its vertex, counter-clockwise, lies across the edge that ends there. */
struct bi_planet_corner {
    int64_t leaf;
    int v;
};

BI_FN struct bi_planet_corner bi_planet_next_corner(const struct bi_planet_mesh *a, struct bi_planet_corner at)
{
    const uint32_t edge = a->neighbours[3 * at.leaf + (at.v == 0 ? 2 : at.v - 1)];
    struct bi_planet_corner next = {(int64_t)(edge >> 2), (int)(edge & 3)};
    return next;
}

/* True if no leaf of the range around this vertex has a lower number: goes around up to the first such leaf. */
BI_FN bool bi_planet_owns(const struct bi_planet_mesh *a, int64_t leaf, int v)
{
    struct bi_planet_corner at = {leaf, v};
    do at = bi_planet_next_corner(a, at);
    while (at.leaf > leaf || at.leaf < a->begin);
    return at.leaf == leaf;
}

/* The corner around this vertex with the lowest leaf of the whole mesh. Areas are summed from it, so that the normal
 * has the same bits in all ranges. */
BI_FN struct bi_planet_corner bi_planet_first_corner(const struct bi_planet_mesh *a, int64_t leaf, int v)
{
    struct bi_planet_corner first = {leaf, v}, at = first;
    if (a->begin == 0) return first;
    for (at = bi_planet_next_corner(a, at); at.leaf != leaf; at = bi_planet_next_corner(a, at))
        if (at.leaf < first.leaf) first = at;
    return first;
}

/* Finds the corners that leaf begin + i owns, and counts them. */
BI_FN void bi_step_planet_own(const struct bi_planet_mesh *a, int64_t i)
{
    uint32_t owned = 0;
    for (int v = 0; v < 3; v++) owned |= (uint32_t)bi_planet_owns(a, a->begin + i, v) << v;
    a->owned[i] = (uint8_t)owned;
    a->first[i] = (owned & 1) + (owned >> 1 & 1) + (owned >> 2);
}

/* Writes the number of a vertex to the triangles around it, and sums twice their areas as vectors. */
BI_FN void bi_planet_circulate_vertex(const struct bi_planet_mesh *a, int64_t leaf, int v, uint32_t number,
                                      double normal[3])
{
    const struct bi_planet_corner first = bi_planet_first_corner(a, leaf, v);
    struct bi_planet_corner at = first;
    do {
        const struct bi_planet_leaf *l = a->leaves + at.leaf;
        const bool inside = at.leaf >= a->begin && at.leaf < a->end;
        if (a->triangles && inside) a->triangles[3 * (at.leaf - a->begin) + at.v] = number;
        if (a->normals) {
            const double *p = l->position[at.v], *q = l->position[at.v == 2 ? 0 : at.v + 1],
                         *r = l->position[at.v == 0 ? 2 : at.v - 1];
            for (int c = 0; c < 3; c++) {
                const int d = c == 2 ? 0 : c + 1, e = c == 0 ? 2 : c - 1;
                normal[c] += (q[d] - p[d]) * (r[e] - p[e]) - (q[e] - p[e]) * (r[d] - p[d]);
            }
        }
        at = bi_planet_next_corner(a, at);
    } while (at.leaf != first.leaf);
}

/* Normalises a normal; its largest coordinate becomes 1 first, so that squares neither vanish nor overflow. */
BI_FN void bi_planet_write_normal(float *to, const double normal[3], const double p[3])
{
    double largest = 0, square = 0, n[3];
    for (int c = 0; c < 3; c++) largest = normal[c] > largest ? normal[c] : -normal[c] > largest ? -normal[c] : largest;
    for (int c = 0; c < 3; c++) {
        n[c] = largest > 0 ? normal[c] / largest : p[c]; /* triangles without area: outwards */
        square += n[c] * n[c];
    }
    for (int c = 0; c < 3; c++) to[c] = (float)(n[c] / bi_sqrt(square));
}

/* Writes the vertices that leaf begin + i owns, and their numbers to the triangles around them. */
BI_FN void bi_step_planet_write(const struct bi_planet_mesh *a, int64_t i)
{
    uint32_t number = a->first[i];
    for (int v = 0; v < 3; v++) {
        double normal[3] = {0, 0, 0};
        if (!(a->owned[i] >> v & 1)) continue;
        const double *p = a->leaves[a->begin + i].position[v];
        if (a->triangles || a->normals) bi_planet_circulate_vertex(a, a->begin + i, v, number, normal);
        for (int c = 0; c < 3; c++) {
            if (a->vertices) a->vertices[3 * (int64_t)number + c] = (float)(p[c] - a->origin[c]);
            if (a->positions) a->positions[3 * (int64_t)number + c] = p[c];
        }
        if (a->normals) bi_planet_write_normal(a->normals + 3 * (int64_t)number, normal, p);
        number++;
    }
}

/* ---- measuring ---- */

/* Items are the samples of a rectangle: `columns` wide, from column `left` and row `above` on; or of an inset. */
struct bi_planet_measure {
    struct bi_planet_view view;
    struct bi_bisector_view pool;
    const struct bi_planet_leaf *leaves;
    uint32_t *errors; /* (leaves) the largest error of each, as bits of f32; or NULL */
    uint64_t *worst;  /* the complement of the bits of the largest error, and its first sample */
    int64_t left, above, columns;
    int32_t inset, reserved; /* for measure_inset: its number */
};

/* The leaf in a direction: by the point of the octahedron's face in this direction. */
BI_FN int64_t bi_planet_leaf_at(const struct bi_bisector_view *pool, const double d[3])
{
    const bool west = bi_is_negative(d[0]), far = bi_is_negative(d[1]), south = bi_is_negative(d[2]);
    const int64_t root = (far ? 3 - west : west) + 4 * south; /* quadrants: ++, -+, --, +- */
    double l[3];
    for (int v = 0; v < 3; v++) {
        const double x = d[bi_planet_axis(root, v)];
        l[v] = x < 0 ? -x : x;
    }
    return bi_bisector_descend_to_leaf(pool, root, l[0], l[1], l[2]);
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

/* Computes the direction at fractions of the planet: u of a turn from longitude -180, v of half a turn from the north
 * pole. */
BI_FN void bi_planet_direction_at(double u, double v, double d[3])
{
    const struct bi_angle longitude = bi_angle_of_turns(u - 0.5), latitude = bi_angle_of_turns((0.5 - v) / 2);
    const double across = bi_angle_cos(latitude);
    d[0] = across * bi_angle_cos(longitude);
    d[1] = across * bi_angle_sin(longitude);
    d[2] = bi_angle_sin(latitude);
}

/* Records the distance of sample number `sample`, rounded up, from the triangle in its direction. */
BI_FN void bi_planet_record_distance(const struct bi_planet_measure *a, int64_t sample, const double d[3],
                                     double surface)
{
    const int64_t leaf = bi_planet_leaf_at(&a->pool, d);
    const double off = bi_planet_distance_in(a->leaves + leaf, d) - surface;
    const uint32_t bits = bi_f32_bits(bi_f32_round_up(off < 0 ? -off : off));
    const uint64_t key = (uint64_t)~bits << 32 | (uint64_t)sample;
    if (a->errors) bi_atomic_max_u32(a->errors + leaf, bits);
    if (key < bi_atomic_load_u64(a->worst)) bi_atomic_min_u64(a->worst, key);
}

/* Measures one sample of the planet's raster, with the insets over it. */
BI_FN void bi_step_planet_measure(const struct bi_planet_measure *a, int64_t i)
{
    const struct bi_planet_view *s = &a->view;
    const int64_t r = a->above + i / a->columns, c = a->left + i % a->columns;
    const struct bi_planet_texel t = {(double)c, (double)r};
    double d[3], height = bi_planet_stored(s, r, c);
    bi_planet_direction_at((t.u + 0.5) / s->width, (t.v + 0.5) / s->height, d);
    if (s->inset_count) height = bi_planet_apply_insets(s, t, height);
    bi_planet_record_distance(a, r * s->width + c, d, s->radius + (height + bi_planet_detail(s, d)));
}

/* Measures one sample of an inset. An item that misses a tile records nothing, since its height is not known yet. */
BI_FN void bi_step_planet_measure_inset(const struct bi_planet_measure *a, int64_t i)
{
    const struct bi_planet_view *s = &a->view;
    const struct bi_planet_inset *inset = s->insets + a->inset;
    const double u = (double)(i % inset->width) - 0.5 * (inset->width - 1),
                 v = (double)(i / inset->width) - 0.5 * (inset->height - 1);
    double d[3];
    bi_planet_direction_at(inset->middle_u + u / inset->columns, inset->middle_v + v / inset->rows, d);
    const double surface = s->radius + bi_planet_height(s, d);
    if (s->missed && *s->missed) return;
    bi_planet_record_distance(a, i, d, surface);
}
BI_PLANET_TILED(measure_inset, bi_planet_measure)

#endif
