/* Trees over ranks for cases: points partitioned among the ranks, and the tree of one context. */
#ifndef TESTS_CASES_RANKS_RANKS_KDTREE_DATA_H
#define TESTS_CASES_RANKS_RANKS_KDTREE_DATA_H

#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "support/ranks.h"

/* Input of the ranks of a trial. */
struct ranks_trial {
    bosc_kdtree_opts opts;
    struct reference_points points;
    uint64_t seed;     /* of the slices */
    bosc_kdtree *tree; /* of all points, in the case's context */
    bosc_ctx *ctx;
    int64_t count; /* its nodes */
    void *nodes, *ids;
    void *inverse; /* of id_bits */
    int64_t *counts;
};

static inline size_t ranks_element(const struct ranks_trial *t) { return bosc_dtype_size(t->points.dtype); }

static inline void ranks_begin(bosc_ctx *ctx, struct ranks_trial *t)
{
    bosc_kdtree_info info = {.size = sizeof info};
    t->ctx = ctx;
    t->tree = kd_build(ctx, &t->opts, &t->points);
    CHECK_OK(ctx, bosc_kdtree_get_info(ctx, t->tree, &info));
    t->count = info.nodes;
    t->nodes = suite_alloc((size_t)(t->count * t->opts.dim) * ranks_element(t));
    t->ids = suite_alloc((size_t)t->count * 8);
    CHECK_OK(ctx, bosc_kdtree_get_nodes(ctx, t->tree, t->nodes, t->ids));
    t->inverse = suite_alloc((size_t)t->points.n * 8);
    t->counts = suite_alloc((size_t)t->count * sizeof *t->counts);
    CHECK_OK(ctx, bosc_kdtree_get_duplicates(ctx, t->tree, t->inverse, t->counts));
}

static inline void ranks_end(struct ranks_trial *t)
{
    bosc_kdtree_free(t->tree);
    free(t->nodes);
    free(t->ids);
    free(t->inverse);
    free(t->counts);
    free((void *)(uintptr_t)t->points.data);
}

/* This rank's slice of n rows of `width` elements, `stride` apart. */
static inline const void *ranks_trial_rows(const struct rank *r, const struct ranks_trial *t, const void *rows,
                                           int64_t n, int64_t stride, uint64_t seed, int64_t *count)
{
    int64_t begin, end;
    ranks_slice(r, seed, n, &begin, &end);
    *count = end - begin;
    return (const char *)rows + (size_t)(begin * stride) * ranks_element(t);
}

static inline bosc_ranks_kdtree *ranks_build(const struct rank *r, const struct ranks_trial *t)
{
    bosc_ranks_kdtree *tree = NULL;
    int64_t n;
    const void *slice = ranks_trial_rows(r, t, t->points.data, t->points.n, t->points.stride, t->seed, &n);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_create(r->ctx, r->comm, &t->opts, &tree));
    CHECK_OK(r->ctx, bosc_ranks_kdtree_build(r->ctx, tree, n ? slice : NULL, n, t->points.stride));
    int64_t begin, end;
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    ranks_slice(r, t->seed, t->points.n, &begin, &end);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.first_row, begin);
    CHECK_EQ(info.own_n, end - begin);
    return tree;
}

/* Nodes represent the same rows as in one context. The published build does not record removed rows. */
static inline void ranks_check_duplicates(const struct rank *r, const struct ranks_trial *t,
                                          const bosc_ranks_kdtree *tree)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    const size_t id_size = t->opts.id_bits == 32 ? 4 : 8, rows = (size_t)info.own_n,
                 nodes = (size_t)(info.end - info.begin);
    char *inverse = suite_alloc(rows * id_size);
    int64_t *counts = suite_alloc(nodes * sizeof *counts);
    if (t->opts.sort_halves && t->opts.duplicates) {
        CHECK_STATUS(r->ctx, bosc_ranks_kdtree_get_duplicates(r->ctx, tree, inverse, counts), BOSC_ERR_LIMIT);
    } else {
        for (int kind = 0; kind < 4; kind++)
            CHECK_OK(r->ctx, bosc_ranks_kdtree_get_duplicates(r->ctx, tree, kind == 1 ? NULL : inverse,
                                                              kind == 2 ? NULL : counts));
        CHECK(memcmp(inverse, (char *)t->inverse + (size_t)info.first_row * id_size, rows * id_size) == 0);
        CHECK(memcmp(counts, t->counts + info.begin, nodes * sizeof *counts) == 0);
    }
    free(inverse);
    free(counts);
}

/* The shard is this rank's range of the tree of all points. */
static inline void ranks_check_shard(const struct rank *r, const struct ranks_trial *t, const bosc_ranks_kdtree *tree)
{
    bosc_ranks_kdtree_info info = {.size = sizeof info};
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_info(r->ctx, tree, &info));
    CHECK_EQ(info.n, t->points.n);
    CHECK_EQ(info.nodes, t->count);
    CHECK_EQ(info.dim, t->opts.dim);
    const int64_t count = info.end - info.begin;
    const size_t row = (size_t)t->opts.dim * ranks_element(t), id_size = t->opts.id_bits == 32 ? 4 : 8;
    CHECK(info.begin >= 0 && count >= 0 && info.end <= t->count);
    if (r->rank == 0) CHECK_EQ(info.begin, 0);
    if (r->rank == r->rank_count - 1) CHECK_EQ(info.end, t->count);
    CHECK(8 * (count - 1) * r->rank_count <= 9 * t->count + 8 * r->rank_count); /* no more than an eighth above n / P */
    char *nodes = suite_alloc((size_t)count * row), *ids = suite_alloc((size_t)count * id_size);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, tree, nodes, ids));
    CHECK(memcmp(nodes, (const char *)t->nodes + (size_t)info.begin * row, (size_t)count * row) == 0);
    CHECK(memcmp(ids, (const char *)t->ids + (size_t)info.begin * id_size, (size_t)count * id_size) == 0);
    memset(nodes, 1, (size_t)count * row);
    memset(ids, 1, (size_t)count * id_size);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, tree, NULL, ids));
    CHECK(memcmp(ids, (const char *)t->ids + (size_t)info.begin * id_size, (size_t)count * id_size) == 0);
    CHECK_OK(r->ctx, bosc_ranks_kdtree_get_nodes(r->ctx, tree, nodes, NULL));
    CHECK(memcmp(nodes, (const char *)t->nodes + (size_t)info.begin * row, (size_t)count * row) == 0);
    free(nodes);
    free(ids);
    ranks_check_duplicates(r, t, tree);
    int64_t node = -5;
    CHECK_OK(r->ctx, bosc_ranks_kdtree_verify(r->ctx, tree, &node));
    CHECK_EQ(node, -5);
}

#endif
