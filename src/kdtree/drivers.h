/* Shared by the drivers of builds: sorted rows, runs of equal points, the published method. */
#ifndef BI_KDTREE_DRIVERS_H
#define BI_KDTREE_DRIVERS_H

#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows sorted by superkey 0, then by number. */
struct bi_kdtree_sorted {
    uint32_t *perm; /* their numbers */
    struct bi_kdtree_rows rows;
};

/* The published method; see brown.c. last_sorted: the rows are already sorted by superkey dim - 1. */
bosc_status bi_kdtree_build_brown(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows,
                                  bool last_sorted);

/* Runs of equal points among the sorted rows; see deduplicate.c. */
struct bi_kdtree_runs {
    int64_t n, count;           /* rows; runs */
    struct bi_kdtree_rows rows; /* the first row of each run */
    const uint32_t *perm;       /* of the n sorted rows */
    uint32_t *ranks;            /* n: the run of each row, plus one */
    uint32_t *names;            /* the number of the first row of each run */
    uint32_t *starts;           /* begin of each run; n after the last */
    uint32_t *where;            /* scratch: the node of each run; NULL if duplicates are kept */
    uint32_t *nodes;            /* scratch: the node of each row */
};

/* Allocates the arrays of the runs of n rows. */
bosc_status bi_kdtree_allocate_runs(bosc_ctx *ctx, int64_t n, struct bi_kdtree_runs *runs);
bosc_status bi_kdtree_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                const struct bi_kdtree_sorted *sorted, struct bi_kdtree_runs *runs);

/* Replaces the ids of a built tree, which are runs, by rows, and fills inverse and counts. */
bosc_status bi_kdtree_write_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs);

/* Stores the tree whose node i is row order[i] of `rows` (NULL: row i) with id ids[i] (NULL: order[i]), and its inverse
 * and counts if duplicates are removed. */
struct bi_kdtree_stored {
    struct bi_kdtree_rows rows;
    const uint32_t *order, *ids;
};
bosc_status bi_kdtree_store_nodes(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                  const struct bi_kdtree_stored *stored);

/* bi_kdtree_store_nodes for runs as nodes: node i is run order[i], and its id the first row of that run. */
bosc_status bi_kdtree_store_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                 const uint32_t *order);

#ifdef __cplusplus
}
#endif
#endif
