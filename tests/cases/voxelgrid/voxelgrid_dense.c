/* Voxel grids with hardly more voxels than points, as in simulations: searches around all points find the same as a
 * search over all points, however the points have moved since the build and however many share a voxel. */
#include "cases/voxelgrid/voxelgrid_checks.h"

/* Points in a box of about `side` voxels of edge 1 in each coordinate, away from 0. */
static struct reference_points in_box(struct suite_random *r, int32_t dim, int64_t n, int64_t stride, double side)
{
    struct reference_points p = kd_points(r, BOSC_F32, dim, n, stride, KD_EQUAL);
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dim; c++)
            kd_set((void *)p.data, BOSC_F32, i * stride + c, suite_unit(r) * side - side / 3 + 10 * c);
    return p;
}

/* All points are queries, at their positions of the build and after all have moved; radii from below a voxel to beyond
 * the box. */
static void all_points(bosc_ctx *ctx)
{
    static const double radii[] = {1, 0.4, 2.3, 0, 100};
    struct suite_random r = {41};
    for (int trial = 0; trial < 30; trial++) {
        if (suite_leaves_out()) continue;
        int32_t dim = 1 + trial % 3;
        int64_t n = 2 + (int64_t)suite_below(&r, suite_slow(ctx) ? 120 : 400);
        double side = (dim == 1 ? 60 : dim == 2 ? 9 : 4) * (trial % 4 ? 1 : 0.4), radius = radii[trial % 5];
        struct reference_points p = in_box(&r, dim, n, dim + trial % 2, side);
        struct reference_points moved = in_box(&r, dim, n, p.stride, side * 1.5);
        size_t bytes = (size_t)(n * p.stride) * sizeof(float);
        struct reference_points built = p;
        bosc_voxelgrid *grid = new_grid(ctx, dim, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, p.stride));
        check_rows(ctx, grid, &p, &p, radius);
        check_pairs(ctx, grid, &p, radius);
        built.data = suite_alloc(bytes);
        memcpy((void *)built.data, p.data, bytes);
        memcpy((void *)p.data, moved.data, bytes);
        check_rows(ctx, grid, &built, &p, radius);
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
        free((void *)moved.data);
        free((void *)built.data);
    }
}

/* As many points in one voxel as a backend orders by counting, and a few more; then few again. */
static void crowded(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {127, 128, 129, 130, 300, 40};
    struct suite_random r = {42};
    bosc_voxelgrid *grid = new_grid(ctx, 3, 1);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        int64_t n = sizes[i] + 10;
        struct reference_points p = in_box(&r, 3, n, 3, 2.5);
        for (int64_t at = 0; at < sizes[i] * 3; at++)
            kd_set((void *)p.data, BOSC_F32, (at + 15) % (3 * n), 0.3 + 0.01 * suite_unit(&r));
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, 3));
        check_rows(ctx, grid, &p, &p, 0.005);
        check_pairs(ctx, grid, &p, 0.005);
        free((void *)p.data);
    }
    bosc_voxelgrid_free(grid);
}

/* Rows about as long as a thread sorts alone, and as its list of other candidates. */
static void row_lengths(bosc_ctx *ctx)
{
    struct suite_random r = {43};
    for (int64_t length = 15; length <= 66; length += length == 18 ? 13 : length == 35 ? 28 : 1) {
        const int64_t n = 3 * length;
        struct reference_points p = in_box(&r, 2, n, 2, 5);
        for (int64_t i = 0; i < length; i++) /* one above the other, in no order */
            for (int32_t c = 0; c < 2; c++)
                kd_set((void *)p.data, BOSC_F32, 2 * (i * 3 % n) + c, 3 + 0.1 * suite_unit(&r));
        bosc_voxelgrid *grid = new_grid(ctx, 2, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, 2));
        check_rows(ctx, grid, &p, &p, 0.2);
        check_pairs(ctx, grid, &p, 0.2);
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
    }
}

