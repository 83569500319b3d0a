/* Steps that read both meshes: transformed vertices, their bounds, and the triangles that can touch. */
#ifndef BI_COLLISION_STEPS_MESHES_H
#define BI_COLLISION_STEPS_MESHES_H

#include "base/atomic.h"
#include "base/bits.h"
#include "base/search.h"
#include "collision/collision.h"

#define BI_COLLISION_LEAST 0x1p-250
#define BI_COLLISION_MOST 0x1p250

BI_FN double bi_collision_number(const struct bi_collision_input *m, int64_t at)
{
    return m->wide ? ((const double *)m->vertices)[at] : (double)((const float *)m->vertices)[at];
}

/* Vertex i where its mesh stands in this frame. */
BI_FN void bi_collision_place(const struct bi_collision_input *m, int64_t i, double *to)
{
    double p[BI_COLLISION_DIM];
    for (int c = 0; c < BI_COLLISION_DIM; c++) p[c] = bi_collision_number(m, i * m->stride + c);
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        const double *t = m->transform + 4 * c;
        to[c] = m->transformed ? t[0] * p[0] + t[1] * p[1] + t[2] * p[2] + t[3] : p[c];
    }
}

/* Neither a NaN nor one whose products over- or underflow. */
BI_FN bool bi_collision_is_good(double x)
{
    double size = x < 0 ? -x : x;
    return size == 0 || (size >= BI_COLLISION_LEAST && size <= BI_COLLISION_MOST);
}

/* Items are the numbers below BI_COLLISION_ITEMS (or below the vertices of a mesh); item t takes the vertices t,
 * t + items, t + 2 items, ... of mesh `which`. */
enum { BI_COLLISION_ITEMS = 32768 };

struct bi_collision_vertices {
    struct bi_collision_meshes meshes;
    int64_t items;
    int which;
};

BI_FN void bi_step_vertices(const struct bi_collision_vertices *a, int64_t t)
{
    const struct bi_collision_input *m = &a->meshes.mesh[a->which];
    double *to = a->meshes.positions + (a->which ? BI_COLLISION_DIM * a->meshes.mesh[0].vertex_count : 0);
    uint64_t *found = a->meshes.found, low[BI_COLLISION_DIM], high[BI_COLLISION_DIM];
    for (int c = 0; c < BI_COLLISION_DIM; c++) low[c] = high[c] = UINT64_MAX;
    for (int64_t i = t; i < m->vertex_count; i += a->items) {
        double p[BI_COLLISION_DIM];
        bool good = true;
        bi_collision_place(m, i, p);
        for (int c = 0; c < BI_COLLISION_DIM; c++) {
            uint64_t key = bi_key_u64_of_f64(p[c]);
            good &= bi_collision_is_good(p[c]);
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

/* The common part of both boxes along coordinate c; empty where *low > *high. */
BI_FN void bi_collision_common(const uint64_t *found, int c, double *low, double *high)
{
    double a_low = bi_f64_of_key(found[BI_COLLISION_LOW + c]);
    double b_low = bi_f64_of_key(found[BI_COLLISION_LOW + BI_COLLISION_DIM + c]);
    double a_high = bi_f64_of_key(~found[BI_COLLISION_HIGH + c]);
    double b_high = bi_f64_of_key(~found[BI_COLLISION_HIGH + BI_COLLISION_DIM + c]);
    *low = a_low > b_low ? a_low : b_low;
    *high = a_high < b_high ? a_high : b_high;
}

/* The positions of triangle i's corners, of both meshes; false where it has a vertex that there is not. */
BI_FN bool bi_collision_corners(const struct bi_collision_meshes *a, int64_t i, const double *corner[3])
{
    int which = i >= a->mesh[0].triangle_count;
    const struct bi_collision_input *m = &a->mesh[which];
    const double *positions = a->positions + (which ? BI_COLLISION_DIM * a->mesh[0].vertex_count : 0);
    int64_t own = which ? i - a->mesh[0].triangle_count : i;
    for (int k = 0; k < 3; k++) {
        uint64_t v = m->wide_indices ? (uint64_t)((const int64_t *)m->triangles)[3 * own + k]
                                     : ((const uint32_t *)m->triangles)[3 * own + k];
        if (v >= (uint64_t)m->vertex_count) return false;
        corner[k] = positions + BI_COLLISION_DIM * v;
    }
    return true;
}

/* The least and the greatest of three. */
BI_FN double bi_collision_min3(double x, double y, double z) { return x < y ? (x < z ? x : z) : (y < z ? y : z); }
BI_FN double bi_collision_max3(double x, double y, double z) { return x > y ? (x > z ? x : z) : (y > z ? y : z); }

/* Whether triangle i meets the common part. */
struct bi_collision_near {
    struct bi_collision_meshes meshes;
    uint8_t *keep;
    uint32_t *ids;
};

BI_FN void bi_step_near(const struct bi_collision_near *a, int64_t i)
{
    const double *p[3];
    int64_t a_triangles = a->meshes.mesh[0].triangle_count;
    bool meets = bi_collision_corners(&a->meshes, i, p);
    a->ids[i] = (uint32_t)i;
    if (!meets) {
        int which = i >= a_triangles;
        bi_atomic_min_u64(&a->meshes.found[BI_COLLISION_BAD_TRIANGLE + which], (uint64_t)(which ? i - a_triangles : i));
    }
    for (int c = 0; c < BI_COLLISION_DIM && meets; c++) {
        double low, high;
        bi_collision_common(a->meshes.found, c, &low, &high);
        meets =
            bi_collision_min3(p[0][c], p[1][c], p[2][c]) <= high && bi_collision_max3(p[0][c], p[1][c], p[2][c]) >= low;
    }
    a->keep[i] = meets;
}

/* What the host reads back of the above. */
struct bi_collision_region {
    int64_t count, a_count; /* triangles that are kept; -1: something must be refused */
    double low[BI_COLLISION_DIM], high[BI_COLLISION_DIM];
};

/* One item. */
struct bi_collision_summary {
    const uint64_t *found;
    const uint32_t *ids; /* of the triangles that are kept */
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
    for (int c = 0; c < BI_COLLISION_DIM; c++) bi_collision_common(a->found, c, &r->low[c], &r->high[c]);
}

/* The corners of the i-th triangle that is kept, and the greatest edge of its box. */
struct bi_collision_gather {
    struct bi_collision_meshes meshes;
    const uint32_t *ids;
    double *corners, *extents;
};

BI_FN void bi_step_gather(const struct bi_collision_gather *a, int64_t i)
{
    const double *p[3];
    double extent = 0;
    if (!bi_collision_corners(&a->meshes, a->ids[i], p)) return; /* none such is kept */
    for (int c = 0; c < BI_COLLISION_DIM; c++) {
        double size = bi_collision_max3(p[0][c], p[1][c], p[2][c]) - bi_collision_min3(p[0][c], p[1][c], p[2][c]);
        extent = size > extent ? size : extent;
        for (int k = 0; k < 3; k++) a->corners[BI_COLLISION_CORNERS * i + 3 * k + c] = p[k][c];
    }
    a->extents[i] = extent;
}

#endif
