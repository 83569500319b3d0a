/* Functions that the files of the CUDA backend of k-d trees share. */
#ifndef BI_KDTREE_CUDA_CUDA_CUH
#define BI_KDTREE_CUDA_CUDA_CUH

#include "kdtree/cuda/point_layout.cuh"
#include "kdtree/kdtree.h"

static inline bi_kdtree_array bi_kdtree_array_of(const bosc_kdtree *tree)
{
    return {tree->points.data, static_cast<uint32_t *>(tree->ids.data)};
}

/* The fast builder (sampled/sampled_build.cu). *missed: its sampling failed, and there is no tree. */
bosc_status bi_kdtree_cuda_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows, bool *missed);
int64_t bi_kdtree_cuda_build_scratch(const bosc_kdtree_opts *opts, int64_t n);

/* Rows to nodes and back (store_fetch.cu). */
bosc_status bi_kdtree_cuda_store(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const uint32_t *order, const uint32_t *ids);
bosc_status bi_kdtree_cuda_fetch(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids);

/* Trees from presorted lists of ranks (presorted/upper_levels.cu). */
bosc_status bi_kdtree_cuda_partition_by_rank(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_lists *lists,
                                             uint32_t *order);

/* The published method: duplicates (published/remove_duplicates.cu), partition (published/partition.cu). */
bosc_status bi_kdtree_cuda_remove_duplicates(bosc_ctx *ctx, const struct bi_kdtree_removal *removal);
int64_t bi_kdtree_cuda_partition_scratch(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_partition_by_superkey(bosc_ctx *ctx, struct bi_kdtree_references *references,
                                                 uint32_t *order);

/* The fast verification (verify.cu), for trees that has_disorder_pass accepts. Lowers *bad to a node that is out of
 * order or has a wrong id, not always the smallest one. */
bool bi_kdtree_cuda_has_disorder_pass(const bosc_kdtree_opts *opts);
bosc_status bi_kdtree_cuda_find_disorder(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *bad);

/* The index of searches (search/make_index.cu). */
size_t bi_kdtree_cuda_index_bytes(const bosc_kdtree_opts *opts, int64_t n);
bosc_status bi_kdtree_cuda_make_index(bosc_ctx *ctx, bosc_kdtree *tree);

/* *searched = the tree that a search of m queries walks: the given one, or the same nodes in another order
 * (search/second_order.cu). The tree has an index. */
bosc_status bi_kdtree_cuda_select_order(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t m,
                                        const bosc_kdtree **searched);

/* The searches, for trees that have an index (search/query.cu): the k nearest, those within a radius, those in
 * boxes. */
enum { BI_KDTREE_MOST_NEAREST = 32 };
size_t bi_kdtree_cuda_search_bytes(const bosc_kdtree_opts *opts, int64_t m);
bosc_status bi_kdtree_cuda_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_box_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_cuda_box_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

/* Launches a NaN check of at most BI_KDTREE_NAN_CHECK_ROWS rows of floats or doubles (find_nan.cu). Each block writes
 * its first bad row, or BI_KDTREE_NONE, to `bad`, for kernels that are launched later. */
enum { BI_KDTREE_NAN_BLOCKS = 32, BI_KDTREE_NAN_CHECK_ROWS = 1 << 18 };
bosc_status bi_kdtree_cuda_start_nan_check(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim,
                                           const struct bi_kdtree_rows *rows, uint32_t bad[BI_KDTREE_NAN_BLOCKS]);

/* Waits for the NaN check, not for later kernels: *row = the first bad row, INT64_MAX if none. The check writes its
 * result to pinned memory of the context. So a call that fails between the two functions passes its status through
 * drain_if_failed, which waits for the stream. */
bosc_status bi_kdtree_cuda_wait_nan_check(bosc_ctx *ctx, int64_t *row);
bosc_status bi_kdtree_cuda_drain_if_failed(bosc_ctx *ctx, bosc_status status);

/* bi_kdtree_cuda_knn with every node as a query, rows by id. */
bosc_status bi_kdtree_cuda_knn_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);

#endif
