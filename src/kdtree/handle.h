/* Handles of k-d trees: checks of arguments, the blocks of a tree, and the build of one side of a root. */
#ifndef BI_KDTREE_HANDLE_H
#define BI_KDTREE_HANDLE_H

#include "core/check.h"
#include "kdtree/kdtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fails with BOSC_ERR_ARG and the reason if the context cannot reach the tree. */
bosc_status bi_kdtree_check_tree(bosc_ctx *ctx, const bosc_kdtree *tree);

/* bi_kdtree_check_tree, and fails if some row of the build is not a node. */
bosc_status bi_kdtree_check_has_rows(bosc_ctx *ctx, const bosc_kdtree *tree);

/* Copies the caller's options and fills in the defaults. */
bosc_status bi_kdtree_check_opts(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree_opts *full);

/* Checks a number of points; BOSC_ERR_LIMIT if a tree cannot hold it. */
bosc_status bi_kdtree_check_size(bosc_ctx *ctx, int64_t n);

/* Checks the caller's array of `count` rows; `array` and `count_name` are the names of the arguments. */
bosc_status bi_kdtree_check_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, const void *data,
                                 const char *count_name, int64_t count, int64_t stride, struct bi_kdtree_rows *rows);

/* Checks the alignment of ids and dist2 of the tree's types (either may be NULL). */
bosc_status bi_kdtree_check_answers(bosc_ctx *ctx, const bosc_kdtree *tree, const void *ids, const void *dist2);

/* Checks k for query_count queries. */
bosc_status bi_kdtree_check_k(bosc_ctx *ctx, int64_t k, int64_t query_count);

/* Returns the bytes of a squared distance. */
size_t bi_kdtree_dist2_size(const bosc_kdtree *tree);

/* Stage rows for the backend and check them for NaN, unless assume_valid; `array`: their name in messages.
 * magnitude: receives that of the points (ORDINARY if assume_valid). ordinary: receives false if the difference of a
 * query and a point of an ordinary tree may have a square that overflows. */
bosc_status bi_kdtree_stage_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array, struct bi_kdtree_rows *rows,
                                 bool *staged);
bosc_status bi_kdtree_stage_points(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows,
                                   enum bi_kdtree_magnitude *magnitude, bool *staged);
bosc_status bi_kdtree_stage_queries(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool *ordinary,
                                    bool *staged);

/* *magnitude = that of rows in reach; LARGE too if one holds a NaN. */
bosc_status bi_kdtree_find_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                     enum bi_kdtree_magnitude *magnitude);

/* The parts of bi_kdtree_stage_rows: without the check, and the check for NaN alone. */
bosc_status bi_kdtree_reach_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows, bool *staged);
bosc_status bi_kdtree_refuse_nan(bosc_ctx *ctx, const bosc_kdtree *tree, const char *array,
                                 const struct bi_kdtree_rows *rows);

/* Requests that the root of later builds splits by a coordinate other than 0; backends may ignore it (tree->first).
 * Answers of searches are the same; bosc_kdtree_get_nodes, saved trees and proofs would not be. */
void bi_kdtree_begin_at(bosc_kdtree *tree, int32_t coordinate);

/* Creates an empty tree with these (full) options. */
bosc_status bi_kdtree_new(bosc_ctx *ctx, const bosc_kdtree_opts *opts, bosc_kdtree **tree);

/* The blocks of a tree. */
enum { BI_KDTREE_BLOCKS = 5 };
void bi_kdtree_list_blocks(const bosc_kdtree *tree, struct bi_block list[BI_KDTREE_BLOCKS]);

/* Sets *next to a copy of the tree with blocks for n nodes (and n rows if duplicates are removed): the tree's own
 * blocks if they are large enough, else new ones. */
bosc_status bi_kdtree_reserve_blocks(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t n, bosc_kdtree *next);

/* The handle of another order of a tree's nodes (tree->order). create: without blocks, of the tree's allocators; it
 * serves all builds. reserve: allocates its blocks points, ids and index where they are smaller than `bytes`. may_make:
 * true if a search may allocate what the order lacks: not after the caller has reserved memory for the tree. */
bosc_status bi_kdtree_create_order(bosc_ctx *ctx, bosc_kdtree *tree);
bosc_status bi_kdtree_reserve_order(bosc_ctx *ctx, bosc_kdtree *tree, const size_t bytes[3]);
bool bi_kdtree_may_make_order(const bosc_kdtree *tree, const size_t bytes[3]);

/* Returns the least and the greatest of each coordinate (2 x dim, host) of a tree with nodes. The first call after a
 * build computes them; they are cached. */
bosc_status bi_kdtree_extents(bosc_ctx *ctx, const bosc_kdtree *tree, const double **extents);
size_t bi_kdtree_extents_size(const bosc_kdtree *tree);

/* commit: replaces *tree by *next, and frees the blocks only in *tree. abandon: frees the blocks only in *next. */
void bi_kdtree_commit(bosc_kdtree *tree, const bosc_kdtree *next);
void bi_kdtree_abandon(const bosc_kdtree *tree, const bosc_kdtree *next);

/* bosc_kdtree_build by the published method of one side of a root, on the rank that holds it. The rows are reachable,
 * contiguous, and already sorted by the last superkey, (dim - 1, 0, 1, ...). */
bosc_status bi_kdtree_build_side(bosc_ctx *ctx, bosc_kdtree *side, const void *points, int64_t n);

/* Rebuilds a tree that is not ordinary (bi_kdtree_magnitude) from its points times a power of two.
 * *scale: that power; 1 if the tree is ordinary and unchanged. *exact: no product is rounded. */
bosc_status bi_kdtree_make_ordinary(bosc_ctx *ctx, bosc_kdtree *tree, double *scale, bool *exact);

/* Adds the seconds since *since to *stage, once the work of the stage is done. */
bosc_status bi_kdtree_end_stage(bosc_ctx *ctx, double *since, double *stage);

#ifdef __cplusplus
}
#endif
#endif
