/* One side of a root, built by the rank that has it. */
#ifndef BI_KDTREE_SIDE_H
#define BI_KDTREE_SIDE_H

#include "kdtree/kdtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* As bosc_kdtree_build, by the published method, of rows in reach and without gaps that are in the order of the last
 * superkey, (dim - 1, 0, 1, ...), already: so there is no sort by that one. */
bosc_status bi_kdtree_build_side(bosc_ctx *ctx, bosc_kdtree *side, const void *points, int64_t n);

#ifdef __cplusplus
}
#endif
#endif
