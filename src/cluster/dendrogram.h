/* Dendrograms of the caller: links between merges. */
#ifndef BI_CLUSTER_DENDROGRAM_H
#define BI_CLUSTER_DENDROGRAM_H

#include "cluster/cluster.h"
#include "cluster/steps/hdbscan.h"

/* Links the points and merges of args->z, which the backend reaches, to the merges above: args->parent, in scratch.
 * Fails if z is no dendrogram. Waits. */
bosc_status bi_dendrogram_link(bosc_ctx *ctx, struct bi_hdbscan *args);

/* Replaces merges above, in args->cluster, by the top ones. Waits. */
bosc_status bi_dendrogram_find_tops(bosc_ctx *ctx, struct bi_hdbscan *args);

#endif
