/* Steps that write the mesh, or a range of its triangles. The triangle with the lowest number around a vertex owns it.
 * A triangle numbers its own vertices in the order of its corners, and writes the numbers to the other triangles. */
#ifndef BI_PLANET_STEPS_MESH_H
#define BI_PLANET_STEPS_MESH_H

#include "base/elementary.h"
#include "planet/planet.h"

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

#endif
