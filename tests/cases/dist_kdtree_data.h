/* Trees over ranks for cases: points dealt to all, and what one context makes of the whole. */
#ifndef TESTS_CASES_DIST_KDTREE_DATA_H
#define TESTS_CASES_DIST_KDTREE_DATA_H

#include <stdlib.h>
#include <string.h>

#include "cases/kdtree_data.h"
#include "support/ranks.h"

static const int32_t rank_counts[] = {1, 2, 3, 4, 8};
#define EACH_RANK_COUNT(i) for (size_t i = 0; i < sizeof rank_counts / sizeof rank_counts[0]; i++)

/* What the ranks of a trial are given. */
struct dist_trial {
    bosc_kdtree_opts opts;
    struct reference_points points;
    uint64_t seed;     /* of the slices */
    bosc_kdtree *tree; /* of all points, in the case's context */
    bosc_ctx *ctx;
    int64_t count; /* its nodes */
    void *nodes, *ids;
};

static inline size_t dist_element(const struct dist_trial *t) { return bosc_dtype_size(t->points.dtype); }

static inline void dist_begin(bosc_ctx *ctx, struct dist_trial *t)
{
    bosc_kdtree_info info = {.size = sizeof info};
    t->ctx = ctx;
    t->tree = kd_build(ctx, &t->opts, &t->points);
    CHECK_OK(ctx, bosc_kdtree_get_info(ctx, t->tree, &info));
    t->count = info.nodes;
    t->nodes = suite_alloc((size_t)(t->count * t->opts.dim) * dist_element(t));
    t->ids = suite_alloc((size_t)t->count * 8);
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, t->tree, t->nodes, t->ids));
}

static inline void dist_end(struct dist_trial *t)
{
    bosc_kdtree_free(t->tree);
    free(t->nodes);
    free(t->ids);
    free((void *)(uintptr_t)t->points.data);
}

/* This rank's slice of n rows of `width` elements, `stride` apart. */
static inline const void *dist_slice(const struct rank *r, const struct dist_trial *t, const void *rows, int64_t n,
                                     int64_t stride, uint64_t seed, int64_t *count)
{
    int64_t begin, end;
    ranks_slice(r, seed, n, &begin, &end);
    *count = end - begin;
    return (const char *)rows + (size_t)(begin * stride) * dist_element(t);
}

static inline bosc_dist_kdtree *dist_build(const struct rank *r, const struct dist_trial *t)
{
    bosc_dist_kdtree *tree = NULL;
    int64_t n;
    const void *slice = dist_slice(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
    CHECK_OK(r->ctx, bosc_dist_kdtree_create(r->ctx, r->comm, &t->opts, &tree));
    CHECK_OK(r->ctx, bosc_dist_kdtree_build(r->ctx, tree, n ? slice : NULL, n, t->points.stride));
    return tree;
}

#endif
