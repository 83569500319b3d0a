/* Checks of the options of HDBSCAN*, and the dendrogram of a spanning tree. */
#ifndef BI_CLUSTER_HDBSCAN_H
#define BI_CLUSTER_HDBSCAN_H

#include "cluster/directions.h"

/* Checks the options, and fills in the defaults. */
bosc_status bi_hdbscan_check_opts(bosc_ctx *ctx, const bosc_hdbscan_opts *opts, bosc_hdbscan_opts *full);

/* Checks that the metric is MINKOWSKI: new points are compared with those of a tree. */
bosc_status bi_hdbscan_check_euclidean(bosc_ctx *ctx, const bosc_hdbscan_opts *full);

/* Checks that min_samples is at most n, unless n is 0. */
bosc_status bi_hdbscan_check_samples(bosc_ctx *ctx, const bosc_hdbscan_opts *full, int64_t n);

/* Checks the number of points and the arrays of bosc_hdbscan_compute. */
bosc_status bi_hdbscan_check_arrays(bosc_ctx *ctx, const bosc_hdbscan_opts *full, int64_t n, void *labels,
                                    double *probabilities, double *outlier_scores, bosc_hdbscan_info *info);

/* Returns the rows of points; bi_hdbscan_check_rows checks those of directions: a tree's build checks others. */
struct bi_cluster_rows bi_hdbscan_rows(const void *points, int64_t n, int64_t stride, const bosc_hdbscan_opts *full);
bosc_status bi_hdbscan_check_rows(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride,
                                  const bosc_hdbscan_opts *full);

/* Makes the dendrogram (z) of a spanning tree of n > 1 points under mutual reachability, of the points or of their
 * directions. pairs (n - 1, 2), lengths: as bosc_emst_compute_mutual writes pairs and dist2; for another p than 2 as
 * bosc_emst_compute_minkowski writes them. All arrays are in reach. */
bosc_status bi_hdbscan_link(bosc_ctx *ctx, const bosc_hdbscan_opts *full, int64_t n, const uint32_t *pairs,
                            const void *lengths, double *z);

#endif
