/* What the drivers of builds give each other: sorted rows, presorted lists, and runs of equal points. */
#ifndef BI_KDTREE_DRIVERS_H
#define BI_KDTREE_DRIVERS_H

#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows in the order of superkey 0, then of their numbers; see presort.c. */
struct bi_kdtree_sorted {
    uint32_t *perm; /* which rows they are */
    struct bi_kdtree_rows rows;
};
bosc_status bi_kdtree_sort_rows(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                const struct bi_kdtree_rows *rows, struct bi_kdtree_sorted *sorted);

/* The sorted rows as references 0, 1, 2, ..., ordered by each superkey that their tree needs. */
bosc_status bi_kdtree_sort_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                 const struct bi_kdtree_rows *sorted, struct bi_kdtree_lists *lists);
/* order[i] = the reference of node i; the lists are used up. */
bosc_status bi_kdtree_partition_lists(bosc_ctx *ctx, const bosc_kdtree *next, struct bi_kdtree_lists *lists,
                                      uint32_t **order);
/* The tree of all rows from such lists. */
bosc_status bi_kdtree_build_presorted(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows);

/* The published method; see brown.c. last_sorted: the rows are in the order of superkey dim - 1, which is then not
 * sorted by. */
bosc_status bi_kdtree_build_brown(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows,
                                  bool last_sorted);

/* Runs of equal points among the sorted rows; see deduplicate.c. */
struct bi_kdtree_runs {
    int64_t n, count;
    struct bi_kdtree_rows rows; /* the first row of each run */
    const uint32_t *perm;       /* of the n sorted rows */
    uint32_t *ranks;            /* n: one more than the run of each */
    uint32_t *names;            /* the number of the first row of each run */
    uint32_t *starts;           /* where each run begins */
    uint32_t *where;            /* room for the node of each run; NULL where duplicates are kept */
    uint32_t *nodes;            /* room for the node of each row */
};
/* Room for what is known of n rows' runs. */
bosc_status bi_kdtree_take_runs(bosc_ctx *ctx, int64_t n, struct bi_kdtree_runs *runs);
bosc_status bi_kdtree_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                const struct bi_kdtree_sorted *sorted, struct bi_kdtree_runs *runs);
/* The tree of the runs of sorted rows, by presorted lists. */
bosc_status bi_kdtree_build_sorted(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs);

/* Names the nodes of a built tree, whose ids are runs, by rows, and fills inverse and counts. */
bosc_status bi_kdtree_keep_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs);
/* The tree whose node i is row order[i] of `rows` (NULL: row i) and has the id ids[i] (NULL: order[i]); and where
 * duplicates are removed, its inverse and counts. */
struct bi_kdtree_stored {
    struct bi_kdtree_rows rows;
    const uint32_t *order, *ids;
};
bosc_status bi_kdtree_store_nodes(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                  const struct bi_kdtree_stored *stored);
/* The same where node i is run order[i]; names it too. */
bosc_status bi_kdtree_store_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                 const uint32_t *order);

#ifdef __cplusplus
}
#endif
#endif
