/* Test of two closed triangles. Source: Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
 * Orientation Predicates (2003); coplanar and degenerate triangles by separating lines. */
#ifndef BI_COLLISION_STEPS_TOUCH_H
#define BI_COLLISION_STEPS_TOUCH_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/orient.h"

/* ---- orientation predicates ----
 *
 * Signs of determinants, by an error bound and, where that does not decide, exactly. Source: Shewchuk, Adaptive
 * Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates (1997), orient3d, first and last of its four
 * stages; bi_orient2 in base/orient.h. */

/* State of a test. */
struct bi_collision_signs {
    double *work; /* (BI_COLLISION_WORK) for exact signs; NULL: undecided signs are 0, and `undecided` is set */
    bool undecided;
};

/* Longest expansions of the exact determinant, and of a 2 x 2 minor. */
enum { BI_COLLISION_SUM_PARTS = 192, BI_COLLISION_WORK = BI_COLLISION_SUM_PARTS + 16 };

/* Bound of the error of the determinant below, relative to its permanent: Shewchuk's (7 + 56 u) u where u = 2^-53. Each
 * product of three differences has 3 u by the differences, 3 u by its own roundings, and u by the first sum. The last
 * sum keeps the sign. Terms of second order are 15 u^2; the rounded permanent, four roundings smaller, adds
 * 28 u^2, and its rounded product with the bound 7 u^2: 50 u^2, of 56. */
#define BI_COLLISION_ERROR3 ((7 + 56 * 0x1p-53) * 0x1p-53)

BI_FN int bi_collision_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* Returns the exact sign of the determinant of the rows a - d, b - d, c - d. */
BI_CALLED_FN int bi_collision_orient3_exact(double *work, const double *a, const double *b, const double *c,
                                            const double *d)
{
    const double *const points[3] = {a, b, c};
    double row[3][3][2], *sum = work, *minor = work + BI_COLLISION_SUM_PARTS;
    int length = 0;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) bi_difference(points[r][k], d[k], row[r][k]);
    for (int r = 0; r < 3; r++) { /* along the column of z: row r times the minor of the two rows after it */
        double(*p)[2] = row[(r + 1) % 3], (*q)[2] = row[(r + 2) % 3];
        double minus_y[2] = {-p[1][0], -p[1][1]};
        int parts = bi_expansion_add_product(minor, 0, p[0], q[1]);
        parts = bi_expansion_add_product(minor, parts, minus_y, q[0]);
        for (int i = 0; i < parts; i++) {
            const double part[2] = {0, minor[i]};
            length = bi_expansion_add_product(sum, length, part, row[r][2]);
        }
    }
    return bi_expansion_sign(sum, length);
}

/* Returns the side of the plane a, b, c on which d is: 1, 0 or -1; 0 if a, b, c are on one line. */
BI_FN int bi_collision_orient3(struct bi_collision_signs *s, const double *a, const double *b, const double *c,
                               const double *d)
{
    double ax = a[0] - d[0], ay = a[1] - d[1], az = a[2] - d[2];
    double bx = b[0] - d[0], by = b[1] - d[1], bz = b[2] - d[2];
    double cx = c[0] - d[0], cy = c[1] - d[1], cz = c[2] - d[2];
    double bxcy = bx * cy, cxby = cx * by, cxay = cx * ay, axcy = ax * cy, axby = ax * by, bxay = bx * ay;
    double det = az * (bxcy - cxby) + bz * (cxay - axcy) + cz * (axby - bxay);
    double permanent = (fabs(bxcy) + fabs(cxby)) * fabs(az) + (fabs(cxay) + fabs(axcy)) * fabs(bz) +
                       (fabs(axby) + fabs(bxay)) * fabs(cz);
    double bound = BI_COLLISION_ERROR3 * permanent;
    if (det > bound || -det > bound || bound == 0) return bi_collision_sign(det);
    if (s->work) return bi_collision_orient3_exact(s->work, a, b, c, d);
    s->undecided = true;
    return 0;
}

