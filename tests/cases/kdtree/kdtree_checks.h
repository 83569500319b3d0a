/* Checks of searches for the k nearest against the reference. */
#ifndef TESTS_CASES_KDTREE_KDTREE_CHECKS_H
#define TESTS_CASES_KDTREE_KDTREE_CHECKS_H

#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"

static inline void check_knn(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p,
                             const struct reference_points *q, int64_t k, double radius, int32_t id_bits)
{
    size_t entries = (size_t)(q->n * k);
    bool single = p->dtype == BOSC_F32;
    double r2 = reference_square_limit(radius, single);
    void *ids = suite_alloc(entries * 8), *dist2 = suite_alloc(entries * 8), *alone = suite_alloc(entries * 8);
    int64_t *expected = suite_alloc((size_t)k * sizeof *expected);
    double *distances = suite_alloc((size_t)k * sizeof *distances);
    /* With and without distances: the ids must be equal. */
    if (radius < 0) {
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q->data, q->n, q->stride, k, ids, dist2));
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q->data, q->n, q->stride, k, alone, NULL));
    } else {
        CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, tree, q->data, q->n, q->stride, k, radius, ids, dist2));
        CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, tree, q->data, q->n, q->stride, k, radius, alone, NULL));
    }
    CHECK(memcmp(ids, alone, entries * (size_t)id_bits / 8) == 0);
    /* Each row against the reference. */
    for (int64_t i = 0; i < q->n; i++) {
        reference_knn(p, kd_row(q, i), k, radius < 0 ? (double)INFINITY : r2, expected, distances);
        for (int64_t e = 0; e < k; e++) {
            int64_t at = i * k + e;
            CHECK_EQ(kd_id(ids, id_bits, at), expected[e]);
            CHECK((single ? (double)((float *)dist2)[at] : ((double *)dist2)[at]) == distances[e]);
        }
    }
    free(ids);
    free(dist2);
    free(alone);
    free(expected);
    free(distances);
}

/* Neighbours of all points: equal to a search with the points as queries. */
static inline void check_self(bosc_ctx *ctx, const bosc_kdtree *tree, const struct reference_points *p, int64_t k,
                              int32_t id_bits)
{
    size_t entries = (size_t)(p->n * k), id_bytes = entries * (size_t)id_bits / 8;
    size_t bytes = entries * (p->dtype == BOSC_F32 ? 4 : 8);
    void *ids = suite_alloc(entries * 8), *dist2 = suite_alloc(entries * 8), *alone = suite_alloc(entries * 8);
    void *expected = suite_alloc(entries * 8), *distances = suite_alloc(entries * 8);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, p->data, p->n, p->stride, k, expected, distances));
    CHECK_OK(ctx, bosc_kdtree_knn_self(ctx, tree, k, ids, dist2));
    CHECK_OK(ctx, bosc_kdtree_knn_self(ctx, tree, k, alone, NULL));
    CHECK(memcmp(ids, expected, id_bytes) == 0);
    CHECK(memcmp(alone, expected, id_bytes) == 0);
    CHECK(memcmp(dist2, distances, bytes) == 0);
    free(ids);
    free(dist2);
    free(alone);
    free(expected);
    free(distances);
}

#endif
