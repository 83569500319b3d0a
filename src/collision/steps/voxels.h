/* Steps that assign triangles to voxels, and drop voxels that only one mesh overlaps. Source of the overlap of a
 * triangle and a voxel, by separating axes: Akenine-Moeller, Fast 3D Triangle-Box Overlap Testing (2001). */
#ifndef BI_COLLISION_STEPS_VOXELS_H
#define BI_COLLISION_STEPS_VOXELS_H

#include <math.h>

#include "collision/collision.h"
#include "collision/steps/meshes.h"

/* ---- overlap of a triangle and a voxel ---- */

/* True if two projections x and y of a triangle and a voxel of radius r, on one axis, do not overlap. */
BI_FN bool bi_collision_separated(double x, double y, double r)
{
    double low = x < y ? x : y, high = x < y ? y : x;
    return low > r || high < -r;
}

/* True if the triangle t may overlap the voxel, which its box is known to overlap: of the 13 axes, the plane's normal
 * and the 9 products of edges remain. Where rounding may decide, the result is true: no common point of two triangles
 * is missed. Corners are at most 2^250 in magnitude, as builds check, so that no product overflows. g->half covers the
 * rounding of the centre. */
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

/* ---- voxels of boxes ---- */

/* The voxels of a triangle's box, cut to the grid. */
struct bi_collision_box {
    int32_t low[BI_COLLISION_DIM], high[BI_COLLISION_DIM];
};

/* Returns the voxel coordinate of x, cut to the grid. Monotone in x, as rounding is. So two boxes with a common point
 * share the voxel of that point. */
BI_FN int32_t bi_collision_voxel_coordinate(const struct bi_collision_grid *g, int c, double x)
{
    if (x < g->low[c]) x = g->low[c];
    if (x > g->high[c]) x = g->high[c];
    return (int32_t)((x - g->low[c]) / g->cell);
}

BI_FN void bi_collision_voxel_box(const struct bi_collision_grid *g, const double *t, struct bi_collision_box *box)
{
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        box->low[c] = bi_collision_voxel_coordinate(g, c, bi_collision_min3(t[c], t[3 + c], t[6 + c]));
        box->high[c] = bi_collision_voxel_coordinate(g, c, bi_collision_max3(t[c], t[3 + c], t[6 + c]));
    }
}

/* Counts the voxels of each triangle's box. */
struct bi_collision_count_boxes {
    struct bi_collision_grid grid;
    struct bi_collision_soup soup;
    int64_t *counts;
    uint64_t *too_many; /* 1: a box has more than BI_COLLISION_MAX_BOX voxels */
};

enum { BI_COLLISION_MAX_BOX = 1 << 30 };

BI_FN void bi_step_count_boxes(const struct bi_collision_count_boxes *a, int64_t i)
{
    struct bi_collision_box box;
    int64_t count = 1;
    bi_collision_voxel_box(&a->grid, a->soup.corners + BI_COLLISION_CORNERS * i, &box);
    for (int c = 0; c < BI_COLLISION_DIM; c++) count *= box.high[c] - box.low[c] + 1;
    if (count > BI_COLLISION_MAX_BOX) {
        bi_atomic_or_u64(a->too_many, 1);
        count = BI_COLLISION_MAX_BOX;
    }
    a->counts[i] = count;
}

/* The voxels of all boxes, in triangle order, are divided into slices, an item each, so that a large triangle has
 * many items. Slices of A come first; no slice has voxels of both meshes. */
enum { BI_COLLISION_SLICE = 32 };

struct bi_collision_slices {
    struct bi_collision_grid grid;
    struct bi_collision_soup soup;
    const int64_t *begins; /* (soup.count + 1) begins of each triangle's voxels */
    int64_t a_voxels, a_slices;
    int64_t first;   /* slice of item 0 */
    int64_t *counts; /* entries of each slice; then their begins */
    uint64_t *keys;  /* of the entries: voxel, then 0 for A and 1 for B */
    uint32_t *triangles;
};

/* A walk over the voxels of a slice. */
struct bi_collision_walk {
    int64_t at, end; /* remaining voxels of the slice */
    int64_t i, stop; /* the triangle, and the end of its voxels */
    struct bi_collision_box box;
    int32_t voxel[BI_COLLISION_DIM];
};

