/* The order of nodes by extent, for the k-d tree cases: searched after many queries of trees whose levels mix distant
 * points. */
#ifndef TESTS_CASES_KDTREE_KDTREE_ORDER_H
#define TESTS_CASES_KDTREE_KDTREE_ORDER_H

#include "cases/kdtree/kdtree_data.h"
#include "core/context.h"
#include "kdtree/kdtree.h"

/* Makes the next search decide on the order, unless a warp serves each query. */
static inline void kd_want_order(bosc_kdtree *tree)
{
    tree->query_cache.query_count = INT64_MAX / 2;
    tree->query_cache.order_decided = false;
    if (tree->opts.dim >= 2 && tree->opts.dim <= 4) tree->mixing = BI_KDTREE_MIXES;
}

/* Returns the least number of nodes with which a tree is sampled. */
static inline int64_t kd_sampled_nodes(bosc_ctx *ctx)
{
    return suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA ? 2048 * (int64_t)ctx->multiprocessors : 1024;
}

/* Random points whose coordinate 0 has little extent, by which levels split as often as by the others. */
static inline struct reference_points kd_mixed_points(struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n)
{
    const bool real = dtype == BOSC_F32 || dtype == BOSC_F64;
    struct reference_points p = kd_points(r, dtype, dim, n, dim, KD_RANDOM);
    for (int64_t at = 0; at < n * dim; at += dim)
        kd_set((void *)p.data, dtype, at, real ? suite_unit(r) / 1024 : (double)suite_below(r, 64));
    return p;
}

#endif
