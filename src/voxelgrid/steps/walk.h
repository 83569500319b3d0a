/* A walk over the occupied voxels near a point. */
#ifndef BI_VOXELGRID_STEPS_WALK_H
#define BI_VOXELGRID_STEPS_WALK_H

#include "voxelgrid/steps/voxel.h"

/* A walk over the occupied voxels of a box, row by row: the last coordinate runs. A few rows are all looked up; a walk
 * over many goes from one occupied voxel to the next position where the box can go on, so that empty space costs
 * nothing, however large the box. */
struct bi_voxelgrid_walk {
    struct bi_voxelgrid_coords low, high;
    int64_t position;       /* how far it has come; it never goes back */
    uint64_t row, length;   /* few rows: the key where the next one begins, and the voxels of each */
    int32_t at[2], rows[2]; /* its number along the first coordinates; rows[0] is 0 where there are many */
};

enum { BI_VOXELGRID_MAX_ROWS = 64 };

/* The first voxel of the box that is not before `voxel`; false if there is none. */
BI_FN bool bi_voxelgrid_enter_box(const struct bi_voxelgrid_view *v, const struct bi_voxelgrid_walk *w,
                                  struct bi_voxelgrid_coords *voxel)
{
    int32_t c = 0;
    while (c < v->dim && voxel->at[c] >= w->low.at[c] && voxel->at[c] <= w->high.at[c]) c++;
    if (c == v->dim) return true;
    if (voxel->at[c] > w->high.at[c]) { /* the next row, plane, ... */
        do {
            if (--c < 0) return false;
        } while (voxel->at[c] == w->high.at[c]);
        voxel->at[c++]++;
    }
    for (; c < v->dim; c++) voxel->at[c] = w->low.at[c];
    return true;
}

/* The next of few rows that has positions; false at the end. */
BI_FN bool bi_voxelgrid_walk_row(const struct bi_voxelgrid_view *v, struct bi_voxelgrid_walk *w, int64_t *begin,
                                 int64_t *end)
{
    uint64_t below = v->side[v->dim - 1], beside = v->dim > 2 ? below * v->side[1] : 0;
    while (w->at[0] < w->rows[0]) {
        uint64_t row = w->row + (uint64_t)w->at[0] * beside + (uint64_t)w->at[1] * below;
        int64_t from = bi_voxelgrid_find_key(v, row);
        *end = bi_voxelgrid_find_key(v, row + w->length);
        *begin = from < w->position ? w->position : from;
        if (++w->at[1] == w->rows[1]) {
            w->at[1] = 0;
            w->at[0]++;
        }
        if (*begin < *end) return true;
    }
    return false;
}

/* The next positions [begin, end) whose voxels are in the box; false at the end. */
BI_FN bool bi_voxelgrid_walk_next(const struct bi_voxelgrid_view *v, struct bi_voxelgrid_walk *w, int64_t *begin,
                                  int64_t *end)
{
    if (w->rows[0]) return bi_voxelgrid_walk_row(v, w, begin, end);
    while (w->position < v->n) {
        struct bi_voxelgrid_coords voxel = bi_voxelgrid_voxel_at(v, w->position), next = voxel;
        if (!bi_voxelgrid_enter_box(v, w, &next)) return false;
        if (bi_voxelgrid_compare(v, &voxel, &next) != 0) {
            w->position = bi_voxelgrid_find(v, &next, false);
            continue;
        }
        next.at[v->dim - 1] = w->high.at[v->dim - 1];
        *begin = w->position;
        *end = w->position = bi_voxelgrid_find(v, &next, true);
        return true;
    }
    return false;
}

/* Begins a walk, at a position of the order, over all that can be nearer than `reach` to a point in every coordinate:
 * q - reach, rounded, is not above any number that is above q - reach, and neither is its voxel. False if no voxel of
 * the grid is in reach. */
BI_FN bool bi_voxelgrid_walk_begin(const struct bi_voxelgrid_view *v, struct bi_voxelgrid_walk *w, const double *q,
                                   double reach, int64_t position)
{
    uint64_t rows[BI_VOXELGRID_DIM] = {1, 1, 1}; /* of the box along each coordinate; 0: 2^64 */
    for (int32_t c = 0; c < v->dim; c++) {
        bool all = reach > 0x1.fffffffffffffp1023;
        int64_t low = all ? v->low.at[c] : bi_voxelgrid_coordinate(q[c] - reach, v->cell);
        int64_t high = all ? v->high.at[c] : bi_voxelgrid_coordinate(q[c] + reach, v->cell);
        if (low > v->high.at[c] || high < v->low.at[c]) return false;
        w->low.at[c] = low < v->low.at[c] ? v->low.at[c] : low;
        w->high.at[c] = high > v->high.at[c] ? v->high.at[c] : high;
        rows[c] = (uint64_t)w->high.at[c] - (uint64_t)w->low.at[c] + 1;
    }
    w->position = position;
    w->rows[0] = w->at[0] = w->at[1] = 0;
    if (v->n == 0) return false;
    uint64_t first = v->dim > 2 ? rows[0] : 1, second = v->dim > 1 ? rows[v->dim - 2] : 1;
    if (v->keyed && v->key_bits < 64 && first <= BI_VOXELGRID_MAX_ROWS && second <= BI_VOXELGRID_MAX_ROWS &&
        first * second <= BI_VOXELGRID_MAX_ROWS) {
        w->rows[0] = (int32_t)first;
        w->rows[1] = (int32_t)second;
        w->row = bi_voxelgrid_pack(v, &w->low);
        w->length = rows[v->dim - 1];
    } else {
        int64_t begin = bi_voxelgrid_find(v, &w->low, false);
        if (begin > position) w->position = begin;
    }
    return true;
}

#endif
