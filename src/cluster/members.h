/* The points of clusters, label by label. */
#ifndef BI_CLUSTER_MEMBERS_H
#define BI_CLUSTER_MEMBERS_H

#include "cluster/cluster.h"
#include "cluster/steps/members.h"

/* Checks the options and the caller's arrays, which args has; fills in the defaults. */
bosc_status bi_members_check(bosc_ctx *ctx, const bosc_cluster_opts *opts, bosc_cluster_opts *full,
                             struct bi_cluster_members *args);

/* Stages the arrays, and gathers the members in scratch. Waits. */
bosc_status bi_members_gather(bosc_ctx *ctx, struct bi_cluster_members *args);

/* Sorts `count` labels, each 0 to `labels`, with their rows. *begin (labels + 2) has the first position of each label,
 * then `count`. label and row are in scratch. */
bosc_status bi_members_sort(bosc_ctx *ctx, int64_t count, int64_t labels, uint32_t *label, uint32_t **row,
                            const int64_t **begin);

#endif
