/* The side of a line on which a point is: a sign by an error bound and, where that does not decide, exactly. Source:
 * Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates (1997), orient2d, first
 * and last of its four stages. */
#ifndef BI_BASE_ORIENT_H
#define BI_BASE_ORIENT_H

#include <math.h>

#include "base/expansion.h"

enum { BI_ORIENT2_WORK = 16 }; /* longest expansion: two products of at most eight components */

/* Relative error of the determinant below: (3 + 16 u) u where u = 2^-53. */
#define BI_ORIENT2_ERROR ((3 + 16 * 0x1p-53) * 0x1p-53)

/* x - y as two parts, exact. */
BI_FN void bi_difference(double x, double y, double *parts) { bi_two_sum(x, -y, &parts[1], &parts[0]); }

/* Returns the side of the line a, b on which c is, in the axes u and v: 1, 0 or -1. Exact
 * if nothing overflows or underflows: callers scale the points. work: (BI_ORIENT2_WORK). */
BI_CALLED_FN int bi_orient2(double *work, const double *a, const double *b, const double *c, int u, int v)
{
    double left = (a[u] - c[u]) * (b[v] - c[v]), right = (a[v] - c[v]) * (b[u] - c[u]), det = left - right;
    double bound = BI_ORIENT2_ERROR * (fabs(left) + fabs(right));
    if (det > bound || -det > bound || bound == 0) return det > 0 ? 1 : det < 0 ? -1 : 0;
    double au[2], av[2], bu[2], bv[2];
    bi_difference(a[u], c[u], au);
    bi_difference(c[v], a[v], av); /* negative */
    bi_difference(b[u], c[u], bu);
    bi_difference(b[v], c[v], bv);
    int length = bi_expansion_add_product(work, 0, au, bv);
    length = bi_expansion_add_product(work, length, av, bu);
    return bi_expansion_sign(work, length);
}

#endif
