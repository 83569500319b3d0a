/* Orientation predicates: signs of determinants, by an error bound and, where that does not decide, exactly. Source:
 * Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates (1997), orient3d and
 * orient2d, first and last of their four stages. */
#ifndef BI_COLLISION_STEPS_ORIENT_H
#define BI_COLLISION_STEPS_ORIENT_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/expansion.h"

/* State of a test. */
struct bi_collision_signs {
    double *work; /* (BI_COLLISION_WORK) for exact signs; NULL: undecided signs are 0, and `undecided` is set */
    bool undecided;
};

/* Longest expansions of the exact determinant, and of a 2 x 2 minor. */
enum { BI_COLLISION_WORK = 192 + 16 };

/* Relative errors of the determinants below: (7 + 56 u) u and (3 + 16 u) u where u = 2^-53. */
#define BI_COLLISION_ERROR3 (0x1.c000000000038p-51)
#define BI_COLLISION_ERROR2 (0x1.8000000000010p-52)

BI_FN int bi_collision_sign(double x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

/* x - y as two parts, exact. */
BI_FN void bi_collision_difference(double x, double y, double *parts) { bi_two_sum(x, -y, &parts[1], &parts[0]); }

/* The exact sign of the determinant of the rows a - d, b - d, c - d. */
BI_CALLED_FN int bi_collision_orient3_exact(double *work, const double *a, const double *b, const double *c,
                                            const double *d)
{
    const double *const points[3] = {a, b, c};
    double row[3][3][2], *sum = work, *minor = work + 192;
    int length = 0;
    for (int r = 0; r < 3; r++)
        for (int k = 0; k < 3; k++) bi_collision_difference(points[r][k], d[k], row[r][k]);
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

/* The side of the plane a, b, c on which d is: 1, 0 or -1; 0 if a, b, c are on one line. */
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

/* The side of the line a, b on which c is, in the axes u and v: 1, 0 or -1. Exact. */
BI_CALLED_FN int bi_collision_orient2(double *work, const double *a, const double *b, const double *c, int u, int v)
{
    double left = (a[u] - c[u]) * (b[v] - c[v]), right = (a[v] - c[v]) * (b[u] - c[u]), det = left - right;
    double bound = BI_COLLISION_ERROR2 * (fabs(left) + fabs(right));
    if (det > bound || -det > bound || bound == 0) return bi_collision_sign(det);
    double au[2], av[2], bu[2], bv[2];
    bi_collision_difference(a[u], c[u], au);
    bi_collision_difference(c[v], a[v], av); /* negative */
    bi_collision_difference(b[u], c[u], bu);
    bi_collision_difference(b[v], c[v], bv);
    int length = bi_expansion_add_product(work, 0, au, bv);
    length = bi_expansion_add_product(work, length, av, bu);
    return bi_expansion_sign(work, length);
}

#endif
