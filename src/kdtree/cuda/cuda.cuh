/* What the files of the CUDA backend of k-d trees give each other. */
#ifndef BI_KDTREE_CUDA_CUDA_CUH
#define BI_KDTREE_CUDA_CUDA_CUH

#include "kdtree/cuda/point_layout.cuh"
#include "kdtree/kdtree.h"

kd_array kd_array_of(const bosc_kdtree *tree);

/* The fast builder (build/sampled_build.cu). *missed tells that its sampling failed and the tree is not made. */
bosc_status kd_fast_build(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kd_rows *rows, bool *missed);
int64_t kd_fast_build_scratch(int32_t dim, int64_t n);

/* Rows to nodes and back (store_fetch.cu). */
bosc_status kd_store_rows(bosc_ctx *ctx, bosc_kdtree *tree, const struct bi_kd_rows *rows, const uint32_t *order,
                          const uint32_t *ids);
bosc_status kd_fetch_rows(bosc_ctx *ctx, const bosc_kdtree *tree, void *points, uint32_t *ids);

/* The published method (brown/upper_levels.cu). */
bosc_status kd_partition(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kd_lists *lists, uint32_t *order);

/* *bad becomes less if any node of a tree of the fast builder's types is out of order, or any id wrong: one such node,
 * not always the smallest (verify.cu). */
bosc_status kd_find_disorder(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t *bad);

/* The index of searches; and the boxes of all subtrees of an F32 tree, in scratch (search/make_index.cu). */
size_t kd_index_bytes(const bosc_kdtree_opts *opts, int64_t n);
bosc_status kd_make_index(bosc_ctx *ctx, bosc_kdtree *tree);
bosc_status kd_make_boxes(bosc_ctx *ctx, const bosc_kdtree *tree, void **boxes);

/* The searches, for trees that have an index (search/query.cu): the k nearest, those within a radius. */
enum { KD_MOST_NEAREST = 32 };
size_t kd_search_bytes(int64_t m);
bosc_status kd_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query);
bosc_status kd_radius_count(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query);
bosc_status kd_radius_fill(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query);

/* The same with every node as a query, rows by id (search/self_knn.cu); and of the nodes above the leaves alone. */
bosc_status kd_knn_all(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query);
bosc_status kd_knn_inner(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kd_query *query);

#endif
