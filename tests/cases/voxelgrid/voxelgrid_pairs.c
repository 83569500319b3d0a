/* Pairs without distances, whose candidates the CPU gathers once a voxel, equal those of all points. */
#include <stdlib.h>

#include "cases/kdtree/kdtree_data.h"
#include "reference/voxelgrid.h"

static void check_pairs(bosc_ctx *ctx, const struct reference_points *p, double cell, double radius, int32_t id_bits)
{
    const bosc_voxelgrid_opts opts = {
        .size = sizeof opts, .dtype = p->dtype, .dim = p->dim, .cell = cell, .id_bits = id_bits};
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p->data, p->n, p->stride));
    const double r2 = reference_square(p, radius);
    int64_t count = reference_pairs(p, r2, NULL, NULL), got = -1;
    int64_t *pairs = suite_alloc((size_t)count * 16);
    void *got_pairs = suite_alloc((size_t)count * 16);
    reference_pairs(p, r2, pairs, NULL);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, radius, got_pairs, NULL, count, &got));
    CHECK_EQ(got, count);
    for (int64_t k = 0; k < 2 * count; k++) CHECK_EQ(kd_id(got_pairs, id_bits, k), pairs[k]);
    bosc_voxelgrid_free(grid);
    free(pairs);
    free(got_pairs);
}

/* One to twenty points a voxel; radii below, at and above its edge, so that neighbours in a voxel search different
 * boxes. */
static void boxes(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_I64, BOSC_I32, BOSC_F32};
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_SPECIAL, KD_CLUSTERS};
    static const double ratios[] = {0.3, 1, 1.5, 2};
    struct suite_random r = {71};
    for (int t = 0; t < 64; t++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 1 + t % 3;
        const enum kd_shape shape = shapes[t / 4 % 4];
        const int64_t n = t % 5 == 4 ? 9 : 250;
        struct reference_points p = kd_points(&r, dtypes[t % 4], dim, n, dim, shape);
        const double edge = shape == KD_GRID ? 1 : shape == KD_SPECIAL ? 3 : dim == 1 ? 20 : dim == 2 ? 300 : 600;
        check_pairs(ctx, &p, edge, edge * ratios[t / 16], t % 2 ? 32 : 64);
        free((void *)p.data);
    }
}

/* As many points in two neighbouring voxels as are gathered, one less and more; then as many in one voxel beside few
 * in a distant one. */
static void crowds(bosc_ctx *ctx)
{
    struct suite_random r = {72};
    for (int64_t n = 505; n <= 521; n += suite_slow(ctx) ? 8 : 1) {
        struct reference_points p = kd_points(&r, BOSC_F64, 3, n + 20, 3, KD_RANDOM);
        for (int64_t i = 0; i < p.n; i++)
            for (int32_t c = 0; c < 3; c++)
                kd_set((void *)p.data, BOSC_F64, i * 3 + c,
                       suite_unit(&r) + (c == 2 && i % 2 ? 1 : 0) + (i % 26 == 25 ? 10 : 0));
        check_pairs(ctx, &p, 1, 0.25, 64);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_voxelgrid_pairs[] = {
    {"boxes", boxes, NULL},
    {"crowds", crowds, NULL},
};
SUITE(voxelgrid_pairs);
