/* Between the front door and the drivers: arguments are checked, handles are good. */
#ifndef BI_KDTREE_DRIVERS_H
#define BI_KDTREE_DRIVERS_H

#include "core/check.h"
#include "kdtree/steps/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the context can reach the tree; BOSC_ERR_ARG with the reason. */
bosc_status bi_kdtree_check_tree(bosc_ctx *ctx, const bosc_kdtree *tree);

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_kdtree_check_opts(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree_opts *full);

/* Rows of the caller's named `array`, `count` of them under the name `n_name`. */
bosc_status bi_kdtree_check_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, const void *data,
                                 const char *n_name, int64_t count, int64_t stride, struct bi_kdtree_rows *rows);

/* ids and dist2 of the tree's types (either may be NULL). */
bosc_status bi_kdtree_check_answers(bosc_ctx *ctx, const bosc_kdtree *tree, const void *ids, const void *dist2);

/* A new, empty tree with these (full) options. */
bosc_status bi_kdtree_new(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* Brings rows in reach and looks for a NaN in them (unless assume_valid); `array` names them in the message. */
bosc_status bi_kdtree_stage_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, struct bi_kdtree_rows *rows,
                                 bool *staged);

/* Blocks for n nodes (and n rows where duplicates are removed): those of `tree` where they do, else new ones. */
bosc_status bi_kdtree_reserve_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bosc_kdtree *next);
/* Makes *tree what *next is, and frees the blocks that only *tree held; or frees those that only *next holds. */
void bi_kdtree_commit(bosc_kdtree *tree, const bosc_kdtree *next);
void bi_kdtree_abandon(const bosc_kdtree *tree, const bosc_kdtree *next);
/* Moves the tree to the larger blocks of *next. */
bosc_status bi_kdtree_move(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree *next);

bosc_status bi_kdtree_build(bosc_ctx *ctx, bosc_kdtree *tree, struct bi_kdtree_rows rows);
/* Scratch of bi_kdtree_build with host points. */
int64_t bi_kdtree_build_scratch(const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts, int64_t n);

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
/* All of these, and the tree. */
bosc_status bi_kdtree_build_presorted(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_rows *rows);

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
bosc_status bi_kdtree_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                const struct bi_kdtree_sorted *sorted, struct bi_kdtree_runs *runs);
/* Names the nodes of a built tree, whose ids are runs, by rows, and fills inverse and counts. */
bosc_status bi_kdtree_keep_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs);
/* The tree whose node i is run order[i]: names, nodes, inverse and counts. */
bosc_status bi_kdtree_store_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kdtree_runs *runs,
                                 const uint32_t *order);

/* Seconds since some time. */
double bi_kdtree_now(void);

#ifdef __cplusplus
}
#endif
#endif
