/* DBSCAN in parts: shared by the call of one context and by ranks, which exchange core flags and sets between parts.
 * The order of the parts is that of their declarations. Arrays are scratch of the caller. */
#ifndef BI_CLUSTER_DBSCAN_H
#define BI_CLUSTER_DBSCAN_H

#include "cluster/directions.h"
#include "cluster/steps/dbscan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The arguments of a call. */
struct bi_dbscan_call {
    double eps;
    int64_t min_samples;
    bosc_dbscan_opts opts; /* full */
    void *labels;
    uint8_t *core;
    bosc_dbscan_info *info;
};

/* --- Checks ------------------------------------------------------------------------------------------------------- */

/* Checks the options, and fills in the defaults. */
bosc_status bi_dbscan_check_opts(bosc_ctx *ctx, const bosc_dbscan_opts *opts, bosc_dbscan_opts *full);

/* Checks the rows of a call without a tree, and the type and dimension. */
bosc_status bi_dbscan_check_points(bosc_ctx *ctx, const bosc_dbscan_opts *full, const void *points, int64_t n,
                                   int64_t stride);

/* Checks the other arguments, for n points. */
bosc_status bi_dbscan_check_call(bosc_ctx *ctx, const struct bi_dbscan_call *s, int64_t n);

/* --- Rows --------------------------------------------------------------------------------------------------------- */

/* Returns the options of the tree of a call: rows as directions are doubles. */
bosc_kdtree_opts bi_dbscan_tree_opts(const bosc_dbscan_opts *full);

/* Returns the rows of a call without a tree. */
struct bi_cluster_rows bi_dbscan_rows(const bosc_dbscan_opts *full, const void *points, int64_t n, int64_t stride);

/* Returns the chord that eps is under HAVERSINE and COSINE. Chords have a length of at most 2. */
double bi_dbscan_chord(const struct bi_dbscan_call *s);

/* Checks p and the periods, and makes the metric of a tree's points. ordinary: as in bi_kdtree_stage_metric. */
bosc_status bi_dbscan_make_metric(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_dbscan_call *s, bool ordinary,
                                  struct bi_kdtree_metric *metric);

/* --- Parts -------------------------------------------------------------------------------------------------------- */

/* Makes the rows of the nodes and the boxes, and allocates the arrays. a->metric is the caller's. */
bosc_status bi_dbscan_prepare(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_dbscan_call *s,
                              struct bi_dbscan *a);

/* Finds the core nodes: a->core. */
bosc_status bi_dbscan_find_core(bosc_ctx *ctx, const struct bi_dbscan_call *s, int64_t n, struct bi_dbscan *a);

/* Unites core nodes within eps of each other: a->parent has the roots of the sets, a->least_row at each root the
 * smallest row of a core node. */
bosc_status bi_dbscan_join_core(bosc_ctx *ctx, int64_t n, struct bi_dbscan *a);

/* Labels all nodes, given the number of each set's cluster: a->numbers at the set's smallest row. */
bosc_status bi_dbscan_label_nodes(bosc_ctx *ctx, int64_t n, struct bi_dbscan *a);

#ifdef __cplusplus
}
#endif
#endif
