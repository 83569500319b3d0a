/* Checks of the options of HDBSCAN*. */
#ifndef BI_CLUSTER_HDBSCAN_H
#define BI_CLUSTER_HDBSCAN_H

#include "cluster/cluster.h"

/* Checks the options, and fills in the defaults. */
bosc_status bi_hdbscan_check_opts(bosc_ctx *ctx, const bosc_hdbscan_opts *opts, bosc_hdbscan_opts *full);

/* Checks that the metric is MINKOWSKI: new points are compared with those of a tree. */
bosc_status bi_hdbscan_check_euclidean(bosc_ctx *ctx, const bosc_hdbscan_opts *full);

/* Checks that min_samples is at most n, unless n is 0. */
bosc_status bi_hdbscan_check_samples(bosc_ctx *ctx, const bosc_hdbscan_opts *full, int64_t n);

#endif
