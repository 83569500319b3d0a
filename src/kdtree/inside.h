/* Searches of periodic boxes by plain ones. */
#ifndef BI_KDTREE_INSIDE_H
#define BI_KDTREE_INSIDE_H

#include "kdtree/metric.h"

/* True if bi_kdtree_search_inside serves a staged search of query_count queries. */
bool bi_kdtree_can_search_inside(const bosc_kdtree *tree, const struct bi_kdtree_metric_search *search,
                                 int64_t query_count);

/* Answers queries by plain searches around them and their images, and makes *query_count others the queries of the
 * staged search. rows: the caller's queries; self: the nodes; periods: dim, on the host. Waits. */
bosc_status bi_kdtree_search_inside(bosc_ctx *ctx, const bosc_kdtree *tree, const struct bi_kdtree_rows *rows,
                                    bool self, const double *periods, struct bi_kdtree_metric_search *search,
                                    int64_t *query_count);

#endif
