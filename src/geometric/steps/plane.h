/* Frames of 2-D bases, and the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_PLANE_H
#define BI_GEOMETRIC_STEPS_PLANE_H

#include <stdbool.h>

#include "base/step.h"

/* The frame of two points has their middle as origin and their distance as unit. That of three points (affine) has the
 * first as origin and the differences of the others from it as axes. */
struct bi_geometric_plane {
    double origin[2], first[2], second[2]; /* second: of affine bases */
    double scale;                          /* squared length, or twice the signed area */
};

BI_FN double bi_geometric_cross(const double *a, const double *b) { return a[0] * b[1] - a[1] * b[0]; }

BI_FN struct bi_geometric_plane bi_geometric_plane_of(const double *points, const uint32_t *corner, bool affine)
{
    struct bi_geometric_plane f;
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

/* True if the points of a basis of neighbours differ and, if affine, make an angle of at least 20 degrees
 * (0.117 = sin^2). */
BI_FN bool bi_geometric_plane_has_wide_angles(const struct bi_geometric_plane *f, bool affine)
{
    if (!affine) return f->scale > 0;
    double first = f->first[0] * f->first[0] + f->first[1] * f->first[1];
    double second = f->second[0] * f->second[0] + f->second[1] * f->second[1];
    return f->scale * f->scale > 0.117 * first * second;
}

/* Computes the coordinates of a point. */
BI_FN void bi_geometric_plane_coordinates(const struct bi_geometric_plane *f, const double *point, bool affine,
                                          double *at)
{
    double w[2];
    for (int k = 0; k < 2; k++) w[k] = point[k] - f->origin[k];
    at[0] = (affine ? bi_geometric_cross(w, f->second) : w[0] * f->first[0] + w[1] * f->first[1]) / f->scale;
    at[1] = bi_geometric_cross(f->first, w) / f->scale;
}

#endif
