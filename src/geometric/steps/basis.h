/* Bases: the points they are made of, and the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_BASIS_H
#define BI_GEOMETRIC_STEPS_BASIS_H

#include <stdbool.h>

#include "base/step.h"

/* Coordinates farther out are of no use (noise grows with them): such model points all get one far position, and such
 * queries another, so that they meet nothing. */
#define BI_GEOMETRIC_FAR 8.0
#define BI_GEOMETRIC_OUTSIDE 64.0f

struct bi_geometric_basis {
    double origin[2], first[2], second[2]; /* second: of affine bases */
    double scale;                          /* squared length, or twice the signed area */
};

/* Number r of all ordered pairs (triples) of n points. */
BI_FN void bi_geometric_corners(uint64_t r, uint64_t n, bool affine, uint32_t *corner)
{
    uint64_t c = 0, b = r % (n - 1), a = r / (n - 1);
    if (affine) {
        c = r % (n - 2);
        b = r / (n - 2) % (n - 1);
        a = r / (n - 2) / (n - 1);
    }
    b += b >= a;
    uint64_t low = a < b ? a : b, high = a < b ? b : a;
    c += c >= low;
    c += c >= high;
    corner[0] = (uint32_t)a;
    corner[1] = (uint32_t)b;
    corner[2] = affine ? (uint32_t)c : 0;
    corner[3] = 0;
}

/* The number of bases of one point with its neighbours of ranks low to high - 1. */
BI_FN uint64_t bi_geometric_choices(uint32_t low, uint32_t high, bool affine)
{
    uint64_t ranks = high - low;
    return affine ? ranks * (ranks - 1) : ranks;
}

/* The other corners of basis e of those. */
BI_FN void bi_geometric_neighbour_corners(uint64_t e, const uint32_t *row, uint32_t low, uint32_t high, bool affine,
                                          uint32_t *corner)
{
    uint32_t ranks = high - low, b = (uint32_t)(e % ranks), c = (uint32_t)(e / ranks);
    c += c >= b;
    corner[1] = row[low + b];
    corner[2] = affine ? row[low + c] : 0;
}

BI_FN double bi_geometric_cross(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

/* The frame of two points has its origin in their middle and their distance as unit, that of three the first one as
 * origin and the differences of the others from it as axes. */
BI_FN struct bi_geometric_basis bi_geometric_frame(const double *points, const uint32_t *corner, bool affine)
{
    struct bi_geometric_basis f;
    const double *a = points + 2 * (int64_t)corner[0], *b = points + 2 * (int64_t)corner[1];
    const double *c = points + 2 * (int64_t)corner[2];
    for (int k = 0; k < 2; k++) {
        f.first[k] = b[k] - a[k];
        f.second[k] = affine ? c[k] - a[k] : 0;
        f.origin[k] = affine ? a[k] : a[k] + 0.5 * f.first[k];
    }
    f.scale = affine ? bi_geometric_cross(f.first, f.second) : f.first[0] * f.first[0] + f.first[1] * f.first[1];
    return f;
}

/* Whether a basis of neighbours is large enough: points apart, and an angle of at least 20 degrees. */
BI_FN bool bi_geometric_is_wide(const struct bi_geometric_basis *f, bool affine)
{
    if (!affine) return f->scale > 0;
    double first = f->first[0] * f->first[0] + f->first[1] * f->first[1];
    double second = f->second[0] * f->second[0] + f->second[1] * f->second[1];
    return f->scale * f->scale > 0.117 * first * second;
}

/* The coordinates of a point; `outside` for what is too far out or has none. */
BI_FN void bi_geometric_coordinates(const struct bi_geometric_basis *f, const double *point, bool affine, float outside,
                                    float *uv)
{
    double w[2], u, v;
    for (int k = 0; k < 2; k++) w[k] = point[k] - f->origin[k];
    if (affine) {
        u = bi_geometric_cross(w, f->second) / f->scale;
        v = bi_geometric_cross(f->first, w) / f->scale;
    } else {
        u = (w[0] * f->first[0] + w[1] * f->first[1]) / f->scale;
        v = bi_geometric_cross(f->first, w) / f->scale;
    }
    bool inside = u >= -BI_GEOMETRIC_FAR && u <= BI_GEOMETRIC_FAR && v >= -BI_GEOMETRIC_FAR && v <= BI_GEOMETRIC_FAR;
    uv[0] = inside ? (float)u : outside;
    uv[1] = inside ? (float)v : outside;
}

#endif
