/* Steps that read both meshes: transformed vertices, bounds, and the triangles near the common part. */
#ifndef BI_COLLISION_STEPS_MESHES_H
#define BI_COLLISION_STEPS_MESHES_H

#include "base/atomic.h"
#include "base/bits.h"
#include "base/search.h"
#include "collision/collision.h"

/* Sizes of coordinates for which no product of the exact tests overflows or underflows. */
#define BI_COLLISION_MIN_SIZE 0x1p-250
#define BI_COLLISION_MAX_SIZE 0x1p250

BI_FN double bi_collision_read_coordinate(const struct bi_collision_input *m, int64_t at)
{
    return m->is_f64 ? ((const double *)m->vertices)[at] : (double)((const float *)m->vertices)[at];
}

/* Transforms vertex i to its position in this frame. */
BI_FN void bi_collision_transform(const struct bi_collision_input *m, int64_t i, double *to)
{
    double p[BI_COLLISION_DIM];
    for (int c = 0; c < BI_COLLISION_DIM; c++) p[c] = bi_collision_read_coordinate(m, i * m->stride + c);
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        const double *t = m->transform + 4 * c;
        to[c] = m->transformed ? t[0] * p[0] + t[1] * p[1] + t[2] * p[2] + t[3] : p[c];
    }
}

/* False for a NaN, and where products may overflow or underflow. */
BI_FN bool bi_collision_in_range(double x)
{
    double size = x < 0 ? -x : x;
    return size == 0 || (size >= BI_COLLISION_MIN_SIZE && size <= BI_COLLISION_MAX_SIZE);
}

/* Item t reads the vertices t, t + items, t + 2 items, ... of mesh `which`; there are min(vertices,
 * BI_COLLISION_ITEMS) items. */
enum { BI_COLLISION_ITEMS = 32768 };

struct bi_collision_vertices {
    struct bi_collision_meshes meshes;
    int64_t items;
    int which;
};

/* Transforms vertices, and updates the mesh's box and first bad vertex. */
BI_FN void bi_step_vertices(const struct bi_collision_vertices *a, int64_t t)
{
    const struct bi_collision_input *m = &a->meshes.mesh[a->which];
    double *to = a->meshes.positions + (a->which ? BI_COLLISION_DIM * a->meshes.mesh[0].vertex_count : 0);
    uint64_t *found = a->meshes.found, low[BI_COLLISION_DIM], high[BI_COLLISION_DIM];
    for (int c = 0; c < BI_COLLISION_DIM; c++) low[c] = high[c] = UINT64_MAX;
    for (int64_t i = t; i < m->vertex_count; i += a->items) {
        double p[BI_COLLISION_DIM];
        bool good = true;
        bi_collision_transform(m, i, p);
        for (int c = 0; c < BI_COLLISION_DIM; c++) {
            uint64_t key = bi_key_u64_of_f64(p[c]);
            good &= bi_collision_in_range(p[c]);
            to[BI_COLLISION_DIM * i + c] = p[c];
            low[c] = key < low[c] ? key : low[c];
            high[c] = ~key < high[c] ? ~key : high[c];
        }
        if (!good) bi_atomic_min_u64(&found[BI_COLLISION_BAD_VERTEX + a->which], (uint64_t)i);
    }
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        bi_atomic_min_u64(&found[BI_COLLISION_LOW + BI_COLLISION_DIM * a->which + c], low[c]);
        bi_atomic_min_u64(&found[BI_COLLISION_HIGH + BI_COLLISION_DIM * a->which + c], high[c]);
    }
}

/* Computes the common part of both boxes along coordinate c; empty if *low > *high. */
BI_FN void bi_collision_common_part(const uint64_t *found, int c, double *low, double *high)
{
    double a_low = bi_f64_of_key(found[BI_COLLISION_LOW + c]);
    double b_low = bi_f64_of_key(found[BI_COLLISION_LOW + BI_COLLISION_DIM + c]);
    double a_high = bi_f64_of_key(~found[BI_COLLISION_HIGH + c]);
    double b_high = bi_f64_of_key(~found[BI_COLLISION_HIGH + BI_COLLISION_DIM + c]);
    *low = a_low > b_low ? a_low : b_low;
    *high = a_high < b_high ? a_high : b_high;
}

