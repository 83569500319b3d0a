/* Dendrograms of the caller: checks, and links between merges. */
#ifndef BI_CLUSTER_DENDROGRAM_H
#define BI_CLUSTER_DENDROGRAM_H

#include "cluster/cluster.h"
#include "cluster/steps/hdbscan.h"

/* Checks the arguments of a dendrogram of n points; bi_dendrogram_link checks its rows. */
bosc_status bi_dendrogram_check(bosc_ctx *ctx, const double *z, int64_t n);

/* Links the points and merges of args->z, which the backend reaches, to the merges above: args->parent, in scratch.
 * Fails if z is no dendrogram. Waits. */
bosc_status bi_dendrogram_link(bosc_ctx *ctx, struct bi_hdbscan *args);

/* Replaces merges above, in args->cluster, by the top ones. Waits. */
bosc_status bi_dendrogram_find_tops(bosc_ctx *ctx, struct bi_hdbscan *args);

#endif
