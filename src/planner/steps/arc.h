/* Arcs of rotations, and quadratic forms along them.
 *
 * The slerp from p to q passes the same rotations as the chord q(s) = (1 - s) p + s q, since the sign of a form q'Mq
 * does not depend on the length of q. Along the chord a form is the quadratic (1 - s)^2 P + 2 s (1 - s) B + s^2 Q with
 * the Bernstein coefficients P = p'Mp, B = p'Mq, Q = q'Mq. Its sign needs + - * / alone, with bounds of the rounding
 * errors. On a piece [a, b] of the arc the coefficients are the values of the form's blossom at (a, a), (a, b),
 * (b, b). */
#ifndef BI_PLANNER_STEPS_ARC_H
#define BI_PLANNER_STEPS_ARC_H

#include <stdbool.h>

#include "base/elementary.h"

/* R(p, q), the symmetric bilinear form with R(q, q) = |q|^2 times the matrix of the rotation q; and p'q. */
struct bi_planner_matrix {
    double r[9], scale;
};

/* The matrices of a piece of an arc: at (a, a), (a, b), (b, b). */
struct bi_planner_arc {
    struct bi_planner_matrix m[3];
    double size; /* at least |p|^2 and |q|^2 */
};

/* Computes R(p, q) and p'q. */
BI_FN void bi_planner_polar_form(const double *p, const double *q, struct bi_planner_matrix *m)
{
    double ww = p[0] * q[0], xx = p[1] * q[1], yy = p[2] * q[2], zz = p[3] * q[3];
    double xy = p[1] * q[2] + p[2] * q[1], xz = p[1] * q[3] + p[3] * q[1], yz = p[2] * q[3] + p[3] * q[2];
    double wx = p[0] * q[1] + p[1] * q[0], wy = p[0] * q[2] + p[2] * q[0], wz = p[0] * q[3] + p[3] * q[0];
    m->scale = (ww + xx) + (yy + zz);
    m->r[0] = (ww + xx) - (yy + zz);
    m->r[1] = xy - wz;
    m->r[2] = xz + wy;
    m->r[3] = xy + wz;
    m->r[4] = (ww + yy) - (xx + zz);
    m->r[5] = yz - wx;
    m->r[6] = xz - wy;
    m->r[7] = yz + wx;
    m->r[8] = (ww + zz) - (xx + yy);
}

/* The scalar product of two quaternions. */
BI_FN double bi_planner_dot4(const double *p, const double *q)
{
    return (p[0] * q[0] + p[1] * q[1]) + (p[2] * q[2] + p[3] * q[3]);
}

/* Scales a quaternion by a power of two, so that its greatest component is in [1/2, 1); 0 stays 0. */
BI_FN void bi_planner_scale_quaternion(const double *q, double *to)
{
    double most = 0;
    for (int k = 0; k < 4; k++) {
        double size = bi_is_negative(q[k]) ? -q[k] : q[k];
        if (size > most) most = size;
    }
    uint64_t exponent = bi_f64_bits(most) >> 52;
    double scale = exponent > 0 && exponent < 2045 ? bi_f64_from_bits((2045 - exponent) << 52) : 0;
    for (int k = 0; k < 4; k++) to[k] = q[k] * scale;
}

/* Normalises a quaternion to length 1, within rounding. */
BI_FN void bi_planner_normalize(const double *from, double *to)
{
    double q[4];
    bi_planner_scale_quaternion(from, q);
    double length = bi_sqrt(bi_planner_dot4(q, q));
    for (int k = 0; k < 4; k++) to[k] = q[k] / length;
}

/* Returns the angle in radians, 0 to pi, of the rotation from p to q. */
BI_FN double bi_planner_angle(const double *from, const double *to)
{
    double p[4], q[4], apart2 = 0, mean2 = 0, dot = 0;
    bi_planner_normalize(from, p);
    bi_planner_normalize(to, q);
    for (int k = 0; k < 4; k++) dot += p[k] * q[k];
    for (int k = 0; k < 4; k++) {
        double other = dot < 0 ? -q[k] : q[k];
        apart2 += (p[k] - other) * (p[k] - other);
        mean2 += (p[k] + other) * (p[k] + other);
    }
    return 4 * bi_atan2_f64(bi_sqrt(apart2), bi_sqrt(mean2));
}

