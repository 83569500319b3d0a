/* Steps that join copies of points, before components are searched. A copy is a point whose coordinates are finite and
 * equal those of another (-0 equals 0): then their distance is 0. Copies are in one voxel, where positions ascend by
 * id; they become neighbours in an order by hashes of coordinates. Spanning trees need the smallest point at distance
 * 0, equal or not: kdtree/steps/copies.h. */
#ifndef BI_VOXELGRID_STEPS_COPIES_H
#define BI_VOXELGRID_STEPS_COPIES_H

#include "voxelgrid/steps/voxel.h"

/* Sizes of crowds, sampled: item s looks at position BI_VOXELGRID_CROWD_STRIDE * s, and finds how many positions on a
 * point is still within a voxel's edge in each coordinate, up to a factor of 2; 0 if fewer than
 * BI_VOXELGRID_SMALLEST_CROWD. Both limits are not measured. */
enum { BI_VOXELGRID_CROWD_STRIDE = 16, BI_VOXELGRID_SMALLEST_CROWD = 64 };

struct bi_voxelgrid_crowds {
    struct bi_voxelgrid_view view;
    int64_t *sizes;
};

BI_FN bool bi_voxelgrid_is_near(const struct bi_voxelgrid_view *v, int64_t i, int64_t j)
{
    int32_t c = 0;
    for (; c < v->dim; c++) {
        const double d = bi_voxelgrid_point_coordinate(v, i, c) - bi_voxelgrid_point_coordinate(v, j, c);
        if (!(d <= v->cell && d >= -v->cell)) break;
    }
    return c == v->dim;
}

BI_FN void bi_step_crowds(const struct bi_voxelgrid_crowds *a, int64_t s)
{
    int64_t i = s * BI_VOXELGRID_CROWD_STRIDE, size = 0, next = BI_VOXELGRID_SMALLEST_CROWD;
    for (; i + next < a->view.n && bi_voxelgrid_is_near(&a->view, i, i + next); next *= 2) size = next;
    a->sizes[s] = size;
}

/* The hash of the point at each position, and the position. */
struct bi_voxelgrid_hash_points {
    struct bi_voxelgrid_view view;
    uint32_t *hashes, *positions;
};

BI_FN void bi_step_hash_points(const struct bi_voxelgrid_hash_points *a, int64_t i)
{
    uint64_t hash = 0;
    for (int32_t c = 0; c < a->view.dim; c++) {
        const double x = bi_voxelgrid_point_coordinate(&a->view, i, c);
        hash = bi_mix_u64((hash << 1) + bi_f64_bits(x == 0 ? 0 : x));
    }
    a->hashes[i] = (uint32_t)(hash >> 32);
    a->positions[i] = (uint32_t)i;
}

/* Items are entries of the order by (hash, position). An entry whose point equals the one before is a copy. Points of
 * equal hash may part copies, which then count as different points. */
struct bi_voxelgrid_copies {
    struct bi_voxelgrid_view view;
    const uint32_t *hashes, *positions;
    uint32_t *first;  /* by entry: that of the first of the equal points, by a maximum scan; 0 at copies before it */
    uint8_t *keep;    /* by position: 0 for copies */
    uint32_t *ranks;  /* by position, n + 1: 1 if kept, 0 after the last; then kept positions before it, by a scan */
    uint32_t *parent; /* by id */
};

BI_FN bool bi_voxelgrid_is_copy(const struct bi_voxelgrid_view *v, int64_t i, int64_t j)
{
    int32_t c = 0; /* the difference of infinities is NaN */
    while (c < v->dim && bi_voxelgrid_point_coordinate(v, i, c) - bi_voxelgrid_point_coordinate(v, j, c) == 0) c++;
    return c == v->dim;
}

BI_FN void bi_step_mark_copies(const struct bi_voxelgrid_copies *a, int64_t e)
{
    const uint32_t position = a->positions[e];
    const bool is_copy =
        e > 0 && a->hashes[e] == a->hashes[e - 1] && bi_voxelgrid_is_copy(&a->view, position, a->positions[e - 1]);
    a->first[e] = is_copy ? 0 : (uint32_t)e;
    a->keep[position] = !is_copy;
    a->ranks[position] = !is_copy;
    if (e == 0) a->ranks[a->view.n] = 0;
}

/* Makes the first of the equal points, which has the smallest id, the parent of its copies. */
BI_FN void bi_step_join_copies(const struct bi_voxelgrid_copies *a, int64_t e)
{
    const uint32_t first = a->positions[a->first[e]];
    a->parent[bi_voxelgrid_id_at(&a->view, a->positions[e])] = bi_voxelgrid_id_at(&a->view, first);
}

/* The index of the kept positions. */
struct bi_voxelgrid_kept_starts {
    const uint32_t *starts, *ranks;
    uint32_t *kept;
};

BI_FN void bi_step_kept_starts(const struct bi_voxelgrid_kept_starts *a, int64_t e)
{
    a->kept[e] = a->ranks[a->starts[e]];
}

#endif
