/* Bisector pools of the library and reference pools. */
#ifndef TESTS_CASES_BISECTOR_BISECTOR_DATA_H
#define TESTS_CASES_BISECTOR_BISECTOR_DATA_H

#include <stdlib.h>
#include <string.h>

#include <boscage/bisector.h>

#include "reference/bisector.h"
#include "support/suite.h"

static inline bosc_bisectors *bisectors_make(bosc_ctx *ctx, enum reference_mesh mesh, int32_t depth, int32_t level)
{
    double at[8][3][3];
    int64_t glued[24];
    bosc_bisectors_opts o = {.size = sizeof o, .depth = depth, .level = level, .glued = glued};
    bosc_bisectors *bisectors = NULL;
    o.root_count = reference_bisector_roots(mesh, at);
    reference_bisector_glue((const double(*)[3][3])at, o.root_count, glued);
    CHECK_OK(ctx, bosc_bisectors_create(ctx, &o, &bisectors));
    return bisectors;
}

static inline int64_t bisectors_leaves(bosc_ctx *ctx, const bosc_bisectors *bisectors)
{
    bosc_bisectors_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_bisectors_get_info(ctx, bisectors, &info));
    return info.leaves;
}

/* The nodes and neighbours of a pool, in host memory. */
struct bisectors_arrays {
    int64_t n;
    uint64_t *nodes;
    int64_t *neighbours;
};

static inline struct bisectors_arrays bisectors_get(bosc_ctx *ctx, const bosc_bisectors *bisectors)
{
    struct bisectors_arrays a = {.n = bisectors_leaves(ctx, bisectors)};
    int64_t *leaves = suite_alloc((size_t)a.n * sizeof *leaves);
    a.nodes = suite_alloc((size_t)a.n * sizeof *a.nodes);
    a.neighbours = suite_alloc((size_t)a.n * 3 * sizeof *a.neighbours);
    for (int64_t l = 0; l < a.n; l++) leaves[l] = l;
    CHECK_OK(ctx, bosc_bisectors_decode(ctx, bisectors, 0, a.n, a.nodes));
    CHECK_OK(ctx, bosc_bisectors_get_neighbours(ctx, bisectors, leaves, a.n, a.neighbours));
    free(leaves);
    return a;
}

static inline void bisectors_release(struct bisectors_arrays *a)
{
    free(a->nodes);
    free(a->neighbours);
}

/* The pool has the leaves of the reference pool, and each edge is glued to its neighbour if that exists. */
static inline void bisectors_check(bosc_ctx *ctx, const bosc_bisectors *bisectors, const struct reference_bisectors *b)
{
    struct bisectors_arrays a = bisectors_get(ctx, bisectors);
    CHECK_EQ(a.n, b->n);
    for (int64_t l = 0; l < a.n; l++) {
        CHECK_EQ(a.nodes[l], b->leaves[l].node);
        for (int e = 0; e < 3; e++) CHECK_EQ(a.neighbours[3 * l + e], reference_bisectors_neighbour(b, l, e));
    }
    bisectors_release(&a);
}

#endif
