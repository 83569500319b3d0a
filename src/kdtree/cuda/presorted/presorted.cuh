/* Trees from presorted lists, on the device: the upper levels of all points at once, and the subtrees below. */
#ifndef BI_KDTREE_CUDA_PRESORTED_PRESORTED_CUH
#define BI_KDTREE_CUDA_PRESORTED_PRESORTED_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum { BI_KDTREE_MOST_LISTS = 32 }; /* a tree has no more levels, so no more lists are used */

/* The lists of the levels from `level` on: list s, of `count`, belongs to level + s. The references of subtree i begin
 * i positions before its nodes, as the i medians between subtrees are removed. */
struct bi_kdtree_presorted {
    int64_t n;
    int32_t level, dim, count;
    const uint32_t *list[BI_KDTREE_MOST_LISTS];
};

/* Returns log2 of the largest subtree that one block makes. */
int bi_kdtree_presorted_log(const bosc_ctx *ctx, int64_t n, int32_t dim);

/* Makes the subtrees: order[i] = the reference of node i. `numbers`: scratch, an element a reference. */
bosc_status bi_kdtree_run_presorted_subtrees(bosc_ctx *ctx, const struct bi_kdtree_presorted &lists, int log_points,
                                             uint16_t *numbers, uint32_t *order);

#endif