/* Finds the corners of triangle i of both meshes; false if it has an invalid vertex. */
BI_FN bool bi_collision_corners(const struct bi_collision_meshes *a, int64_t i, const double *corner[3])
{
    int which = i >= a->mesh[0].triangle_count;
    const struct bi_collision_input *m = &a->mesh[which];
    const double *positions = a->positions + (which ? BI_COLLISION_DIM * a->mesh[0].vertex_count : 0);
    int64_t own = which ? i - a->mesh[0].triangle_count : i;
    for (int k = 0; k < 3; k++) {
        uint64_t v = m->indices_64bit ? (uint64_t)((const int64_t *)m->triangles)[3 * own + k]
                                      : ((const uint32_t *)m->triangles)[3 * own + k];
        if (v >= (uint64_t)m->vertex_count) return false;
        corner[k] = positions + BI_COLLISION_DIM * v;
    }
    return true;
}

/* The least and the greatest of three. */
BI_FN double bi_collision_min3(double x, double y, double z) { return x < y ? (x < z ? x : z) : (y < z ? y : z); }
BI_FN double bi_collision_max3(double x, double y, double z) { return x > y ? (x > z ? x : z) : (y > z ? y : z); }

/* Marks triangles that overlap the common part. */
struct bi_collision_near {
    struct bi_collision_meshes meshes;
    uint8_t *is_kept;
    uint32_t *ids;
};

/* Marks triangle i if its box overlaps the common part; records an invalid one. */
BI_FN void bi_step_near(const struct bi_collision_near *a, int64_t i)
{
    const double *p[3];
    int64_t a_triangles = a->meshes.mesh[0].triangle_count;
    bool is_near = bi_collision_corners(&a->meshes, i, p);
    a->ids[i] = (uint32_t)i;
    if (!is_near) {
        int which = i >= a_triangles;
        bi_atomic_min_u64(&a->meshes.found[BI_COLLISION_BAD_TRIANGLE + which], (uint64_t)(which ? i - a_triangles : i));
    }
    for (int c = 0; c < BI_COLLISION_DIM && is_near; c++) {
        double low, high;
        bi_collision_common_part(a->meshes.found, c, &low, &high);
        is_near =
            bi_collision_min3(p[0][c], p[1][c], p[2][c]) <= high && bi_collision_max3(p[0][c], p[1][c], p[2][c]) >= low;
    }
    a->is_kept[i] = is_near;
}

/* The common part and its triangles, read back by the host. */
struct bi_collision_region {
    int64_t count, a_count; /* near triangles; count -1: invalid input */
    double low[BI_COLLISION_DIM], high[BI_COLLISION_DIM];
};

/* The only item computes the region. */
struct bi_collision_summary {
    const uint64_t *found;
    const uint32_t *ids; /* of the near triangles */
    const int64_t *count;
    int64_t b_first;
    struct bi_collision_region *region;
};

BI_FN void bi_step_summary(const struct bi_collision_summary *a, int64_t i)
{
    struct bi_collision_region *r = a->region + i;
    bool good = true;
    for (int k = BI_COLLISION_BAD_VERTEX; k < BI_COLLISION_LOW; k++) good &= a->found[k] == UINT64_MAX;
    r->count = good ? *a->count : -1;
    r->a_count = bi_lower_bound_u32(a->ids, *a->count, (uint32_t)a->b_first);
    for (int c = 0; c < BI_COLLISION_DIM; c++) bi_collision_common_part(a->found, c, &r->low[c], &r->high[c]);
}

/* Gathers the corners of the i-th near triangle, and the longest edge of its box. */
struct bi_collision_gather {
    struct bi_collision_meshes meshes;
    const uint32_t *ids;
    double *corners, *extents;
};

BI_FN void bi_step_gather(const struct bi_collision_gather *a, int64_t i)
{
    const double *p[3];
    double extent = 0;
    if (!bi_collision_corners(&a->meshes, a->ids[i], p)) return; /* never: near triangles are valid */
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        double size = bi_collision_max3(p[0][c], p[1][c], p[2][c]) - bi_collision_min3(p[0][c], p[1][c], p[2][c]);
        extent = size > extent ? size : extent;
        for (int k = 0; k < 3; k++) a->corners[BI_COLLISION_CORNERS * i + 3 * k + c] = p[k][c];
    }
    a->extents[i] = extent;
}

#endif
