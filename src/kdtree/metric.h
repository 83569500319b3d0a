/* Shared by the drivers of searches by any metric. */
#ifndef BI_KDTREE_METRIC_H
#define BI_KDTREE_METRIC_H

#include "core/csr.h"
#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

/* Copies the options and fills in the defaults. */
bosc_status bi_kdtree_check_query_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                       bosc_kdtree_query_opts *full);

/* Checks the bounds of distances, one for all queries or one each; `name` and `count_name`: names of the arguments. */
bosc_status bi_kdtree_check_bounds(bosc_ctx *ctx, const char *name, const double *bounds, const char *count_name,
                                   int64_t count, int64_t query_count);

/* bi_kdtree_check_query_opts for pairs: refuses options of queries. */
bosc_status bi_kdtree_check_pair_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                      bosc_kdtree_query_opts *full);

/* Fails unless `other` can be searched for points near those of `tree`. */
bosc_status bi_kdtree_check_other(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other);

/* Makes the metric of (full) options, stages its periods, and fails if a point of the tree is outside; `name`: the
 * tree's argument. ordinary: no square overflows, and not all underflow. */
bosc_status bi_kdtree_stage_metric(bosc_ctx *ctx, const char *name, const bosc_kdtree *tree,
                                   const bosc_kdtree_query_opts *opts, bool ordinary, struct bi_kdtree_metric *metric);

/* Convert to rows of doubles, in scratch: reachable rows, or the nodes of a tree in order, with their ids. */
bosc_status bi_kdtree_place_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const struct bi_kdtree_metric *metric, const double **queries);
bosc_status bi_kdtree_place_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_metric *metric,
                                  const double **queries, const uint32_t **numbers);

/* Run a staged search of query_count queries: their counts, or the rows of a CSR answer. `tree` selects the backend. */
bosc_status bi_kdtree_metric_count(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                   struct bi_kdtree_metric_search *search, int64_t *counts);
bosc_status bi_kdtree_metric_fill(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                  struct bi_kdtree_metric_search *search, const struct bi_csr_rows *to);

/* True if the backend's own searches of the tree serve distances of order p, not 2. */
bool bi_kdtree_searches_order(const bosc_kdtree *tree, double p);

/* Fills the rows of a radius search by the backend's own loops, with distances, not squared. */
bosc_status bi_kdtree_backend_fill(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query,
                                   const struct bi_csr_rows *to);

/* Finds the flat coordinates of the tree for searches around query_count points. The backend knows them, or
 * bi_kdtree_extents shows them. Small trees have none, nor have others if few queries would have to measure the extents
 * first. */
bosc_status bi_kdtree_find_split_axes(bosc_ctx *ctx, const bosc_kdtree *tree, int64_t query_count,
                                      struct bi_kdtree_split_axes *axes);

/* Euclidean searches for coordinates and radii with squares that over- or underflow, of reachable arrays; slower.
 * A squared distance that does not fit is an error; then nothing is written. total: of the rows. */
bosc_status bi_kdtree_knn_of_any_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query);
bosc_status bi_kdtree_count_of_any_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree,
                                             const struct bi_kdtree_query *query);
bosc_status bi_kdtree_fill_of_any_magnitude(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_query *query,
                                            int64_t total);

#endif
