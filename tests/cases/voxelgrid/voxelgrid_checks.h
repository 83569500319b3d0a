/* Checks of voxel grids of floats against a search over all points: rows of queries, pairs, components. */
#ifndef TESTS_CASES_VOXELGRID_CHECKS_H
#define TESTS_CASES_VOXELGRID_CHECKS_H

#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "reference/voxelgrid.h"

struct rows {
    int64_t *offsets, *ids;
    float *dist2;
};

/* The rows of all points of q among the points of p. */
static inline struct rows reference_rows(const struct reference_points *p, const struct reference_points *q, double r2)
{
    int64_t most = p->n * q->n, at = 0;
    struct rows rows = {suite_alloc((size_t)(q->n + 1) * 8), suite_alloc((size_t)most * 8),
                        suite_alloc((size_t)most * sizeof(float))};
    for (int64_t i = 0; i < q->n; i++) {
        rows.offsets[i] = at;
        for (int64_t j = 0; j < p->n; j++) {
            double d = reference_dist2(p, j, kd_row(q, i));
            if (!(d <= r2)) continue;
            rows.ids[at] = j;
            rows.dist2[at++] = (float)d;
        }
    }
    rows.offsets[q->n] = at;
    return rows;
}

static inline void free_rows(struct rows *rows)
{
    free(rows->offsets);
    free(rows->ids);
    free(rows->dist2);
}

/* The rows of q, as counts and with distances. */
static inline void check_rows(bosc_ctx *ctx, bosc_voxelgrid *grid, const struct reference_points *p,
                              const struct reference_points *q, double radius)
{
    struct rows want = reference_rows(p, q, reference_square(p, radius));
    int64_t total = want.offsets[q->n], *counts = suite_alloc((size_t)q->n * 8);
    struct rows got = {suite_alloc((size_t)(q->n + 1) * 8), suite_alloc((size_t)total * 8),
                       suite_alloc((size_t)total * sizeof(float))};
    CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, q->data, q->n, q->stride, radius, counts));
    for (int64_t i = 0; i < q->n; i++) CHECK_EQ(counts[i], want.offsets[i + 1] - want.offsets[i]);
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, q->data, q->n, q->stride, radius, got.offsets, NULL, NULL, 0));
    CHECK(memcmp(got.offsets, want.offsets, (size_t)(q->n + 1) * 8) == 0);
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, q->data, q->n, q->stride, radius, got.offsets, got.ids, got.dist2,
                                        total));
    CHECK(memcmp(got.ids, want.ids, (size_t)total * 8) == 0);
    CHECK(memcmp(got.dist2, want.dist2, (size_t)total * sizeof(float)) == 0);
    free_rows(&want);
    free_rows(&got);
    free(counts);
}

static inline void check_pairs(bosc_ctx *ctx, bosc_voxelgrid *grid, const struct reference_points *p, double radius)
{
    double r2 = reference_square(p, radius);
    int64_t count = reference_pairs(p, r2, NULL, NULL), got = -1, components = -1;
    int64_t *want = suite_alloc((size_t)count * 16), *pairs = suite_alloc((size_t)count * 16);
    int64_t *labels = suite_alloc((size_t)p->n * 8);
    reference_pairs(p, r2, want, NULL);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, NULL, NULL, 0, &got));
    CHECK_EQ(got, count);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, pairs, NULL, count, &got));
    CHECK_EQ(got, count);
    CHECK(memcmp(pairs, want, (size_t)count * 16) == 0);
    CHECK_OK(ctx, bosc_voxelgrid_components(ctx, grid, radius, NULL, &components));
    CHECK_EQ(components, reference_components(p, r2, labels));
    free(want);
    free(pairs);
    free(labels);
}

static inline bosc_voxelgrid *new_grid(bosc_ctx *ctx, int32_t dim, double cell)
{
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = dim, .cell = cell};
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &grid));
    return grid;
}

#endif
