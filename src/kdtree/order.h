/* How points are ordered and how far apart they are: the same for rows of the caller's and for nodes of any layout. */
#ifndef BI_KDTREE_ORDER_H
#define BI_KDTREE_ORDER_H

#include <math.h>

#include "base/bits.h"
#include "kdtree/kdtree.h"

/* The ordered integer key of element `at`. */
BI_FN uint64_t bi_kdtree_key(const void *data, int64_t at, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return bi_key_u32_of_f32(((const float *)data)[at]);
    case BOSC_F64: return bi_key_u64_of_f64(((const double *)data)[at]);
    case BOSC_I32: return bi_key_u32_of_i32(((const int32_t *)data)[at]);
    default: return bi_key_u64_of_i64(((const int64_t *)data)[at]);
    }
}

/* Element `at` as a number of the distance type: exact for F32, rounded to double otherwise. */
BI_FN double bi_kdtree_number(const void *data, int64_t at, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return (double)((const float *)data)[at];
    case BOSC_F64: return ((const double *)data)[at];
    case BOSC_I32: return (double)((const int32_t *)data)[at];
    default: return (double)((const int64_t *)data)[at];
    }
}

BI_FN int32_t bi_kdtree_cycle(int32_t c, int32_t dim) { return c + 1 == dim ? 0 : c + 1; }

/* Where coordinate c of node i is. */
BI_FN int64_t bi_kdtree_at(const struct bi_kdtree_view *v, int64_t i, int32_t c)
{
    int64_t in_block = i & (((int64_t)1 << v->log2_block) - 1);
    return ((((i >> v->log2_block) * v->pitch) + c) << v->log2_block) | in_block;
}

BI_FN uint32_t bi_kdtree_id(const struct bi_kdtree_view *v, int64_t i) { return v->ids[i * v->id_stride]; }

/* -1, 0 or 1: how nodes i and j compare by the superkey that begins at coordinate `first`, then by id. */
BI_FN int bi_kdtree_compare_nodes(const struct bi_kdtree_view *v, int64_t i, int64_t j, int32_t first)
{
    for (int32_t t = 0, c = first; t < v->dim; t++, c = bi_kdtree_cycle(c, v->dim)) {
        uint64_t a = bi_kdtree_key(v->points, bi_kdtree_at(v, i, c), v->dtype);
        uint64_t b = bi_kdtree_key(v->points, bi_kdtree_at(v, j, c), v->dtype);
        if (a != b) return a < b ? -1 : 1;
    }
    uint32_t a = bi_kdtree_id(v, i), b = bi_kdtree_id(v, j);
    return a < b ? -1 : a > b;
}

/* As bi_kdtree_compare_nodes for rows of the caller's; 0 for equal points. */
BI_FN int bi_kdtree_compare_rows(const struct bi_kdtree_rows *r, bosc_dtype dtype, int32_t dim, int64_t i, int64_t j,
                                 int32_t first)
{
    for (int32_t t = 0, c = first; t < dim; t++, c = bi_kdtree_cycle(c, dim)) {
        uint64_t a = bi_kdtree_key(r->data, i * r->stride + c, dtype),
                 b = bi_kdtree_key(r->data, j * r->stride + c, dtype);
        if (a != b) return a < b ? -1 : 1;
    }
    return 0;
}

/* The squared distance of node i from the query at q, terms added in the order of the coordinates; in float for F32,
 * in double otherwise; +inf instead of NaN. Every distance of the library has these bits. */
BI_FN double bi_kdtree_dist2(const struct bi_kdtree_view *v, int64_t i, const void *q)
{
    if (v->dtype == BOSC_F32) {
        float s = 0;
        for (int32_t c = 0; c < v->dim; c++) {
            float d = ((const float *)q)[c] - ((const float *)v->points)[bi_kdtree_at(v, i, c)];
            s = s + d * d;
        }
        return s == s ? (double)s : (double)INFINITY;
    }
    double s = 0;
    for (int32_t c = 0; c < v->dim; c++) {
        double d = bi_kdtree_number(q, c, v->dtype) - bi_kdtree_number(v->points, bi_kdtree_at(v, i, c), v->dtype);
        s = s + d * d;
    }
    return s == s ? s : (double)INFINITY;
}

#endif
