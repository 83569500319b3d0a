/* The nearest points with other labels than those of queries that are not points of the tree. */
#ifndef BI_KDTREE_NEAREST_OTHER_LABEL_H
#define BI_KDTREE_NEAREST_OTHER_LABEL_H

#include "kdtree/kdtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Queries in reach, without gaps. */
struct bi_kdtree_labelled_queries {
    struct bi_kdtree_rows rows;
    const uint32_t *labels; /* rows.n */
    const void *bounds;     /* rows.n, of the distance type: none is negative */
};

/* As bosc_kdtree_nearest_other, for queries: labels (nodes) are those of the tree's rows; ids and dist2 have one for
 * each query. The tree is not empty and its ids have 32 bits; all arrays are in reach. */
bosc_status bi_kdtree_query_other_label(bosc_ctx *ctx, const bosc_kdtree *tree, const uint32_t *labels,
                                        const struct bi_kdtree_labelled_queries *queries, uint32_t *ids, void *dist2);

#ifdef __cplusplus
}
#endif
#endif
