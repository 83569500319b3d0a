/* A walk over the occupied voxels near a point. */
#ifndef BI_VOXELGRID_STEPS_WALK_H
#define BI_VOXELGRID_STEPS_WALK_H

#include "voxelgrid/steps/voxel.h"

/* A walk over the occupied voxels of a box, row by row; the last coordinate runs fastest. Up to
 * BI_VOXELGRID_MAX_ROWS rows are all looked up. In larger boxes the walk skips from one occupied voxel to the next
 * position inside the box, so that empty space costs nothing. */
struct bi_voxelgrid_walk {
    struct bi_voxelgrid_coords low, high;
    int64_t position;       /* next position; only ascends */
    uint64_t row, length;   /* small boxes: key of the first row, and voxels of each */
    int32_t at[2], rows[2]; /* small boxes: next row and rows, by the first coordinates; else rows[0] is 0 */
};

enum { BI_VOXELGRID_MAX_ROWS = 64 }; /* more: more lookups of empty voxels; not measured */

/* Advances `voxel` to the first voxel of the box that is not before it; false if there is none. */
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

/* The next non-empty row of a small box; false at the end. */
BI_FN bool bi_voxelgrid_walk_row(const struct bi_voxelgrid_view *v, struct bi_voxelgrid_walk *w, int64_t *begin,
                                 int64_t *end)
{
    /* Distances of the keys of neighbouring rows and planes. */
    uint64_t row_pitch = v->side[v->dim - 1], plane_pitch = v->dim > 2 ? row_pitch * v->side[1] : 0;
    while (w->at[0] < w->rows[0]) {
        uint64_t row = w->row + (uint64_t)w->at[0] * plane_pitch + (uint64_t)w->at[1] * row_pitch;
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
            w->position = bi_voxelgrid_find_voxel(v, &next, false);
            continue;
        }
        next.at[v->dim - 1] = w->high.at[v->dim - 1];
        *begin = w->position;
        *end = w->position = bi_voxelgrid_find_voxel(v, &next, true);
        return true;
    }
    return false;
}

/* Begins a walk at a position, over all points nearer than `reach` to q in every coordinate. Exact: q - reach,
 * rounded, is at most any number above q - reach, and so is its voxel. False if no voxel of the grid is in reach.
 * Points are sorted by voxel, and so by key. Positions before `position` are skipped. `reach` is at least 0; no point
 * is near a q with a NaN. */
BI_FN bool bi_voxelgrid_walk_begin(const struct bi_voxelgrid_view *v, struct bi_voxelgrid_walk *w, const double *q,
                                   double reach, int64_t position)
{
    uint64_t rows[BI_VOXELGRID_DIM] = {1, 1, 1}; /* voxels of the box along each coordinate; 0: 2^64 */
    /* 1. Box of the walk, cut to the extent. */
    for (int32_t c = 0; c < v->dim; c++) {
        bool all = reach > 0x1.fffffffffffffp1023; /* infinite: q - reach may be NaN */
        int64_t low = all ? v->low.at[c] : bi_voxelgrid_voxel_coordinate(q[c] - reach, v->cell);
        int64_t high = all ? v->high.at[c] : bi_voxelgrid_voxel_coordinate(q[c] + reach, v->cell);
        if (low > v->high.at[c] || high < v->low.at[c]) return false;
        w->low.at[c] = low < v->low.at[c] ? v->low.at[c] : low;
        w->high.at[c] = high > v->high.at[c] ? v->high.at[c] : high;
        rows[c] = (uint64_t)w->high.at[c] - (uint64_t)w->low.at[c] + 1;
    }
    /* 2. Small boxes: rows by keys. Large ones: start at the first position inside. */
    w->position = position;
    w->rows[0] = w->rows[1] = w->at[0] = w->at[1] = 0;
    w->row = w->length = 0;
    if (v->n == 0) return false;
    uint64_t first = v->dim > 2 ? rows[0] : 1, second = v->dim > 1 ? rows[v->dim - 2] : 1;
    if (v->keyed && v->key_bits < 64 && first <= BI_VOXELGRID_MAX_ROWS && second <= BI_VOXELGRID_MAX_ROWS &&
        first * second <= BI_VOXELGRID_MAX_ROWS) {
        w->rows[0] = (int32_t)first;
        w->rows[1] = (int32_t)second;
        w->row = bi_voxelgrid_voxel_key(v, &w->low);
        w->length = rows[v->dim - 1];
    } else {
        w->rows[1] = 0; /* unused in large boxes, as the next two; compilers do not see it */
        w->row = w->length = 0;
        int64_t begin = bi_voxelgrid_find_voxel(v, &w->low, false);
        if (begin > position) w->position = begin;
    }
    return true;
}

#endif
