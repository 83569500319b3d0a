/* Handles of k-d trees: checks of what callers give, and the blocks that a tree keeps. */
#ifndef BI_KDTREE_HANDLE_H
#define BI_KDTREE_HANDLE_H

#include "core/check.h"
#include "kdtree/kdtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Whether the context can reach the tree; BOSC_ERR_ARG with the reason. */
bosc_status bi_kdtree_check_tree(bosc_ctx *ctx, const bosc_kdtree *tree);

/* As bi_kdtree_check_tree, and every row of the build must be a node. */
bosc_status bi_kdtree_check_has_rows(bosc_ctx *ctx, const bosc_kdtree *tree);

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_kdtree_check_opts(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree_opts *full);

/* A number of points; BOSC_ERR_LIMIT if a tree cannot hold that many. */
bosc_status bi_kdtree_check_size(bosc_ctx *ctx, int64_t n);

/* The caller's array of `count` rows; `array` and `count_name` are the names of the arguments. */
bosc_status bi_kdtree_check_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, const void *data,
                                 const char *count_name, int64_t count, int64_t stride, struct bi_kdtree_rows *rows);

/* ids and dist2 of the tree's types (either may be NULL). */
bosc_status bi_kdtree_check_answers(bosc_ctx *ctx, const bosc_kdtree *tree, const void *ids, const void *dist2);

/* k nearest of so many queries. */
bosc_status bi_kdtree_check_k(bosc_ctx *ctx, int64_t k, int64_t query_count);

/* Bytes of a squared distance. */
size_t bi_kdtree_dist2_size(const bosc_kdtree *tree);

/* Brings rows in reach and looks for a NaN in them (unless assume_valid); `array` names them in the message. */
bosc_status bi_kdtree_stage_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, struct bi_kdtree_rows *rows,
                                 bool *staged);

/* The same without the look, and the error of a row with a NaN. */
bosc_status bi_kdtree_reach_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool *staged);
bosc_status bi_kdtree_refuse_nan(bosc_ctx *ctx, const char *array, int64_t row);

/* A new, empty tree with these (full) options. */
bosc_status bi_kdtree_new(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* The blocks of a tree. */
enum { BI_KDTREE_BLOCKS = 5 };
void bi_kdtree_list_blocks(const bosc_kdtree *tree, struct bi_block list[BI_KDTREE_BLOCKS]);

/* Blocks for n nodes (and n rows where duplicates are removed): the tree's own where they are large enough, else new
 * ones. */
bosc_status bi_kdtree_reserve_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bosc_kdtree *next);
/* The least and the largest number of each coordinate (2 x dim, host), of a tree that has nodes. Made by the first call
 * after a build, by whichever of the threads that query the tree comes first, and kept. */
bosc_status bi_kdtree_extents(bosc_ctx *ctx, const bosc_kdtree *tree, const double **extents);
void bi_kdtree_forget_extents(bosc_kdtree *tree);

/* Makes *tree what *next is, and frees the blocks that only *tree held; or frees those that only *next holds. */
void bi_kdtree_commit(bosc_kdtree *tree, const bosc_kdtree *next);
void bi_kdtree_abandon(const bosc_kdtree *tree, const bosc_kdtree *next);

/* Adds the seconds since *since to *stage, once the work of the stage is done. */
bosc_status bi_kdtree_end_stage(bosc_ctx *ctx, double *since, double *stage);

#ifdef __cplusplus
}
#endif
#endif
