/* Voxels of points, their keys, and where they are in the order of a grid. */
#ifndef BI_SPATIAL_VOXEL_H
#define BI_SPATIAL_VOXEL_H

#include <math.h>

#include "base/bits.h"
#include "spatial/grid.h"

#define BI_GRID_FAR 0x1p62

/* Rows of the caller's points. */
struct bi_grid_rows {
    const void *data;
    int64_t n, stride;
    bosc_dtype dtype;
    int32_t dim;
};

/* Coordinate c of row i as a number of the distance type: exact for F32, rounded to double otherwise. */
BI_FN double bi_grid_number(const struct bi_grid_rows *r, int64_t i, int32_t c)
{
    int64_t at = i * r->stride + c;
    switch (r->dtype) {
    case BOSC_F32: return (double)((const float *)r->data)[at];
    case BOSC_F64: return ((const double *)r->data)[at];
    case BOSC_I32: return (double)((const int32_t *)r->data)[at];
    default: return (double)((const int64_t *)r->data)[at];
    }
}

/* The voxel coordinate of x: never less for a greater x, since rounding and floor keep the order. */
BI_FN int64_t bi_grid_voxel(double x, double cell)
{
    double v = floor(x / cell);
    if (!(v > -BI_GRID_FAR)) return -((int64_t)1 << 62);
    return v < BI_GRID_FAR ? (int64_t)v : (int64_t)1 << 62;
}

/* Coordinate c of the point at a place of the order. */
BI_FN double bi_grid_at(const struct bi_grid_view *v, int64_t place, int32_t c)
{
    int64_t at = place * v->dim + c;
    return v->wide ? ((const double *)v->points)[at] : (double)((const float *)v->points)[at];
}

BI_FN uint64_t bi_grid_key(const struct bi_grid_view *v, int64_t place)
{
    return v->wide_keys ? ((const uint64_t *)v->keys)[place] : ((const uint32_t *)v->keys)[place];
}

/* The key of a voxel within the extent. */
BI_FN uint64_t bi_grid_pack(const struct bi_grid_view *v, const struct bi_grid_cell *cell)
{
    uint64_t key = 0;
    for (int32_t c = 0; c < v->dim; c++) /* a coordinate of 64 bits is the only one that has any */
        key = (v->bits[c] < 64 ? key << v->bits[c] : 0) | ((uint64_t)cell->at[c] - (uint64_t)v->low.at[c]);
    return key;
}

BI_FN struct bi_grid_cell bi_grid_unpack(const struct bi_grid_view *v, uint64_t key)
{
    struct bi_grid_cell cell = {{0, 0, 0}};
    for (int32_t c = v->dim - 1; c >= 0; c--) {
        uint64_t all = v->bits[c] < 64 ? ((uint64_t)1 << v->bits[c]) - 1 : UINT64_MAX;
        cell.at[c] = (int64_t)((key & all) + (uint64_t)v->low.at[c]);
        key = v->bits[c] < 64 ? key >> v->bits[c] : 0;
    }
    return cell;
}

/* The voxel of the point at a place. */
BI_FN struct bi_grid_cell bi_grid_cell_at(const struct bi_grid_view *v, int64_t place)
{
    struct bi_grid_cell cell = {{0, 0, 0}};
    if (v->keyed) return bi_grid_unpack(v, bi_grid_key(v, place));
    for (int32_t c = 0; c < v->dim; c++) cell.at[c] = bi_grid_voxel(bi_grid_at(v, place, c), v->cell);
    return cell;
}

/* -1, 0 or 1. */
BI_FN int bi_grid_compare(const struct bi_grid_view *v, const struct bi_grid_cell *a, const struct bi_grid_cell *b)
{
    for (int32_t c = 0; c < v->dim; c++)
        if (a->at[c] != b->at[c]) return a->at[c] < b->at[c] ? -1 : 1;
    return 0;
}