/* Computes the shorter arc from p to q. False if they are about half a turn apart, or no rotations. */
BI_FN bool bi_planner_arc_of(const double *from, const double *to, struct bi_planner_arc *arc)
{
    double p[4], q[4];
    bi_planner_scale_quaternion(from, p);
    bi_planner_scale_quaternion(to, q);
    double dot = bi_planner_dot4(p, q);
    for (int k = 0; k < 4; k++) q[k] = dot < 0 ? -q[k] : q[k];
    bi_planner_polar_form(p, p, &arc->m[0]);
    bi_planner_polar_form(p, q, &arc->m[1]);
    bi_planner_polar_form(q, q, &arc->m[2]);
    double a = arc->m[0].scale, b = arc->m[1].scale, c = arc->m[2].scale;
    arc->size = (a > c ? a : c) * (1 + 0x1p-48);
    return a > 0 && c > 0 && b > 0 && b * b > 0x1p-40 * (a * c);
}

/* Computes the piece [a, b] of an arc; a and b are multiples of 2^-20, so the weights are exact. */
BI_FN void bi_planner_arc_piece(const struct bi_planner_arc *arc, double a, double b, struct bi_planner_arc *piece)
{
    double ends[4] = {a, a, b, b};
    for (int k = 0; k < 3; k++) {
        double s = ends[k], t = ends[k + 1];
        double w0 = (1 - s) * (1 - t), w1 = s * (1 - t) + t * (1 - s), w2 = s * t;
        for (int e = 0; e < 9; e++)
            piece->m[k].r[e] = (w0 * arc->m[0].r[e] + w1 * arc->m[1].r[e]) + w2 * arc->m[2].r[e];
        piece->m[k].scale = (w0 * arc->m[0].scale + w1 * arc->m[1].scale) + w2 * arc->m[2].scale;
    }
    piece->size = arc->size;
}

/* Computes the rotation matrix in the middle of an arc, within rounding. */
BI_FN void bi_planner_arc_middle(const struct bi_planner_arc *arc, double *r)
{
    double scale = (arc->m[0].scale + arc->m[2].scale) + 2 * arc->m[1].scale;
    for (int e = 0; e < 9; e++) r[e] = ((arc->m[0].r[e] + arc->m[2].r[e]) + 2 * arc->m[1].r[e]) / scale;
}

BI_FN double bi_planner_dot(const double *a, const double *b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

BI_FN void bi_planner_cross(const double *a, const double *b, double *c)
{
    c[0] = a[1] * b[2] - a[2] * b[1];
    c[1] = a[2] * b[0] - a[0] * b[2];
    c[2] = a[0] * b[1] - a[1] * b[0];
}

BI_FN void bi_planner_rotate(const double *r, const double *v, double *to)
{
    for (int k = 0; k < 3; k++) to[k] = r[3 * k] * v[0] + r[3 * k + 1] * v[1] + r[3 * k + 2] * v[2];
}

/* The same with the transposed matrix. */
BI_FN void bi_planner_rotate_back(const double *r, const double *v, double *to)
{
    for (int k = 0; k < 3; k++) to[k] = r[k] * v[0] + r[3 + k] * v[1] + r[6 + k] * v[2];
}

/* Returns an upper bound of the length of v. */
BI_FN double bi_planner_length(const double *v) { return bi_sqrt(bi_planner_dot(v, v)) * (1 + 0x1p-48); }

/* Bounds the error of a coefficient: n.R(p, q)v - h p'q and its like are computed to within 72 u |n| (|v| + |w|), where
 * u = 2^-53, times the arc's size. docs/design/planner.md counts the roundings. */
#define BI_PLANNER_ERROR (96 * 0x1p-53)

/* True if a form with coefficients c, each within `error`, is proved positive along a piece. With their lower bounds:
 * (1 - s)^2 p + 2 s (1 - s) b + s^2 q > 0 in [0, 1] if and only if p, q > 0 and b > -sqrt(p q). */
BI_FN bool bi_planner_positive(const double *c, double error)
{
    double p = c[0] - error, b = c[1] - error, q = c[2] - error, product = p * q;
    if (!(p > 0 && q > 0)) return false;
    if (b >= 0) return true;
    return product > 0x1p-900 && product < 0x1p900 && b * b < product * (1 - 0x1p-40);
}

#endif
