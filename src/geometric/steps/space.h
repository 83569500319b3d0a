/* Frames of 3-D bases, and the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_SPACE_H
#define BI_GEOMETRIC_STEPS_SPACE_H

#include <math.h>
#include <stdbool.h>

#include "base/step.h"

/* The frame of three points has its origin in the middle of the first two and their distance as unit; its axes are
 * orthonormal and right-handed, the first along these two points, the third normal to all three. That of four points
 * has the first one as origin and the differences of the others from it as axes. The coordinates of w + origin are w's
 * products with `axis`, divided by `unit`. */
struct bi_geometric_space {
    double origin[3], edge[3][3], axis[3][3];
    double unit, scale; /* scale: twice the area of three points, six times the signed volume of four */
};

BI_FN double bi_geometric_dot3(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

BI_FN void bi_geometric_cross3(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

BI_FN struct bi_geometric_space bi_geometric_space_of(const double *points, const uint32_t *corner, bool affine)
{
    struct bi_geometric_space f;
    const double *a = points + 3 * (int64_t)corner[0];
    for (int e = 0; e < 3; e++)
        for (int k = 0; k < 3; k++)
            f.edge[e][k] = e == 2 && !affine ? 0 : points[3 * (int64_t)corner[e + 1] + k] - a[k];
    for (int k = 0; k < 3; k++) f.origin[k] = affine ? a[k] : a[k] + 0.5 * f.edge[0][k];
    /* Affine: the dual axes, scaled by the volume, so that edges have unit coordinates. */
    if (affine) {
        bi_geometric_cross3(f.edge[1], f.edge[2], f.axis[0]);
        bi_geometric_cross3(f.edge[2], f.edge[0], f.axis[1]);
        bi_geometric_cross3(f.edge[0], f.edge[1], f.axis[2]);
        f.unit = f.scale = bi_geometric_dot3(f.edge[0], f.axis[0]);
        return f;
    }
    /* Else an orthonormal frame: first edge, normal, and their cross product. */
    bi_geometric_cross3(f.edge[0], f.edge[1], f.axis[2]);
    f.unit = sqrt(bi_geometric_dot3(f.edge[0], f.edge[0]));
    f.scale = sqrt(bi_geometric_dot3(f.axis[2], f.axis[2]));
    for (int k = 0; k < 3; k++) {
        f.axis[0][k] = f.edge[0][k] / f.unit;
        f.axis[2][k] = f.axis[2][k] / f.scale;
    }
    bi_geometric_cross3(f.axis[2], f.axis[0], f.axis[1]);
    return f;
}

/* True if a basis of neighbours has an angle of at least 20 degrees (0.117 = sin^2) between the first two edges and, if
 * affine, between the third edge and their plane. */
BI_FN bool bi_geometric_space_has_wide_angles(const struct bi_geometric_space *f, bool affine)
{
    double normal[3];
    bi_geometric_cross3(f->edge[0], f->edge[1], normal);
    double first = bi_geometric_dot3(f->edge[0], f->edge[0]), second = bi_geometric_dot3(f->edge[1], f->edge[1]);
    double area = bi_geometric_dot3(normal, normal), third = bi_geometric_dot3(f->edge[2], f->edge[2]);
    if (!(area > 0.117 * first * second)) return false;
    return !affine || f->scale * f->scale > 0.117 * area * third;
}

/* Computes the coordinates of a point. */
BI_FN void bi_geometric_space_coordinates(const struct bi_geometric_space *f, const double *point, double *at)
{
    double w[3];
    for (int k = 0; k < 3; k++) w[k] = point[k] - f->origin[k];
    for (int k = 0; k < 3; k++) at[k] = bi_geometric_dot3(w, f->axis[k]) / f->unit;
}

#endif
