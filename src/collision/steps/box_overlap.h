/* Whether a triangle overlaps a voxel, by separating axes. Source: Akenine-Moeller, Fast 3D Triangle-Box Overlap
 * Testing (2001). The triangle's box overlaps the voxel already, so that of its 13 axes the plane's normal and the 9
 * products of edges are left. Where rounding may decide, the answer is yes: no common point of two triangles is missed.
 */
#ifndef BI_COLLISION_STEPS_BOX_OVERLAP_H
#define BI_COLLISION_STEPS_BOX_OVERLAP_H

#include <math.h>

#include "collision/collision.h"

/* Whether the projections of three corners and of the voxel, of radius r, onto an axis are apart. */
BI_FN bool bi_collision_apart(double x, double y, double r)
{
    double low = x < y ? x : y, high = x < y ? y : x;
    return low > r || high < -r;
}

BI_FN bool bi_collision_box_overlap(const struct bi_collision_grid *g, const int32_t *voxel, const double *t)
{
    double v[3][3], half = g->half, most = half;
    for (int c = 0; c < 3; c++) {
        double center = g->low[c] + (voxel[c] + 0.5) * g->cell;
        for (int k = 0; k < 3; k++) {
            v[k][c] = t[3 * k + c] - center;
            double size = fabs(v[k][c]);
            most = size > most ? size : most;
        }
    }
    /* Edges are at most 2 most in each coordinate; the bounds are some times what rounding errors can come to. */
    double error = 0x1p-46 * most * most, e[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) e[k][c] = v[(k + 1) % 3][c] - v[k][c];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) { /* edge k, and the axis c; both ends of an edge project onto one number */
            int b = (c + 1) % 3, d = (c + 2) % 3, other = (k + 2) % 3;
            double x = e[k][b] * v[k][d] - e[k][d] * v[k][b];
            double y = e[k][b] * v[other][d] - e[k][d] * v[other][b];
            if (bi_collision_apart(x, y, half * (fabs(e[k][b]) + fabs(e[k][d])) + error)) return false;
        }
    double n[3], distance = 0, radius = 0;
    for (int c = 0; c < 3; c++) {
        int b = (c + 1) % 3, d = (c + 2) % 3;
        n[c] = e[0][b] * e[1][d] - e[0][d] * e[1][b];
        distance = distance + n[c] * v[0][c];
        radius = radius + fabs(n[c]);
    }
    return fabs(distance) <= half * radius + 0x1p-43 * (most * most * most);
}

#endif
