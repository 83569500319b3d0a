/* What the drivers of searches by any metric share. */
#ifndef BI_KDTREE_METRIC_H
#define BI_KDTREE_METRIC_H

#include "kdtree/handle.h"
#include "kdtree/steps/steps.h"

/* A query takes as long as so many simple items. */
enum { BI_KDTREE_METRIC_ITEMS = 64 };

/* A copy of the options with the defaults filled in. `rows` is the number of queries. */
bosc_status bi_kdtree_check_query_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                       bosc_kdtree_query_opts *full);

/* Distances that count, one for all queries or one for each; `name` and `count_name` are their arguments. */
bosc_status bi_kdtree_check_bounds(bosc_ctx *ctx, const char *name, const double *bounds, const char *count_name,
                                   int64_t count, int64_t query_count);

/* As for pairs: bi_kdtree_check_query_opts, and no option that is for queries alone. */
bosc_status bi_kdtree_check_pair_opts(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree_query_opts *opts,
                                      bosc_kdtree_query_opts *full);
/* That `other` can be searched for what is near the points of `tree`. */
bosc_status bi_kdtree_check_other(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *other);

/* The metric of (full) options with its periods in reach, and the points of the tree inside them; `name` is the tree's
 * argument. */
bosc_status bi_kdtree_stage_metric(bosc_ctx *ctx, const char *name, const bosc_kdtree *tree,
                                   const bosc_kdtree_query_opts *opts, struct bi_kdtree_metric *metric);

/* Rows of doubles in scratch, of rows in reach or of the nodes of a tree in their order, with their ids. */
bosc_status bi_kdtree_place_rows(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                 const struct bi_kdtree_metric *metric, const double **queries);
bosc_status bi_kdtree_place_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_metric *metric,
                                  const double **queries, const uint32_t **numbers);

/* The usual search for the nearest, of everything in reach; and the nodes as rows in the order of their ids, in
 * scratch, as rows->data. */
bosc_status bi_kdtree_nearest(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query);
bosc_status bi_kdtree_own_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows);

#endif
