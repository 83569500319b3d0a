/* Searches of periodic boxes by plain ones, for queries far from the borders. */
#ifndef BI_KDTREE_INSIDE_H
#define BI_KDTREE_INSIDE_H

#include "kdtree/metric.h"

/* True if bi_kdtree_search_inside serves a staged search of query_count queries. */
bool bi_kdtree_can_search_inside(const bosc_kdtree *tree, const struct bi_kdtree_metric_search *search,
                                 int64_t query_count);

/* Answers the queries that borders do not concern, and reduces the staged search to the remaining ones, *query_count of
 * them. rows: the caller's queries; self: the nodes. Waits. */
bosc_status bi_kdtree_search_inside(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                    bool self, struct bi_kdtree_metric_search *search, int64_t *query_count);

#endif
