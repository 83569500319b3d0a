/* The order of points, for rows of the caller and nodes of any layout. Distances are in boscage/device/kdtree.h. */
#ifndef BI_KDTREE_ORDER_H
#define BI_KDTREE_ORDER_H

#include <math.h>

#include "base/bits.h"
#include "kdtree/kdtree.h"

/* The range of coordinates with ordinary squares: sums of up to 1024 squares of differences of coordinates up to
 * `largest` do not overflow; differences of coordinates beyond `least` have squares of full precision. */
BI_FN double bi_kdtree_largest_ordinary(bosc_dtype dtype) { return dtype == BOSC_F32 ? 0x1p57 : 0x1p505; }
BI_FN double bi_kdtree_least_ordinary(bosc_dtype dtype) { return dtype == BOSC_F32 ? 0x1p-40 : 0x1p-459; }

/* Returns the ordered integer key of element `at`. */
BI_FN uint64_t bi_kdtree_key(const void *data, int64_t at, bosc_dtype dtype)
{
    switch (dtype) {
    case BOSC_F32: return bi_key_u32_of_f32(((const float *)data)[at]);
    case BOSC_F64: return bi_key_u64_of_f64(((const double *)data)[at]);
    case BOSC_I32: return bi_key_u32_of_i32(((const int32_t *)data)[at]);
    default: return bi_key_u64_of_i64(((const int64_t *)data)[at]);
    }
}

BI_FN int32_t bi_kdtree_cycle(int32_t c, int32_t dim) { return c + 1 == dim ? 0 : c + 1; }

/* Compares nodes i and j by the superkey that begins at coordinate `first`, then by id. Returns -1, 0 or 1. */
BI_FN int bi_kdtree_compare_nodes(const bosc_kdtree_view *v, int64_t i, int64_t j, int32_t first)
{
    for (int32_t t = 0, c = first; t < v->dim; t++, c = bi_kdtree_cycle(c, v->dim)) {
        uint64_t a = bi_kdtree_key(v->points, bosc_kdtree_element(v, i, c), v->dtype);
        uint64_t b = bi_kdtree_key(v->points, bosc_kdtree_element(v, j, c), v->dtype);
        if (a != b) return a < b ? -1 : 1;
    }
    uint32_t a = bosc_kdtree_id(v, i), b = bosc_kdtree_id(v, j);
    return a < b ? -1 : a > b;
}

/* Compares rows i and j by the superkey that begins at coordinate `first`. Returns -1, 0 or 1. */
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

#endif
