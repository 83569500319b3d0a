/* Shared by the searches of k-d trees over ranks: queries go to the shards that they reach. */
#ifndef BI_RANKS_KDTREE_SEARCH_H
#define BI_RANKS_KDTREE_SEARCH_H

#include "ranks/kdtree/kdtree.h"
#include "ranks/steps/steps.h"

/* Checks queries: as bi_kdtree_check_rows, and their number must fit 32 bits. */
bosc_status bi_ranks_kdtree_check_queries(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const char *array,
                                          const void *data, const char *count_name, int64_t count, int64_t stride,
                                          struct bi_kdtree_rows *rows);

/* bosc_ranks_kdtree_knn by distances of order p, of dense queries and a tree of F64; 0: squares, of any type. */
bosc_status bi_ranks_kdtree_knn_order(bosc_ctx *ctx, const bosc_ranks_kdtree *tree, const void *queries,
                                      int64_t query_count, int64_t k, double p, void *ids, void *distances);

/* Check a radius, and return a limit of the squared distances of shards that it reaches:
 * not below the least normal number, as smaller squares are not exact. */
bosc_status bi_ranks_kdtree_check_radius(bosc_ctx *ctx, double radius);
double bi_ranks_kdtree_square(const bosc_ranks_kdtree *tree, double radius);

/* Returns the step arguments for queries against the boxes of the shards. */
struct bi_ranks_kdtree_reach bi_ranks_kdtree_reach_of(const bosc_ranks_kdtree *tree, const struct bi_kdtree_rows *rows);

/* Pairs of a query and a rank that it must be sent to: scratch. */
struct bi_ranks_kdtree_pairs {
    uint32_t *ranks, *queries;
    int64_t count;
};
bosc_status bi_ranks_kdtree_find_pairs(bosc_ctx *ctx, struct bi_ranks_kdtree_reach *reach,
                                       struct bi_ranks_kdtree_pairs *pairs);

#endif