/* ---- triangles ---- */

/* Pointers to three corners of three coordinates. */
struct bi_collision_triangle {
    const double *p[3];
};

BI_FN struct bi_collision_triangle bi_collision_triangle_at(const double *corners)
{
    return (struct bi_collision_triangle){{corners, corners + 3, corners + 6}};
}

/* True if all three are strictly on one side. */
BI_FN bool bi_collision_one_side(const int *side)
{
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

/* ---- coplanar or degenerate: exact signs only ---- */

/* Returns the first axis along which the projection of the triangle has an area; 3: none. */
BI_FN int bi_collision_flat_axis(double *work, const struct bi_collision_triangle *t)
{
    for (int axis = 0; axis < 3; axis++)
        if (bi_orient2(work, t->p[0], t->p[1], t->p[2], (axis + 1) % 3, (axis + 2) % 3) != 0) return axis;
    return 3;
}

/* True if the line through an edge of t separates t from the `count` points. */
BI_FN bool bi_collision_edge_separates(double *work, const struct bi_collision_triangle *t, const double *const *points,
                                       int count, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, inside = bi_orient2(work, t->p[0], t->p[1], t->p[2], u, v);
    for (int k = 0; k < 3; k++) {
        int beyond = 0;
        for (int i = 0; i < count; i++)
            beyond += bi_orient2(work, t->p[k], t->p[(k + 1) % 3], points[i], u, v) == -inside;
        if (beyond == count) return true;
    }
    return false;
}

/* True if the closed segments p q and a b touch. */
BI_CALLED_FN bool bi_collision_segments_touch(struct bi_collision_signs *s, const double *p, const double *q,
                                              const double *a, const double *b)
{
    if (bi_collision_orient3(s, p, q, a, b) != 0) return false;
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        int sa = bi_orient2(s->work, p, q, a, u, v), sb = bi_orient2(s->work, p, q, b, u, v);
        int sp = bi_orient2(s->work, a, b, p, u, v), sq = bi_orient2(s->work, a, b, q, u, v);
        if (sa || sb || sp || sq) return sa * sb <= 0 && sp * sq <= 0;
    }
    for (int c = 0; c < 3; c++) { /* collinear: compare the intervals along each coordinate */
        double low = p[c] < q[c] ? p[c] : q[c], high = p[c] < q[c] ? q[c] : p[c];
        if ((a[c] < low && b[c] < low) || (a[c] > high && b[c] > high)) return false;
    }
    return true;
}

/* True if a closed segment p q touches a triangle, projected along `axis`; 3: the triangle has no area. */
BI_CALLED_FN bool bi_collision_segment_touches(struct bi_collision_signs *s, const double *p, const double *q,
                                               const struct bi_collision_triangle *t, int axis)
{
    const double *const ends[2] = {p, q};
    if (axis == 3) {
        for (int k = 0; k < 3; k++)
            if (bi_collision_segments_touch(s, p, q, t->p[k], t->p[(k + 1) % 3])) return true;
        return false;
    }
    int sp = bi_collision_orient3(s, t->p[0], t->p[1], t->p[2], p);
    int sq = bi_collision_orient3(s, t->p[0], t->p[1], t->p[2], q), side[3];
    if (sp * sq > 0) return false;
    if (sp == 0 && sq == 0) {
        if (bi_collision_edge_separates(s->work, t, ends, 2, axis)) return false;
        for (int k = 0; k < 3; k++) side[k] = bi_orient2(s->work, p, q, t->p[k], (axis + 1) % 3, (axis + 2) % 3);
        return !bi_collision_one_side(side);
    }
    for (int k = 0; k < 3; k++) side[k] = bi_collision_orient3(s, p, q, t->p[k], t->p[(k + 1) % 3]);
    bool left = side[0] > 0 || side[1] > 0 || side[2] > 0, right = side[0] < 0 || side[1] < 0 || side[2] < 0;
    return !(left && right);
}