/* Begins a walk at the voxel before the first one of the slice, so that the first advance reaches that. */
BI_FN void bi_collision_walk_begin(const struct bi_collision_slices *a, int64_t slice, struct bi_collision_walk *w)
{
    bool of_b = slice >= a->a_slices;
    int64_t last = of_b ? a->begins[a->soup.count] : a->a_voxels;
    w->at = of_b ? a->a_voxels + (slice - a->a_slices) * BI_COLLISION_SLICE : slice * BI_COLLISION_SLICE;
    w->end = last - w->at < BI_COLLISION_SLICE ? last : w->at + BI_COLLISION_SLICE;
    w->i = bi_upper_bound_i64(a->begins, a->soup.count + 1, w->at) - 1;
    w->stop = w->at;
    int64_t previous = w->at - a->begins[w->i] - 1; /* number of the voxel before the first, in its triangle's box */
    for (int c = 0; c < BI_COLLISION_DIM; c++) w->voxel[c] = w->box.low[c] = w->box.high[c] = 0;
    if (previous < 0) { /* the slice starts with a triangle: the first advance enters it */
        w->i--;
        return;
    }
    w->stop = a->begins[w->i + 1];
    bi_collision_voxel_box(&a->grid, a->soup.corners + BI_COLLISION_CORNERS * w->i, &w->box);
    for (int c = BI_COLLISION_DIM - 1; c >= 0; c--) {
        int64_t size = w->box.high[c] - w->box.low[c] + 1;
        w->voxel[c] = w->box.low[c] + (int32_t)(previous % size);
        previous /= size;
    }
}

/* Advances to the next voxel; false at the end. */
BI_FN bool bi_collision_walk_next(const struct bi_collision_slices *a, struct bi_collision_walk *w)
{
    if (w->at == w->end) return false;
    if (w->at == w->stop) {
        w->i++;
        w->stop = a->begins[w->i + 1];
        bi_collision_voxel_box(&a->grid, a->soup.corners + BI_COLLISION_CORNERS * w->i, &w->box);
        for (int c = 0; c < BI_COLLISION_DIM; c++) w->voxel[c] = w->box.low[c];
    } else {
        int c = BI_COLLISION_DIM - 1;
        for (; w->voxel[c] == w->box.high[c]; c--) w->voxel[c] = w->box.low[c];
        w->voxel[c]++;
    }
    w->at++;
    return true;
}

BI_FN uint64_t bi_collision_voxel_number(const struct bi_collision_grid *g, const int32_t *v)
{
    return (uint64_t)((v[0] * g->size[1] + v[1]) * g->size[2] + v[2]);
}

/* Returns the word of a voxel's bit: neighbours share one; in small tables distant voxels too. */
BI_FN uint64_t bi_collision_table_word(const struct bi_collision_grid *g, uint64_t linear)
{
    uint64_t word = linear >> 5;
    return word <= g->word_mask ? word : bi_mix_u64(word) & g->word_mask;
}

/* Marks the voxels of A's boxes. */
BI_FN void bi_step_mark(const struct bi_collision_slices *a, int64_t t)
{
    struct bi_collision_walk w;
    bi_collision_walk_begin(a, t, &w);
    while (bi_collision_walk_next(a, &w)) {
        uint64_t linear = bi_collision_voxel_number(&a->grid, w.voxel);
        bi_atomic_or_u32(&a->grid.a_bits[bi_collision_table_word(&a->grid, linear)], (uint32_t)1 << (linear & 31));
    }
}

/* True if the walk's voxel may have triangles of the other mesh, and its triangle overlaps it. */
BI_FN bool bi_collision_is_entry(const struct bi_collision_slices *a, const struct bi_collision_walk *w,
                                 uint64_t linear)
{
    const uint32_t *other = w->i < a->soup.a_count ? a->grid.b_bits : a->grid.a_bits;
    if (!(other[bi_collision_table_word(&a->grid, linear)] >> (linear & 31) & 1)) return false;
    return bi_collision_box_overlap(&a->grid, w->voxel, a->soup.corners + BI_COLLISION_CORNERS * w->i);
}

/* Counts the entries of a slice. Entries of B, counted first, mark their voxels. */
BI_FN void bi_step_count_entries(const struct bi_collision_slices *a, int64_t t)
{
    struct bi_collision_walk w;
    int64_t count = 0;
    bi_collision_walk_begin(a, a->first + t, &w);
    while (bi_collision_walk_next(a, &w)) {
        uint64_t linear = bi_collision_voxel_number(&a->grid, w.voxel);
        if (!bi_collision_is_entry(a, &w, linear)) continue;
        count++;
        if (w.i < a->soup.a_count) continue;
        bi_atomic_or_u32(&a->grid.b_bits[bi_collision_table_word(&a->grid, linear)], (uint32_t)1 << (linear & 31));
    }
    a->counts[a->first + t] = count;
}

BI_FN void bi_step_fill_entries(const struct bi_collision_slices *a, int64_t t)
{
    struct bi_collision_walk w;
    int64_t to = a->counts[t], end = a->counts[t + 1];
    if (to == end) return;
    bi_collision_walk_begin(a, t, &w);
    while (to < end && bi_collision_walk_next(a, &w)) {
        uint64_t linear = bi_collision_voxel_number(&a->grid, w.voxel);
        if (!bi_collision_is_entry(a, &w, linear)) continue;
        a->keys[to] = linear << 1 | (w.i >= a->soup.a_count);
        a->triangles[to++] = (uint32_t)w.i;
    }
}

#endif
