/* The order of points by widest extent: segments are halved by the coordinate in which their points extend most, down
 * to runs of 32 points. Boxes of such runs are small, also where some coordinates extend little. */
#ifndef BI_KDTREE_CUDA_SEARCH_EXTENT_ORDER_CUH
#define BI_KDTREE_CUDA_SEARCH_EXTENT_ORDER_CUH

#include "core/cuda/launch.cuh"

enum {
    BI_KDTREE_RUN = 32,           /* points of a run; the last one may have fewer */
    BI_KDTREE_ORDER_MOST_DIM = 16 /* most coordinates of a point */
};

/* Points in device memory, as rows `pitch` elements apart; of F32, F64, I32 or I64 without NaN. */
struct bi_kdtree_order_points {
    const void *rows;
    bosc_dtype dtype;
    int32_t dim, pitch;
    uint32_t n; /* more than 0 */
};

/* Returns the bytes of scratch that bi_kdtree_order_by_extent needs. */
size_t bi_kdtree_extent_order_bytes(int64_t n, int32_t dim);

/* order[i] = the number of the i-th row, for n rows. `order` and `scratch` are aligned to 16 bytes. Points of one bin
 * may be in any order, and it may differ between calls. Queues kernels on the context's stream; does not wait. */
bosc_status bi_kdtree_order_by_extent(bosc_ctx *ctx, const struct bi_kdtree_order_points *points, uint32_t *order,
                                      void *scratch);

#endif
