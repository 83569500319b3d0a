/* Finds the nearest points with other labels: repeatedly for one tree, or for queries outside the tree. */
#ifndef BI_KDTREE_NEAREST_OTHER_LABEL_H
#define BI_KDTREE_NEAREST_OTHER_LABEL_H

#include "kdtree/blocks.h"
#include "kdtree/steps/nearest_other_label.h"

#ifdef __cplusplus
extern "C" {
#endif

/* make_labelled_blocks: makes the blocks of a non-empty tree, with room for labels, in scratch. label_blocks:
 * (re)labels them by the labels of the tree's rows. */
bosc_status bi_kdtree_make_labelled_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_blocks *blocks);
bosc_status bi_kdtree_label_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, const void *labels,
                                   struct bi_kdtree_blocks *blocks);

/* Sets the core distances of blocks, in scratch, from those by row (of the distance type, in reach): distances are then
 * under mutual reachability. */
bosc_status bi_kdtree_set_cores(bosc_ctx *ctx, const bosc_kdtree *tree, const void *cores,
                                struct bi_kdtree_blocks *blocks);

/* Bounds of the searches for all rows, and distances that rows of a label share (struct bi_kdtree_nearest_other_label
 * of steps/nearest_other_label.h); in reach. */
struct bi_kdtree_shared_bounds {
    void *bounds; /* by row, of the distance type; lowered where a search shares and has no result; < 0: no search */
    const void *least; /* by row, of the distance type: no result is nearer; unused without `best` */
    uint64_t *best;    /* by label; NULL: not shared */
};

/* Lowers best[label], for every label, to the distance of some node with it from one without it. The tree has two
 * labels or more. */
bosc_status bi_kdtree_bound_labels(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_blocks *blocks,
                                   uint64_t *best);

/* As bosc_kdtree_nearest_other, with the labels of the blocks. With shared distances, best[label] becomes the
 * smallest distance of the label; rows with a neighbour at it receive theirs, and other rows may receive none. The
 * tree's ids have 32 bits; all arrays are in reach. */
bosc_status bi_kdtree_nearest_other_in(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_blocks *blocks,
                                       const struct bi_kdtree_shared_bounds *shared, uint32_t *ids, void *dist2);

/* Queries in reach, without gaps. */
struct bi_kdtree_labelled_queries {
    struct bi_kdtree_rows rows;
    const uint32_t *labels; /* rows.n */
    const void *bounds;     /* rows.n, of the distance type: none is negative */
    /* rows.n, of the distance type: core distances, where the blocks have some; else NULL. */
    const void *cores;
};

/* As bosc_kdtree_nearest_other, for queries, with the labels and core distances of the blocks; ids and dist2 have one
 * for each query. The tree's ids have 32 bits; all arrays are in reach. */
bosc_status bi_kdtree_query_other_label(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_blocks *blocks,
                                        const struct bi_kdtree_labelled_queries *queries, uint32_t *ids, void *dist2);

#ifdef __cplusplus
}
#endif
#endif
