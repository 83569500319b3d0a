/* Builds one side of a root, on the rank that holds it. */
#ifndef BI_KDTREE_SIDE_H
#define BI_KDTREE_SIDE_H

#include "kdtree/kdtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* bosc_kdtree_build by the published method. The rows are reachable, contiguous, and already sorted by the last
 * superkey, (dim - 1, 0, 1, ...). */
bosc_status bi_kdtree_build_side(bosc_ctx *ctx, bosc_kdtree *side, const void *points, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
