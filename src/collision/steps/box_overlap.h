/* Overlap of a triangle and a voxel, by separating axes. Source: Akenine-Moeller, Fast 3D Triangle-Box Overlap
 * Testing (2001). The triangle's box is known to overlap the voxel, so of the 13 axes the plane's normal and the 9
 * products of edges remain. Where rounding may decide, the result is true: no common point of two triangles is
 * missed. */
#ifndef BI_COLLISION_STEPS_BOX_OVERLAP_H
#define BI_COLLISION_STEPS_BOX_OVERLAP_H

#include <math.h>

#include "collision/collision.h"

/* True if two projections x and y of a triangle and a voxel of radius r, on one axis, do not overlap. */
BI_FN bool bi_collision_separated(double x, double y, double r)
{
    double low = x < y ? x : y, high = x < y ? y : x;
    return low > r || high < -r;
}

/* True if the triangle t may overlap the voxel. */
BI_FN bool bi_collision_box_overlap(const struct bi_collision_grid *g, const int32_t *voxel, const double *t)
{
    /* 1. Corners relative to the centre of the voxel. */
    double v[3][3], half = g->half, most = half;
    for (int c = 0; c < 3; c++) {
        double center = g->low[c] + (voxel[c] + 0.5) * g->cell;
        for (int k = 0; k < 3; k++) {
            v[k][c] = t[3 * k + c] - center;
            double size = fabs(v[k][c]);
            most = size > most ? size : most;
        }
    }
    /* 2. Products of edges and axes. Edges are at most 2 most; the bounds are a multiple of the rounding errors. */
    double error = 0x1p-46 * most * most, e[3][3];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) e[k][c] = v[(k + 1) % 3][c] - v[k][c];
    for (int k = 0; k < 3; k++)
        for (int c = 0; c < 3; c++) { /* edge k and axis c; both ends of the edge have one projection */
            int b = (c + 1) % 3, d = (c + 2) % 3, other = (k + 2) % 3;
            double x = e[k][b] * v[k][d] - e[k][d] * v[k][b];
            double y = e[k][b] * v[other][d] - e[k][d] * v[other][b];
            if (bi_collision_separated(x, y, half * (fabs(e[k][b]) + fabs(e[k][d])) + error)) return false;
        }
    /* 3. The normal. */
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
