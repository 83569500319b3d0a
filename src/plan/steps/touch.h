/* Exact tests of features in one plane: closed edges that may touch, and corners in a facet. Points are homogeneous in
 * the quaternion: |q|^2 R a of the robot, |q|^2 k of the obstacle. Few rotations need these tests. */
#ifndef BI_PLAN_STEPS_TOUCH_H
#define BI_PLAN_STEPS_TOUCH_H

#include "plan/steps/exact.h"
#include "plan/steps/forms.h"

enum { BI_PLAN_TOUCH_WORK = 8 }; /* exact values in use: 0 to 4 of an orientation, 6 and 7 of a term */

struct bi_plan_touch {
    struct bi_exact *work; /* (BI_PLAN_TOUCH_WORK) */
    double q[4], scaled[4];
};

struct bi_plan_corner {
    const struct bi_plan_surface *surface;
    int32_t vertex;
    bool turns; /* it is the robot's */
};

/* sum += x y z. `pair`: two exact values of working memory. */
BI_CALLED_FN void bi_plan_add_term(struct bi_exact *sum, struct bi_exact *pair, double x, double y, double z)
{
    struct bi_exact *scratch = pair + 1;
    double high, low;
    bi_two_product(x, y, &high, &low);
    bi_exact_set(pair, low);
    if (high != 0) pair->part[pair->n++] = high;
    bi_exact_set(scratch, z);
    bi_exact_add_product(sum, pair, scratch, 1);
}

/* sum += factor |q|^2 (coordinate `axis` of the corner); the factor is 1 or -1. */
BI_CALLED_FN void bi_plan_add_coordinate(const struct bi_plan_touch *t, struct bi_exact *sum, struct bi_exact *pair,
                                         const struct bi_plan_corner *p, int axis, double factor)
{
    const double *x = p->surface->vertices + 3 * (int64_t)p->vertex, *q = t->q;
    if (!p->turns) {
        for (int c = 0; c < 4; c++) bi_plan_add_term(sum, pair, q[c], q[c], factor * x[axis]);
        return;
    }
    int j = (axis + 1) % 3, k = (axis + 2) % 3; /* row `axis` of R: ww + ii - jj - kk, 2 (ij - wk), 2 (ik + wj) */
    const double w = q[0], qi = q[1 + axis], qj = q[1 + j], qk = q[1 + k];
    bi_plan_add_term(sum, pair, w, w, factor * x[axis]);
    bi_plan_add_term(sum, pair, qi, qi, factor * x[axis]);
    bi_plan_add_term(sum, pair, qj, qj, -factor * x[axis]);
    bi_plan_add_term(sum, pair, qk, qk, -factor * x[axis]);
    bi_plan_add_term(sum, pair, qi, qj, 2 * factor * x[j]);
    bi_plan_add_term(sum, pair, w, qk, -2 * factor * x[j]);
    bi_plan_add_term(sum, pair, qi, qk, 2 * factor * x[k]);
    bi_plan_add_term(sum, pair, w, qj, 2 * factor * x[k]);
}

/* x = a - b along the axis. */
BI_FN void bi_plan_set_difference(const struct bi_plan_touch *t, struct bi_exact *x, const struct bi_plan_corner *a,
                                  const struct bi_plan_corner *b, int axis)
{
    x->n = 0;
    bi_plan_add_coordinate(t, x, t->work + 6, a, axis, 1);
    bi_plan_add_coordinate(t, x, t->work + 6, b, axis, -1);
}

/* The sign of a - b along the axis. */
BI_CALLED_FN int bi_plan_compare(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                                 const struct bi_plan_corner *b, int axis)
{
    bi_plan_set_difference(t, t->work, a, b, axis);
    return bi_exact_sign(t->work);
}

/* Computes a corner's coordinates in double, for the scaled q; *size: raised to an upper bound of them. */
BI_FN void bi_plan_corner_position(const struct bi_plan_touch *t, const struct bi_plan_corner *p, double *at,
                                   double *size)
{
    const double *x = p->surface->vertices + 3 * (int64_t)p->vertex, *q = t->scaled;
    double norm = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        const double w = q[0], qi = q[1 + i], qj = q[1 + j], qk = q[1 + k];
        at[i] = p->turns ? (w * w + qi * qi - qj * qj - qk * qk) * x[i] + 2 * (qi * qj - w * qk) * x[j] +
                               2 * (qi * qk + w * qj) * x[k]
                         : norm * x[i];
    }
    double most = norm * (fabs(x[0]) + fabs(x[1]) + fabs(x[2]));
    *size = most > *size ? most : *size;
}

