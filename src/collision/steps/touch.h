/* Whether two closed triangles touch. Source: Guigue and Devillers, Fast and Robust Triangle-Triangle Overlap Test
 * Using Orientation Predicates (2003); triangles in one plane and without area, by separating lines. */
#ifndef BI_COLLISION_STEPS_TOUCH_H
#define BI_COLLISION_STEPS_TOUCH_H

#include "collision/steps/orient.h"

/* Three corners of three coordinates each. */
struct bi_collision_triangle {
    const double *p[3];
};

BI_FN struct bi_collision_triangle bi_collision_triangle_at(const double *corners)
{
    return (struct bi_collision_triangle){{corners, corners + 3, corners + 6}};
}

/* All three on one side. */
BI_FN bool bi_collision_one_side(const int *side)
{
    return (side[0] > 0 && side[1] > 0 && side[2] > 0) || (side[0] < 0 && side[1] < 0 && side[2] < 0);
}

/* ---- in one plane, or without area: with exact signs alone ---- */

/* The first coordinate along which the triangle may be projected and keeps an area; 3: it has none. */
BI_FN int bi_collision_flat_axis(double *work, const struct bi_collision_triangle *t)
{
    for (int axis = 0; axis < 3; axis++)
        if (bi_collision_orient2(work, t->p[0], t->p[1], t->p[2], (axis + 1) % 3, (axis + 2) % 3) != 0) return axis;
    return 3;
}

/* Whether a line through an edge of t has t on one side and on the other the `count` points. */
BI_FN bool bi_collision_edge_parts(double *work, const struct bi_collision_triangle *t, const double *const *points,
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

/* Closed segments p q and a b. */
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
    for (int c = 0; c < 3; c++) { /* on one line: they touch if they do along each coordinate */
        double low = p[c] < q[c] ? p[c] : q[c], high = p[c] < q[c] ? q[c] : p[c];
        if ((a[c] < low && b[c] < low) || (a[c] > high && b[c] > high)) return false;
    }
    return true;
}

/* A closed segment p q, and a triangle that is flat along the axis; 3: that has no area. */
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
        if (bi_collision_edge_parts(s->work, t, ends, 2, axis)) return false;
        for (int k = 0; k < 3; k++)
            side[k] = bi_collision_orient2(s->work, p, q, t->p[k], (axis + 1) % 3, (axis + 2) % 3);
        return !bi_collision_one_side(side);
    }
    for (int k = 0; k < 3; k++) side[k] = bi_collision_orient3(s, p, q, t->p[k], t->p[(k + 1) % 3]);
    bool left = side[0] > 0 || side[1] > 0 || side[2] > 0, right = side[0] < 0 || side[1] < 0 || side[2] < 0;
    return !(left && right);
}

/* One of the triangles is in the plane of the other, or has no area. */
BI_CALLED_FN bool bi_collision_touch_flat(struct bi_collision_signs *s, const struct bi_collision_triangle *t,
                                          const struct bi_collision_triangle *u)
{
    int t_axis = bi_collision_flat_axis(s->work, t), u_axis = bi_collision_flat_axis(s->work, u);
    if (t_axis < 3 && u_axis < 3)
        return !bi_collision_edge_parts(s->work, t, u->p, 3, t_axis) &&
               !bi_collision_edge_parts(s->work, u, t->p, 3, t_axis);
    const struct bi_collision_triangle *thin = t_axis == 3 ? t : u, *other = t_axis == 3 ? u : t;
    for (int k = 0; k < 3; k++) /* its edges are all of it */
        if (bi_collision_segment_touches(s, thin->p[k], thin->p[(k + 1) % 3], other, t_axis == 3 ? u_axis : t_axis))
            return true;
    return false;
}

/* ---- in general position ---- */

/* Turns a triangle so that its first corner is on one closed side of the other's plane and the others are on the other
 * one; true if its side is the positive one. Not all sides are 0, and not all the same. */
BI_FN bool bi_collision_turn(struct bi_collision_triangle *t, const int *side)
{
    int first = 0, zero = -1;
    bool found = false;
    for (int k = 0; k < 3 && !found; k++) {
        int x = side[k], y = side[(k + 1) % 3], z = side[(k + 2) % 3];
        found = (x > 0 && y <= 0 && z <= 0) || (x < 0 && y >= 0 && z >= 0);
        if (found) first = k;
        if (x == 0) zero = k;
    }
    if (!found) first = zero; /* a corner in the plane, the others beyond it */
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

/* Where the signs have no work space and a bound does not decide, `unsure` is set and the answer means nothing. */
BI_FN bool bi_collision_touch(struct bi_collision_signs *s, const double *t_corners, const double *u_corners)
{
    struct bi_collision_triangle t = bi_collision_triangle_at(t_corners), u = bi_collision_triangle_at(u_corners);
    int t_side[3], u_side[3];
    for (int k = 0; k < 3; k++) u_side[k] = bi_collision_orient3(s, t.p[0], t.p[1], t.p[2], u.p[k]);
    if (bi_collision_one_side(u_side)) return false;
    for (int k = 0; k < 3; k++) t_side[k] = bi_collision_orient3(s, u.p[0], u.p[1], u.p[2], t.p[k]);
    if (bi_collision_one_side(t_side)) return false;
    if ((t_side[0] | t_side[1] | t_side[2]) == 0 || (u_side[0] | u_side[1] | u_side[2]) == 0) {
        if (s->work) return bi_collision_touch_flat(s, &t, &u);
        s->unsure = true;
        return false;
    }
    /* Both cut the line in which the planes meet in an interval, each between the edges at its first corner. */
    bool t_positive = bi_collision_turn(&t, t_side), u_positive = bi_collision_turn(&u, u_side);
    if (!t_positive) bi_collision_swap(&u);
    if (!u_positive) bi_collision_swap(&t);
    return bi_collision_orient3(s, t.p[0], t.p[1], u.p[0], u.p[1]) <= 0 &&
           bi_collision_orient3(s, t.p[0], t.p[2], u.p[2], u.p[0]) <= 0;
}

#endif
