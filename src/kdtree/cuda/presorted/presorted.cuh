/* Trees from presorted lists, on the device: the upper levels of all points at once, and the subtrees below. */
#ifndef BI_KDTREE_CUDA_PRESORTED_PRESORTED_CUH
#define BI_KDTREE_CUDA_PRESORTED_PRESORTED_CUH

#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum { BI_KDTREE_MOST_LISTS = 32 }; /* a tree has no more levels, so no more lists are used */

/* The lists of the levels from `level` on: list s is that of level + s, of which there are `count`. References of
 * subtree i begin i places before those of the tree, as the i medians between subtrees are gone. */
struct bi_kdtree_presorted {
    int64_t n;
    int32_t level, dim, count;
    const uint32_t *list[BI_KDTREE_MOST_LISTS];
};

/* log2 of the most points of the subtrees that one block makes. */
int bi_kdtree_presorted_log(const bosc_ctx *ctx, int64_t n, int32_t dim);

/* Makes the subtrees: order[i] = the reference of node i. `names` is scratch by reference. */
bosc_status bi_kdtree_run_presorted_subtrees(bosc_ctx *ctx, const struct bi_kdtree_presorted &lists, int log_points,
                                             uint16_t *names, uint32_t *order);

#endif
