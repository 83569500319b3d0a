/* Test of two closed triangles. Source: Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test Using
 * Orientation Predicates (2003); coplanar and degenerate triangles by separating lines. */
#ifndef BI_COLLISION_STEPS_TOUCH_H
#define BI_COLLISION_STEPS_TOUCH_H

#include "collision/steps/orient.h"

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

/* The first axis along which the projection of the triangle has an area; 3: none. */
BI_FN int bi_collision_flat_axis(double *work, const struct bi_collision_triangle *t)
{
    for (int axis = 0; axis < 3; axis++)
        if (bi_collision_orient2(work, t->p[0], t->p[1], t->p[2], (axis + 1) % 3, (axis + 2) % 3) != 0) return axis;
    return 3;
}

/* True if the line through an edge of t separates t from the `count` points. */
BI_FN bool bi_collision_edge_separates(double *work, const struct bi_collision_triangle *t, const double *const *points,
                                       int count, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, inside = bi_collision_orient2(work, t->p[0], t->p[1], t->p[2], u, v);
    for (int k = 0; k < 3; k++) {
        int beyond = 0;
        for (int i = 0; i < count; i++)
            beyond += bi_collision_orient2(work, t->p[k], t->p[(k + 1) % 3], points[i], u, v) == -inside;
        if (beyond == count) return true;
    }
    return false;
}

/* Test of closed segments p q and a b. */
BI_CALLED_FN bool bi_collision_segments_touch(struct bi_collision_signs *s, const double *p, const double *q,
                                              const double *a, const double *b)
{
    if (bi_collision_orient3(s, p, q, a, b) != 0) return false;
    for (int axis = 0; axis < 3; axis++) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        int sa = bi_collision_orient2(s->work, p, q, a, u, v), sb = bi_collision_orient2(s->work, p, q, b, u, v);
        int sp = bi_collision_orient2(s->work, a, b, p, u, v), sq = bi_collision_orient2(s->work, a, b, q, u, v);
        if (sa || sb || sp || sq) return sa * sb <= 0 && sp * sq <= 0;
    }
    for (int c = 0; c < 3; c++) { /* collinear: compare the intervals along each coordinate */
        double low = p[c] < q[c] ? p[c] : q[c], high = p[c] < q[c] ? q[c] : p[c];
        if ((a[c] < low && b[c] < low) || (a[c] > high && b[c] > high)) return false;
    }
    return true;
}

/* Test of a closed segment p q and a triangle, projected along `axis`; 3: the triangle has no area. */
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
        for (int k = 0; k < 3; k++)
            side[k] = bi_collision_orient2(s->work, p, q, t->p[k], (axis + 1) % 3, (axis + 2) % 3);
        return !bi_collision_one_side(side);
    }
    for (int k = 0; k < 3; k++) side[k] = bi_collision_orient3(s, p, q, t->p[k], t->p[(k + 1) % 3]);
    bool left = side[0] > 0 || side[1] > 0 || side[2] > 0, right = side[0] < 0 || side[1] < 0 || side[2] < 0;
    return !(left && right);
}

/* Test of coplanar triangles, or of a triangle without area and another one. */
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
    /* Both triangles cut the common line of the planes in an interval, between the edges at their first corners. */
    bool t_positive = bi_collision_rotate_corners(&t, t_side), u_positive = bi_collision_rotate_corners(&u, u_side);
    if (!t_positive) bi_collision_swap(&u);
    if (!u_positive) bi_collision_swap(&t);
    return bi_collision_orient3(s, t.p[0], t.p[1], u.p[0], u.p[1]) <= 0 &&
           bi_collision_orient3(s, t.p[0], t.p[2], u.p[2], u.p[0]) <= 0;
}

#endif