/* Returns the orientation if doubles decide it, else 0. Coordinates have errors of at most 2^-48 of their size, so the
 * determinant's is below 2^-42 of its square. */
BI_FN int bi_plan_fast_orient2(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                               const struct bi_plan_corner *b, const struct bi_plan_corner *c, int axis)
{
    double p[3][3], size = 0;
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    bi_plan_corner_position(t, a, p[0], &size);
    bi_plan_corner_position(t, b, p[1], &size);
    bi_plan_corner_position(t, c, p[2], &size);
    double det = (p[0][u] - p[2][u]) * (p[1][v] - p[2][v]) - (p[0][v] - p[2][v]) * (p[1][u] - p[2][u]);
    double bound = 0x1p-42 * size * size;
    return det > bound ? 1 : det < -bound ? -1 : 0;
}

/* Returns 1, 0 or -1: the orientation of a, b, c, projected along the axis. */
BI_CALLED_FN int bi_plan_orient2(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                                 const struct bi_plan_corner *b, const struct bi_plan_corner *c, int axis)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, sure = bi_plan_fast_orient2(t, a, b, c, axis);
    struct bi_exact *w = t->work;
    if (sure != 0) return sure;
    bi_plan_set_difference(t, &w[0], a, c, u);
    bi_plan_set_difference(t, &w[1], b, c, v);
    bi_plan_set_difference(t, &w[2], a, c, v);
    bi_plan_set_difference(t, &w[3], b, c, u);
    w[4].n = 0;
    bi_exact_add_product(&w[4], &w[0], &w[1], 1);
    bi_exact_add_product(&w[4], &w[2], &w[3], -1);
    return bi_exact_sign(&w[4]);
}

/* True if the closed edges a b and c d, which lie in one plane, touch. */
BI_CALLED_FN bool bi_plan_edges_touch(const struct bi_plan_touch *t, const struct bi_plan_corner *a,
                                      const struct bi_plan_corner *b, const struct bi_plan_corner *c,
                                      const struct bi_plan_corner *d)
{
    for (int axis = 0; axis < 3; axis++) { /* the first projection that is not a line decides */
        int sc = bi_plan_orient2(t, a, b, c, axis), sd = bi_plan_orient2(t, a, b, d, axis);
        int sa = bi_plan_orient2(t, c, d, a, axis), sb = bi_plan_orient2(t, c, d, b, axis);
        if (sa || sb || sc || sd) return sa * sb <= 0 && sc * sd <= 0;
    }
    for (int axis = 0; axis < 3; axis++) { /* on one line: they touch if they overlap along each axis */
        int ca = bi_plan_compare(t, c, a, axis), cb = bi_plan_compare(t, c, b, axis);
        int da = bi_plan_compare(t, d, a, axis), db = bi_plan_compare(t, d, b, axis);
        if ((ca > 0 && cb > 0 && da > 0 && db > 0) || (ca < 0 && cb < 0 && da < 0 && db < 0)) return false;
    }
    return true;
}

/* True if a corner in the plane of a facet of the other side is in the closed facet: not left of one edge and right of
 * another, in the first projection with an area. */
BI_CALLED_FN bool bi_plan_in_facet(const struct bi_plan_touch *t, const struct bi_plan_corner *p,
                                   const struct bi_plan_surface *s, int32_t f, bool turns)
{
    for (int axis = 0; axis < 3; axis++) {
        bool left = false, right = false, area = false;
        const int32_t begin = s->facet_offsets[f], end = s->facet_offsets[f + 1];
        struct bi_plan_corner first = {s, s->edges[2 * (s->facet_edges[begin] >> 1) + (s->facet_edges[begin] & 1)],
                                       turns};
        for (int32_t k = begin; k < end; k++) {
            const int32_t edge = s->facet_edges[k], *ends = s->edges + 2 * (int64_t)(edge >> 1);
            struct bi_plan_corner a = {s, ends[edge & 1], turns}, b = {s, ends[!(edge & 1)], turns};
            int side = bi_plan_orient2(t, &a, &b, p, axis);
            left = left || side > 0;
            right = right || side < 0;
            area = area || bi_plan_orient2(t, &a, &b, &first, axis) != 0;
        }
        if (area) return !(left && right);
    }
    return false;
}

#endif
