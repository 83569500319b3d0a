/* What the files of the CUDA backend of k-d trees give each other. */
#ifndef BI_KDTREE_CUDA_CUDA_CUH
#define BI_KDTREE_CUDA_CUDA_CUH

#include "kdtree/cuda/point_layout.cuh"
#include "kdtree/kdtree.h"

static inline bi_kdtree_array bi_kdtree_array_of(const bosc_kdtree *tree)
{
    return {tree->points.data, static_cast<uint32_t *>(tree->ids.data)};
}

/* The fast builder (build/sampled_build.cu). *missed tells that its sampling failed and the tree is not made. */
bosc_status bi_kdtree_cuda_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool *missed);
int64_t bi_kdtree_cuda_build_scratch(const bosc_kdtree_opts *opts, int64_t n);

/* Rows to nodes and back (store_fetch.cu). */
bosc_status bi_kdtree_cuda_store(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const uint32_t *order, const uint32_t *ids);
bosc_status bi_kdtree_cuda_fetch(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids);

/* Trees from presorted lists of ranks (presorted/upper_levels.cu). */
bosc_status bi_kdtree_cuda_partition_by_rank(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_lists *lists,
                                             uint32_t *order);

/* The published method: duplicates (brown/remove_duplicates.cu), partition (brown/partition.cu). */
bosc_status bi_kdtree_cuda_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal);
int64_t bi_kdtree_cuda_partition_scratch(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                 uint32_t *order);

/* *bad becomes less if any node of a tree that there is a pass for is out of order, or any id wrong: one such node,
 * not always the smallest (verify.cu). */
bool bi_kdtree_cuda_has_disorder_pass(const bosc_kdtree_opts *opts);
bosc_status bi_kdtree_cuda_find_disorder(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *bad);

/* The index of searches (search/make_index.cu). */
size_t bi_kdtree_cuda_index_bytes(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_make_index(bosc_ctx *ctx, bosc_kdtree *tree);

/* What a search of m queries of a tree that has an index walks: the tree itself, or the same nodes in another order
 * (search/by_extent.cu). */
bosc_status bi_kdtree_cuda_searched(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t m, const bosc_kdtree **searched);

/* The searches, for trees that have an index (search/query.cu): the k nearest, those within a radius, those in
 * boxes. */
enum { BI_KDTREE_MOST_NEAREST = 32 };
size_t bi_kdtree_cuda_search_bytes(const bosc_kdtree_opts *opts, int64_t m);
bosc_status bi_kdtree_cuda_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

/* Begins to look for a NaN in at most BI_KDTREE_LOOKED_THROUGH rows of floats or doubles (look_for_nan.cu). Each block
 * of the look leaves the first bad row of its own in `bad`, or BI_KDTREE_NONE, for kernels launched behind it. */
enum { BI_KDTREE_LOOK_BLOCKS = 32, BI_KDTREE_LOOKED_THROUGH = 1 << 18 };
bosc_status bi_kdtree_cuda_begin_look(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                      uint32_t bad[BI_KDTREE_LOOK_BLOCKS]);

/* Waits for the end of the look, not of what was launched behind it: *row = the first bad row, INT64_MAX if none. What
 * the look tells lands in the context, so a call that fails between the two passes its status through leave_look. */
bosc_status bi_kdtree_cuda_end_look(bosc_ctx *ctx, int64_t *row);
bosc_status bi_kdtree_cuda_leave_look(bosc_ctx *ctx, bosc_status status);

/* The same with every node as a query, rows by id. */
bosc_status bi_kdtree_cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

#endif
