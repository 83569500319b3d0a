/* Bases of either dimension: their points, their frames, and the coordinates of points in them. */
#ifndef BI_GEOMETRIC_STEPS_BASIS_H
#define BI_GEOMETRIC_STEPS_BASIS_H

#include <math.h>
#include <stdbool.h>

#include "base/step.h"
#include "geometric/geometric.h"

/* ---- frames in a plane ---- */

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

/* True if the points of a basis of neighbours differ and, if affine, make an angle of at least 20 degrees (0.117 =
 * sin^2). */
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

/* ---- frames in space ---- */

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

/* ---- bases ---- */

/* Noise grows with coordinates, so those beyond FAR are useless: such model points are all put at OUTSIDE, and such
 * queries at -OUTSIDE, where no votes arise. */
#define BI_GEOMETRIC_FAR 8.0
#define BI_GEOMETRIC_OUTSIDE 64.0f

/* The kind of a basis. */
struct bi_geometric_form {
    int32_t dim, corners;
    bool affine, rigid;
};

/* Turns `count` numbers, number k of them drawn from the n - k remaining ones, into distinct numbers below n. */
BI_FN void bi_geometric_make_distinct(uint64_t *number, int count)
{
    uint64_t sorted[BI_GEOMETRIC_CORNERS];
    for (int k = 0; k < count; k++) {
        int at = 0;
        for (; at < k && number[k] >= sorted[at]; at++) number[k]++;
        for (int t = k; t > at; t--) sorted[t] = sorted[t - 1];
        sorted[at] = number[k];
    }
}

/* Returns the number of ordered tuples of n points. */
BI_FN uint64_t bi_geometric_count_tuples(uint64_t n, int corners)
{
    uint64_t all = n;
    for (int k = 1; k < corners; k++) all *= n - (uint64_t)k;
    return all;
}

/* Computes ordered tuple r of n points. */
BI_FN void bi_geometric_tuple(uint64_t r, uint64_t n, int corners, uint32_t *point)
{
    uint64_t number[BI_GEOMETRIC_CORNERS];
    for (int k = corners - 1; k > 0; k--) {
        number[k] = r % (n - (uint64_t)k);
        r /= n - (uint64_t)k;
    }
    number[0] = r;
    bi_geometric_make_distinct(number, corners);
    for (int k = 0; k < corners; k++) point[k] = (uint32_t)number[k];
}

/* The other points of a basis have ranks low to high - 1 among the neighbours of its first point, nearest first: not
 * the nearest, which make short bases. Farther ones are more often hidden. The fractions are not measured. */
struct bi_geometric_ranks {
    uint32_t low, high;
};

BI_FN struct bi_geometric_ranks bi_geometric_ranks_of(int64_t neighbours, int corners)
{
    struct bi_geometric_ranks ranks;
    uint32_t least;
    ranks.low = (uint32_t)neighbours / 6;
    ranks.high = (uint32_t)neighbours;
    if (corners == 2) return ranks;
    ranks.high /= 2;
    least = ranks.low + (uint32_t)corners - 1;
    if (ranks.high < least) ranks.high = least;
    return ranks;
}

/* Returns the number of bases with the same first point. */
BI_FN uint64_t bi_geometric_count_neighbour_tuples(struct bi_geometric_ranks ranks, int corners)
{
    return bi_geometric_count_tuples(ranks.high - ranks.low, corners - 1);
}

/* Computes the other points of basis e of these; row: neighbours of the first point. */
BI_FN void bi_geometric_neighbour_tuple(uint64_t e, const uint32_t *row, struct bi_geometric_ranks ranks, int corners,
                                        uint32_t *point)
{
    uint64_t number[BI_GEOMETRIC_CORNERS], left = ranks.high - ranks.low;
    for (int k = 0; k < corners - 1; k++, left--) {
        number[k] = e % left;
        e /= left;
    }
    bi_geometric_make_distinct(number, corners - 1);
    for (int k = 0; k < corners - 1; k++) point[k + 1] = row[ranks.low + number[k]];
}

/* True if a basis is so large that noise does not blur its coordinates. Tests the angles of a basis of neighbours
 * (`near`), else the squared length, doubled area or sixfold volume against min_size. */
BI_FN bool bi_geometric_is_large(const double *points, const uint32_t *point, struct bi_geometric_form form, bool near,
                                 double min_size)
{
    double scale;
    if (form.dim == 3) {
        struct bi_geometric_space f = bi_geometric_space_of(points, point, form.affine);
        if (near) return bi_geometric_space_has_wide_angles(&f, form.affine);
        scale = f.scale;
    } else {
        struct bi_geometric_plane f = bi_geometric_plane_of(points, point, form.affine);
        if (near) return bi_geometric_plane_has_wide_angles(&f, form.affine);
        scale = f.scale;
    }
    return (scale < 0 ? -scale : scale) >= min_size;
}

/* Computes the coordinates of point p in a basis; `outside` if p is in the basis, too far away, or the basis is
 * degenerate. */
BI_FN void bi_geometric_compute_coordinates(const double *points, const uint32_t *point, struct bi_geometric_form form,
                                            int64_t p, float outside, float *to)
{
    double at[3], scale;
    bool inside = true;
    for (int k = 0; k < form.corners; k++) inside = inside && p != point[k];
    if (form.dim == 3) {
        struct bi_geometric_space f = bi_geometric_space_of(points, point, form.affine);
        bi_geometric_space_coordinates(&f, points + 3 * p, at);
        scale = f.scale;
    } else {
        struct bi_geometric_plane f = bi_geometric_plane_of(points, point, form.affine);
        bi_geometric_plane_coordinates(&f, points + 2 * p, form.affine, at);
        scale = f.scale;
    }
    for (int k = 0; k < form.dim; k++) inside = inside && at[k] >= -BI_GEOMETRIC_FAR && at[k] <= BI_GEOMETRIC_FAR;
    for (int k = 0; k < form.dim; k++) to[k] = inside && scale != 0 ? (float)at[k] : outside;
}

#endif
