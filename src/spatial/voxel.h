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
    double v = x / cell;
    if (!(v > -BI_GRID_FAR)) return -((int64_t)1 << 62);
    if (!(v < BI_GRID_FAR)) return (int64_t)1 << 62;
    int64_t towards_0 = (int64_t)v; /* exact, and so is its way back */
    return towards_0 - (v < (double)towards_0);
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

/* The first place with at least this key, which may be one more than the largest. */
BI_FN int64_t bi_grid_find_key(const struct bi_grid_view *v, uint64_t key)
{
    uint64_t entry = key >> v->shift;
    if (entry >> v->index_bits) return v->n;
    int64_t begin = v->starts[entry];
    if (v->shift == 0) return begin;
    int64_t end = v->starts[entry + 1];
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (bi_grid_key(v, middle) < key)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* The first place whose voxel is not before `cell`, or if `after` the first whose voxel is after it. */
BI_FN int64_t bi_grid_find(const struct bi_grid_view *v, const struct bi_grid_cell *cell, bool after)
{
    int64_t begin = 0, end = v->n;
    if (v->keyed) {
        uint64_t key = bi_grid_pack(v, cell) + after;
        return after && key == 0 ? v->n : bi_grid_find_key(v, key);
    }
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        struct bi_grid_cell there = bi_grid_cell_at(v, middle);
        if (bi_grid_compare(v, &there, cell) < after)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* A walk over the occupied voxels of a box, row by row: the last coordinate runs. A few rows are all looked up; a walk
 * over many goes from one occupied voxel to the next place where the box can go on, so that empty space costs nothing,
 * however large the box. */
struct bi_grid_walk {
    struct bi_grid_cell low, high;
    int64_t place;          /* how far it has come; it never goes back */
    uint64_t row, length;   /* few rows: the key where the next one begins, and the voxels of each */
    int32_t at[2], rows[2]; /* its number along the first coordinates; rows[0] is 0 where there are many */
};

enum { BI_GRID_FEW = 64 };

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

/* The next of few rows that has places; false at the end. */
BI_FN bool bi_grid_walk_row(const struct bi_grid_view *v, struct bi_grid_walk *w, int64_t *begin, int64_t *end)
{
    int32_t below = v->dim > 1 ? v->bits[v->dim - 1] : 0, beside = v->dim > 2 ? below + v->bits[1] : 0;
    while (w->at[0] < w->rows[0]) {
        uint64_t row = w->row + ((uint64_t)w->at[0] << beside) + ((uint64_t)w->at[1] << below);
        int64_t from = bi_grid_find_key(v, row);
        *end = bi_grid_find_key(v, row + w->length);
        *begin = from < w->place ? w->place : from;
        if (++w->at[1] == w->rows[1]) {
            w->at[1] = 0;
            w->at[0]++;
        }
        if (*begin < *end) return true;
    }
    return false;
}

/* The next places [begin, end) whose voxels are in the box; false at the end. */
BI_FN bool bi_grid_walk_next(const struct bi_grid_view *v, struct bi_grid_walk *w, int64_t *begin, int64_t *end)
{
    if (w->rows[0]) return bi_grid_walk_row(v, w, begin, end);
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

/* Begins a walk, at a place of the order, over all that can be nearer than `reach` to a point in every coordinate:
 * q - reach, rounded, is not above any number that is above q - reach, and neither is its voxel. False if no voxel of
 * the grid is in reach. */
BI_FN bool bi_grid_walk_begin(const struct bi_grid_view *v, struct bi_grid_walk *w, const double *q, double reach,
                              int64_t place)
{
    uint64_t rows[BI_GRID_DIM] = {1, 1, 1}; /* of the box along each coordinate; 0: 2^64 */
    for (int32_t c = 0; c < v->dim; c++) {
        bool all = reach > 0x1.fffffffffffffp1023;
        int64_t low = all ? v->low.at[c] : bi_grid_voxel(q[c] - reach, v->cell);
        int64_t high = all ? v->high.at[c] : bi_grid_voxel(q[c] + reach, v->cell);
        if (low > v->high.at[c] || high < v->low.at[c]) return false;
        w->low.at[c] = low < v->low.at[c] ? v->low.at[c] : low;
        w->high.at[c] = high > v->high.at[c] ? v->high.at[c] : high;
        rows[c] = (uint64_t)w->high.at[c] - (uint64_t)w->low.at[c] + 1;
    }
    w->place = place;
    w->rows[0] = w->at[0] = w->at[1] = 0;
    if (v->n == 0) return false;
    uint64_t first = v->dim > 2 ? rows[0] : 1, second = v->dim > 1 ? rows[v->dim - 2] : 1;
    if (v->keyed && v->key_bits < 64 && first <= BI_GRID_FEW && second <= BI_GRID_FEW &&
        first * second <= BI_GRID_FEW) {
        w->rows[0] = (int32_t)first;
        w->rows[1] = (int32_t)second;
        w->row = bi_grid_pack(v, &w->low);
        w->length = rows[v->dim - 1];
    } else {
        int64_t begin = bi_grid_find(v, &w->low, false);
        if (begin > place) w->place = begin;
    }
    return true;
}

/* The squared distance of the point at a place from the query: terms added in the order of the coordinates, in float
 * or double; infinite if it is no number. The same bits as in k-d trees. */
BI_FN double bi_grid_dist2(const struct bi_grid_view *v, int64_t place, const double *q)
{
    if (!v->wide) {
        const float *p = (const float *)v->points + place * v->dim;
        float d = (float)q[0] - p[0], s = d * d;
        if (v->dim > 1) {
            d = (float)q[1] - p[1];
            s = s + d * d;
        }
        if (v->dim > 2) {
            d = (float)q[2] - p[2];
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
