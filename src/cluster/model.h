/* Clusterings: clustered points with all that predictions need, behind a handle. */
#ifndef BI_CLUSTER_MODEL_H
#define BI_CLUSTER_MODEL_H

#include "cluster/cluster.h"

struct bosc_hdbscan {
    struct bi_memory memory, host;
    bosc_hdbscan_opts opts; /* every field set */
    bosc_hdbscan_info info;
    int64_t n;
    bosc_kdtree *tree;
    struct bi_block z, core, leaves, densities, clusters;
};

/* Makes a clustering of no points; options are full. */
bosc_status bi_clustering_new(bosc_ctx *ctx, const bosc_hdbscan_opts *full, bosc_hdbscan **clustering);

/* Builds the k-d tree, and allocates the arrays of n points. */
bosc_status bi_clustering_set_points(bosc_ctx *ctx, bosc_hdbscan *clustering, const void *points, int64_t n,
                                     int64_t stride);

/* Computes the condensed tree of clustering->z. Waits. */
bosc_status bi_clustering_condense(bosc_ctx *ctx, bosc_hdbscan *clustering);

#endif
