/* Components of points with many copies in a voxel, which are joined before a search, equal those of all pairs. */
#include <math.h>
#include <stdlib.h>

#include "cases/kdtree/kdtree_data.h"
#include "reference/voxelgrid.h"

/* PLACES share one voxel, or are in voxels of their own. INFINITE: equal points at infinite distance. */
enum copies { COPIES_ALL, COPIES_PLACES, COPIES_HALF, COPIES_ZEROS, COPIES_CROWD, COPIES_INFINITE, COPIES_SHAPES };

static double copies_value(struct suite_random *r, enum copies shape, int64_t e, int32_t dim)
{
    const int64_t i = e / dim, c = e % dim, place = i * 7 % 12;
    switch (shape) {
    case COPIES_ALL: return 7.25;
    case COPIES_PLACES: return (double)(c == 0 ? place : place % 3) * 0.125;
    case COPIES_HALF: return i % 2 ? 3 : suite_unit(r) * 20 - 10;
    case COPIES_ZEROS: return i % 3 == 2 ? 0.75 : (i / 3 + c) % 2 ? -0.0 : 0.0;
    case COPIES_CROWD: return 0.5 + suite_unit(r) * 0.25; /* hardly any copies */
    default: return c > 0 || i % 5 > 1 ? 4 : i % 5 ? (double)INFINITY : -(double)INFINITY;
    }
}

static struct reference_points copies_of(enum copies shape, bosc_dtype dtype, int32_t dim, int64_t n)
{
    struct suite_random r = {15};
    void *data = suite_alloc((size_t)(n * dim) * 8);
    for (int64_t e = 0; e < n * dim; e++) kd_set(data, dtype, e, copies_value(&r, shape, e, dim));
    return (struct reference_points){dtype, dim, n, dim, data};
}

static bosc_voxelgrid *grid_of(bosc_ctx *ctx, const struct reference_points *p, double cell, int32_t id_bits)
{
    const bosc_voxelgrid_opts opts = {
        .size = sizeof opts, .dtype = p->dtype, .dim = p->dim, .cell = cell, .id_bits = id_bits};
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p->data, p->n, 0));
    return grid;
}

static void check_components(bosc_ctx *ctx, const struct reference_points *p, double cell, double radius,
                             int32_t id_bits)
{
    bosc_voxelgrid *grid = grid_of(ctx, p, cell, id_bits);
    int64_t *labels = suite_alloc((size_t)p->n * 8), count = -1;
    void *got = suite_alloc((size_t)p->n * 8);
    CHECK_OK(ctx, bosc_voxelgrid_components(ctx, grid, radius, got, &count));
    CHECK_EQ(count, reference_components(p, reference_square(p, radius), labels));
    for (int64_t i = 0; i < p->n; i++) CHECK_EQ(kd_id(got, id_bits, i), labels[i]);
    count = -1;
    CHECK_OK(ctx, bosc_voxelgrid_components(ctx, grid, radius, NULL, &count));
    bosc_voxelgrid_free(grid);
    free(labels);
    free(got);
}

/* Cells that hold all points, some, or one place; few points where nothing is joined first. With the smallest cells
 * voxels share index entries, or have no keys. */
static void every_shape(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const double cells[] = {1, 0.2, 1e-4, 1e-19}, radii[] = {0, 0.13, 0.3, 1, INFINITY};
    for (int s = 0; s < COPIES_SHAPES; s++)
        for (int t = 0; t < 20; t++) {
            if (suite_leaves_out()) continue;
            const bool half = s == COPIES_HALF || s == COPIES_INFINITE; /* more points for as many copies */
            const int64_t n = t % 7 == 6 ? 100 : suite_slow(ctx) ? 900 : half ? 4000 : 1500;
            struct reference_points p = copies_of((enum copies)s, dtypes[t % 4], 1 + (s + t) % 3, n);
            check_components(ctx, &p, cells[t % 4 == 3 ? 0 : (t + s) % 4], radii[t % 5], t % 2 ? 32 : 64);
            free((void *)p.data);
        }
}

static const struct suite_case suite_cases_voxelgrid_copies[] = {
    {"shapes", every_shape, NULL},
};
SUITE(voxelgrid_copies);