/* Radii equal to a rounded distance of two points, or a rounding error below or above it. */
static void at_the_radius(bosc_ctx *ctx)
{
    struct suite_random r = {47};
    for (int trial = 0; trial < 20; trial++) {
        if (suite_leaves_out()) continue;
        const int64_t n = 160 + trial; /* few points in each voxel */
        struct reference_points p = in_box(&r, 2, n, 2, trial % 2 ? 19 : 13);
        bosc_voxelgrid *grid = new_grid(ctx, 2, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, 2));
        for (int64_t k = 1; k < 6; k++) {
            const double radius = sqrt(reference_dist2(&p, k, kd_row(&p, 0)));
            int64_t *counts = suite_alloc((size_t)n * 8);
            CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, p.data, n, 2, radius, counts));
            for (int64_t i = 0; i < n; i++) {
                int64_t within = 0;
                for (int64_t j = 0; j < n; j++)
                    within += reference_dist2(&p, j, kd_row(&p, i)) <= reference_square(&p, radius);
                CHECK_EQ(counts[i], within);
            }
            free(counts);
        }
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
    }
}

/* A lattice with the edge of the voxels: neighbours are at the radius, and on the border of the box around a query. */
static void lattice(bosc_ctx *ctx)
{
    enum { SIDE = 12 };
    struct suite_random r = {48};
    struct reference_points p = in_box(&r, 2, SIDE * SIDE, 2, 1);
    for (int64_t i = 0; i < p.n; i++)
        for (int32_t c = 0; c < 2; c++) kd_set((void *)p.data, BOSC_F32, 2 * i + c, (double)(c ? i / SIDE : i % SIDE));
    bosc_voxelgrid *grid = new_grid(ctx, 2, 1);
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, 2));
    check_rows(ctx, grid, &p, &p, 1);
    check_pairs(ctx, grid, &p, 1);
    bosc_voxelgrid_free(grid);
    free((void *)p.data);
}

/* Boxes whose sides are no powers of two also have one entry a voxel. */
static void entries(bosc_ctx *ctx)
{
    struct suite_random r = {44};
    const int64_t n = 100;
    bosc_voxelgrid *grid = new_grid(ctx, 3, 1);
    for (double side = 5; side < 12; side += 1.5) {
        struct reference_points p = in_box(&r, 3, n, 3, side), q = in_box(&r, 3, 40, 3, side + 3);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, 3));
        check_rows(ctx, grid, &p, &q, 1);
        check_rows(ctx, grid, &p, &p, 1.5);
        free((void *)p.data);
        free((void *)q.data);
    }
    bosc_voxelgrid_free(grid);
}

/* Enough queries that they are sorted first, some outside the box. */
static void many_queries(bosc_ctx *ctx)
{
    struct suite_random r = {45};
    for (int32_t dim = 1; dim <= 3; dim++) {
        if (suite_leaves_out()) continue;
        struct reference_points p = in_box(&r, dim, 90, dim, 4), q = in_box(&r, dim, 4100, dim + 1, 5);
        bosc_voxelgrid *grid = new_grid(ctx, dim, 1);
        kd_set((void *)q.data, BOSC_F32, 0, INFINITY);
        kd_set((void *)q.data, BOSC_F32, dim + 1, -1e30);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, dim));
        check_rows(ctx, grid, &p, &q, 0.8);
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
        free((void *)q.data);
    }
}

/* Enough points for several blocks of each kernel, with rows of pairs of all lengths; in the emulator also more points
 * than rows are kept for. */
static void many_pairs(bosc_ctx *ctx)
{
    struct suite_random r = {46};
    const int64_t few = suite_slow(ctx) ? 1100 : 2300;
    for (int64_t n = few; n <= few + 200; n += 200) {
        struct reference_points p = in_box(&r, 3, n, 3, 9);
        bosc_voxelgrid *grid = new_grid(ctx, 3, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, 3));
        check_pairs(ctx, grid, &p, 0.9);
        bosc_voxelgrid_free(grid);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_voxelgrid_dense[] = {
    {"all points", all_points, NULL},       {"crowded voxels", crowded, NULL},
    {"row lengths", row_lengths, NULL},     {"entries", entries, NULL},
    {"many queries", many_queries, NULL},   {"many pairs", many_pairs, NULL},
    {"at the radius", at_the_radius, NULL}, {"lattice", lattice, NULL},
};
SUITE(voxelgrid_dense);
