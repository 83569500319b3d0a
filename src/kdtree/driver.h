/* Between the front door and the drivers: arguments are checked, handles are good. */
#ifndef BI_KDTREE_DRIVER_H
#define BI_KDTREE_DRIVER_H

#include "kdtree/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The table of the context's backend. */
const struct bi_kdtree_ops *bi_kd_ops(const bosc_ctx *ctx);

/* Whether the context can reach the tree; BOSC_ERR_ARG with the reason. */
bosc_status bi_kd_check_tree(bosc_ctx *ctx, const bosc_kdtree *tree);

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_kd_check_opts(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree_opts *full);

/* Rows of the caller's named `array`, `count` of them under the name `n_name`. */
bosc_status bi_kd_check_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, const void *data,
                             const char *n_name, int64_t count, int64_t stride, struct bi_kd_rows *rows);

/* A new, empty tree with these (full) options. */
bosc_status bi_kd_new(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* Brings rows in reach and looks for a NaN in them (unless assume_valid); `array` names them in the message. */
bosc_status bi_kd_stage_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, struct bi_kd_rows *rows,
                             bool *staged);

/* Blocks for n nodes (and n rows where duplicates are removed): those of `tree` where they do, else new ones. */
bosc_status bi_kd_reserve_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bosc_kdtree *next);
/* Makes *tree what *next is, and frees the blocks that only *tree held; or frees those that only *next holds. */
void bi_kd_commit(bosc_kdtree *tree, const bosc_kdtree *next);
void bi_kd_abandon(const bosc_kdtree *tree, const bosc_kdtree *next);
/* Moves the tree to the larger blocks of *next. */
bosc_status bi_kd_move(bosc_ctx *ctx, bosc_kdtree *tree, const bosc_kdtree *next);

bosc_status bi_kd_build(bosc_ctx *ctx, bosc_kdtree *tree, struct bi_kd_rows rows);
/* Scratch of bi_kd_build with host points. */
int64_t bi_kd_build_scratch(const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts, int64_t n);

/* Lists of references ordered by each superkey that the tree of n nodes needs; see presort.c. */
struct bi_kd_lists {
    int32_t used; /* min(dim, depth) */
    int64_t n;
    uint32_t *in[32], *out[32];
};
bosc_status bi_kd_take_lists(bosc_ctx *ctx, const bosc_kdtree_opts *opts, int64_t n, struct bi_kd_lists *lists);
/* Merge sorts by superkey, the published method; or stable radix sorts, 2 dim - 1 of them. */
bosc_status bi_kd_merge_sort_lists(bosc_ctx *ctx, const bosc_kdtree_opts *opts, const struct bi_kd_rows *rows,
                                   struct bi_kd_lists *lists);
bosc_status bi_kd_radix_sort_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                   const struct bi_kd_rows *rows, struct bi_kd_lists *lists);
/* Partitions the lists level by level and stores the tree. */
bosc_status bi_kd_partition_lists(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kd_rows *rows,
                                  struct bi_kd_lists *lists);
/* perm = the n rows in the order of superkey `first`, by stable radix sorts. */
bosc_status bi_kd_radix_superkey(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                                 const struct bi_kd_rows *rows, int32_t first, uint32_t *perm);

/* Runs of equal points among the sorted rows; see unique.c. */
struct bi_kd_runs {
    int64_t n, count;
    const uint32_t *perm; /* n rows in the order of a superkey, then of the row */
    uint32_t *ranks;      /* n: one more than the run of each */
    uint32_t *names;      /* the first row of each run */
    uint32_t *starts;     /* where each run begins in perm */
};
bosc_status bi_kd_find_runs(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                            const struct bi_kd_rows *rows, const uint32_t *perm, struct bi_kd_runs *runs);
/* Finds the runs by list 0 and keeps only the first row of each run in every list. */
bosc_status bi_kd_drop_lists(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                             const struct bi_kd_rows *rows, struct bi_kd_lists *lists, struct bi_kd_runs *runs);
/* The rows that name runs, packed. */
bosc_status bi_kd_unique_rows(bosc_ctx *ctx, const struct bi_kdtree_ops *ops, const bosc_kdtree_opts *opts,
                              const struct bi_kd_rows *rows, const struct bi_kd_runs *runs, struct bi_kd_rows *unique);
/* Fills inverse and counts of a built tree whose ids are rows; `where` is scratch for n references. */
bosc_status bi_kd_keep_runs(bosc_ctx *ctx, bosc_kdtree *next, const struct bi_kd_runs *runs, uint32_t *where);

/* Seconds since some time. */
double bi_kd_now(void);

/* Scratch for `count` elements of `size` bytes. */
bosc_status bi_kd_scratch(bosc_ctx *ctx, int64_t count, size_t size, void **p);

#ifdef __cplusplus
}
#endif
#endif
