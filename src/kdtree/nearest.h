/* The Euclidean search for the k nearest points, without the checks and copies of the public calls. */
#ifndef BI_KDTREE_NEAREST_H
#define BI_KDTREE_NEAREST_H

#include "kdtree/handle.h"

/* Writes the ids and squared distances of query->k points nearest to each query, or to each node (query->self) in the
 * order of ids, to arrays that the backend reaches. Does not wait. */
bosc_status bi_kdtree_nearest(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_query *query);

/* Makes every node of a tree a query of a search of `searched`, in query->rows unless the search needs no rows. */
bosc_status bi_kdtree_query_own_nodes(bosc_ctx *ctx, const bosc_kdtree *tree, const bosc_kdtree *searched,
                                      struct bi_kdtree_query *query);

/* Writes the points of the nodes to rows of their ids, in scratch; sets rows->data alone. */
bosc_status bi_kdtree_own_rows(bosc_ctx *ctx, const bosc_kdtree *tree, struct bi_kdtree_rows *rows);

#endif