/* True if coplanar triangles touch, or a triangle without area and another one. */
BI_CALLED_FN bool bi_collision_touch_flat(struct bi_collision_signs *s, const struct bi_collision_triangle *t,
                                          const struct bi_collision_triangle *u)
{
    int t_axis = bi_collision_flat_axis(s->work, t), u_axis = bi_collision_flat_axis(s->work, u);
    if (t_axis < 3 && u_axis < 3)
        return !bi_collision_edge_separates(s->work, t, u->p, 3, t_axis) &&
               !bi_collision_edge_separates(s->work, u, t->p, 3, t_axis);
    const struct bi_collision_triangle *thin = t_axis == 3 ? t : u, *other = t_axis == 3 ? u : t;
    for (int k = 0; k < 3; k++) /* without area, it is the union of its edges */
        if (bi_collision_segment_touches(s, thin->p[k], thin->p[(k + 1) % 3], other, t_axis == 3 ? u_axis : t_axis))
            return true;
    return false;
}

/* ---- in general position ---- */

/* Rotates the corners so that the first is on one closed side of the other's plane and the others are on the other
 * side; true if its side is positive. Not all sides are 0, nor equal. */
BI_FN bool bi_collision_rotate_corners(struct bi_collision_triangle *t, const int *side)
{
    int first = 0, zero = -1;
    bool found = false;
    for (int k = 0; k < 3 && !found; k++) {
        int x = side[k], y = side[(k + 1) % 3], z = side[(k + 2) % 3];
        found = (x > 0 && y <= 0 && z <= 0) || (x < 0 && y >= 0 && z >= 0);
        if (found) first = k;
        if (x == 0) zero = k;
    }
    if (!found) first = zero; /* one corner in the plane, the others on one side */
    bool positive = found ? side[first] > 0 : side[(first + 1) % 3] < 0;
    const double *const p[3] = {t->p[0], t->p[1], t->p[2]};
    for (int k = 0; k < 3; k++) t->p[k] = p[(first + k) % 3];
    return positive;
}

BI_FN void bi_collision_swap(struct bi_collision_triangle *t)
{
    const double *last = t->p[2];
    t->p[2] = t->p[1];
    t->p[1] = last;
}

/* True if the triangles touch. Without work space an undecided sign sets `undecided`, and the result is void. */
BI_FN bool bi_collision_touch(struct bi_collision_signs *s, const double *t_corners, const double *u_corners)
{
    struct bi_collision_triangle t = bi_collision_triangle_at(t_corners), u = bi_collision_triangle_at(u_corners);
    /* Sides of the corners of each triangle with respect to the plane of the other. */
    int t_side[3], u_side[3];
    for (int k = 0; k < 3; k++) u_side[k] = bi_collision_orient3(s, t.p[0], t.p[1], t.p[2], u.p[k]);
    if (bi_collision_one_side(u_side)) return false;
    for (int k = 0; k < 3; k++) t_side[k] = bi_collision_orient3(s, u.p[0], u.p[1], u.p[2], t.p[k]);
    if (bi_collision_one_side(t_side)) return false;
    if ((t_side[0] | t_side[1] | t_side[2]) == 0 || (u_side[0] | u_side[1] | u_side[2]) == 0) {
        if (s->work) return bi_collision_touch_flat(s, &t, &u);
        s->undecided = true;
        return false;
    }
    /* Both triangles cut the common line of the planes in an interval, between the edges at their first corners. They
     * touch if each interval begins before the other one ends. */
    bool t_positive = bi_collision_rotate_corners(&t, t_side), u_positive = bi_collision_rotate_corners(&u, u_side);
    if (!t_positive) bi_collision_swap(&u);
    if (!u_positive) bi_collision_swap(&t);
    return bi_collision_orient3(s, t.p[0], t.p[1], u.p[0], u.p[1]) <= 0 &&
           bi_collision_orient3(s, t.p[0], t.p[2], u.p[2], u.p[0]) <= 0;
}

#endif