/* The first place whose voxel is not before `cell`, or if `after` the first whose voxel is after it. */
BI_FN int64_t bi_grid_find(const struct bi_grid_view *v, const struct bi_grid_cell *cell, bool after)
{
    int64_t begin = 0, end = v->n;
    uint64_t key = 0;
    if (v->keyed) {
        key = bi_grid_pack(v, cell) + after;
        uint64_t entry = key >> v->shift;
        if ((after && key == 0) || entry >> v->index_bits) return v->n;
        begin = v->starts[entry];
        if (v->shift == 0) return begin;
        end = v->starts[entry + 1];
    }
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        bool before;
        if (v->keyed) {
            before = bi_grid_key(v, middle) < key;
        } else {
            struct bi_grid_cell there = bi_grid_cell_at(v, middle);
            before = bi_grid_compare(v, &there, cell) < after;
        }
        if (before)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* A walk over the occupied voxels of a box, row by row: the last coordinate runs. It goes from one occupied voxel to
 * the next place where the box can go on, so that empty space costs nothing, however large the box. */
struct bi_grid_walk {
    struct bi_grid_cell low, high;
    int64_t place; /* how far it has come */
};

/* The first voxel of the box that is not before `cell`; false if there is none. */
BI_FN bool bi_grid_into_box(const struct bi_grid_view *v, const struct bi_grid_walk *w, struct bi_grid_cell *cell)
{
    int32_t c = 0;
    while (c < v->dim && cell->at[c] >= w->low.at[c] && cell->at[c] <= w->high.at[c]) c++;
    if (c == v->dim) return true;
    if (cell->at[c] > w->high.at[c]) { /* the next row, plane, ... */
        do {
            if (--c < 0) return false;
        } while (cell->at[c] == w->high.at[c]);
        cell->at[c++]++;
    }
    for (; c < v->dim; c++) cell->at[c] = w->low.at[c];
    return true;
}

/* The next places [begin, end) whose voxels are in the box; false at the end. */
BI_FN bool bi_grid_walk_next(const struct bi_grid_view *v, struct bi_grid_walk *w, int64_t *begin, int64_t *end)
{
    while (w->place < v->n) {
        struct bi_grid_cell cell = bi_grid_cell_at(v, w->place), next = cell;
        if (!bi_grid_into_box(v, w, &next)) return false;
        if (bi_grid_compare(v, &cell, &next) != 0) {
            w->place = bi_grid_find(v, &next, false);
            continue;
        }
        next.at[v->dim - 1] = w->high.at[v->dim - 1];
        *begin = w->place;
        *end = w->place = bi_grid_find(v, &next, true);
        return true;
    }
    return false;
}

/* The box of all that can be nearer than `reach` to a point in every coordinate: q - reach, rounded, is not above any
 * number that is above q - reach, and neither is its voxel. False if no voxel of the grid is in reach. */
BI_FN bool bi_grid_box(const struct bi_grid_view *v, struct bi_grid_walk *w, const double *q, double reach)
{
    for (int32_t c = 0; c < v->dim; c++) {
        bool all = reach > 0x1.fffffffffffffp1023;
        int64_t low = all ? v->low.at[c] : bi_grid_voxel(q[c] - reach, v->cell);
        int64_t high = all ? v->high.at[c] : bi_grid_voxel(q[c] + reach, v->cell);
        if (low > v->high.at[c] || high < v->low.at[c]) return false;
        w->low.at[c] = low < v->low.at[c] ? v->low.at[c] : low;
        w->high.at[c] = high > v->high.at[c] ? v->high.at[c] : high;
    }
    return v->n > 0;
}

/* A walk over all of it. */
BI_FN bool bi_grid_walk_begin(const struct bi_grid_view *v, struct bi_grid_walk *w, const double *q, double reach)
{
    if (!bi_grid_box(v, w, q, reach)) return false;
    w->place = bi_grid_find(v, &w->low, false);
    return true;
}

/* The squared distance of the point at a place from the query: terms added in the order of the coordinates, in float
 * or double; infinite if it is no number. The same bits as in k-d trees. */
BI_FN double bi_grid_dist2(const struct bi_grid_view *v, int64_t place, const double *q)
{
    if (!v->wide) {
        const float *p = (const float *)v->points + place * v->dim;
        float s = 0;
        for (int32_t c = 0; c < v->dim; c++) {
            float d = (float)q[c] - p[c];
            s = s + d * d;
        }
        return s == s ? (double)s : (double)INFINITY;
    }
    const double *p = (const double *)v->points + place * v->dim;
    double s = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        double d = q[c] - p[c];
        s = s + d * d;
    }
    return s == s ? s : (double)INFINITY;
}

#endif
