/* Voxel grids with many more voxels than points, as of scans, surfaces and clusters: searches find the same as a search
 * over all points, however the occupied voxels are spread. */
#include "cases/voxelgrid/voxelgrid_checks.h"
#include "voxelgrid/handle.h"

/* Clusters of points, `spread` voxels apart along each coordinate, of `size` voxels; one point far away, so that the
 * box has many voxels. */
static struct reference_points clusters(struct suite_random *r, int32_t dim, int64_t n, int64_t stride, double spread,
                                        double size)
{
    struct reference_points p = kd_points(r, BOSC_F32, dim, n, stride, KD_EQUAL);
    for (int64_t i = 0; i < n; i++)
        for (int32_t c = 0; c < dim; c++) {
            const double centre = spread * (double)((uint64_t)(i % 7) * 0x9e3779b9u >> (8 * c) & 15);
            const double x = (suite_unit(r) + suite_unit(r) + suite_unit(r) - 1.5) * size;
            kd_set((void *)p.data, BOSC_F32, i * stride + c, i == n / 2 ? -17 * spread : centre + x);
        }
    return p;
}

static void free_points(struct reference_points *p) { free((void *)p->data); }

/* Searches of all kinds around all points, at their positions of the build and after all have moved. Radii below,
 * at and above two voxels. */
static void all_points(bosc_ctx *ctx)
{
    static const double radii[] = {1, 0.4, 2, 0, 1.7, 2.1};
    struct suite_random r = {51};
    for (int trial = 0; trial < 36; trial++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 1 + trial % 3;
        const int64_t n = 2 + (int64_t)suite_below(&r, suite_slow(ctx) ? 120 : 400);
        const double spread = dim == 1 ? 3000 : 90, size = dim == 1 ? 40 : trial % 2 ? 3 : 6;
        struct reference_points p = clusters(&r, dim, n, dim + trial % 2, spread, size);
        struct reference_points moved = clusters(&r, dim, n, p.stride, spread, size), built = p;
        const size_t bytes = (size_t)(n * p.stride) * sizeof(float);
        bosc_voxelgrid *grid = new_grid(ctx, dim, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, p.stride));
        check_rows(ctx, grid, &p, &p, radii[trial % 6]);
        check_pairs(ctx, grid, &p, radii[trial % 6]);
        built.data = suite_alloc(bytes);
        memcpy((void *)built.data, p.data, bytes);
        memcpy((void *)p.data, moved.data, bytes);
        check_rows(ctx, grid, &built, &p, radii[trial % 6]);
        bosc_voxelgrid_free(grid);
        free_points(&p);
        free_points(&moved);
        free_points(&built);
    }
}

/* Points on a line at given voxels, around the ends of bricks of 32: the brick of a row may be empty, and that of its
 * last voxels not. */
static void ends_of_bricks(bosc_ctx *ctx)
{
    static const double radii[] = {1, 2, 0.5};
    for (uint64_t choice = 1; choice < 1 << 9; choice += 2) {
        if (suite_leaves_out()) continue;
        struct suite_random r = {52 + choice};
        struct reference_points p = kd_points(&r, BOSC_F32, 1, 12, 1, KD_EQUAL);
        int64_t n = 2;
        kd_set((void *)p.data, BOSC_F32, 0, 0.5);
        kd_set((void *)p.data, BOSC_F32, 1, 5000.5);
        for (int k = 0; k < 9; k++)
            if (choice >> k & 1) kd_set((void *)p.data, BOSC_F32, n++, 64 * (double)(1 + k % 2) - 4 + k + 0.25);
        p.n = n;
        struct reference_points q = kd_points(&r, BOSC_F32, 1, 80, 1, KD_EQUAL);
        for (int64_t i = 0; i < q.n; i++) kd_set((void *)q.data, BOSC_F32, i, i % 2 ? 56 + i / 5.0 : 120 + i / 5.0);
        bosc_voxelgrid *grid = new_grid(ctx, 1, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, 1));
        check_rows(ctx, grid, &p, &q, radii[choice % 3]);
        check_pairs(ctx, grid, &p, radii[choice % 3]);
        bosc_voxelgrid_free(grid);
        free_points(&p);
        free_points(&q);
    }
}

/* Boxes of queries far larger than a brick: voxel numbers are so large that float rounding enlarges boxes. */
static void far_voxels(bosc_ctx *ctx)
{
    struct suite_random r = {53};
    for (int trial = 0; trial < 8; trial++) {
        if (suite_leaves_out()) continue;
        const double offset = trial < 4 ? 4190000 : 3000000; /* up to 2^22 */
        struct reference_points p = clusters(&r, 3, 150, 3, 60, 4);
        for (int64_t at = 0; at < 3 * p.n; at++)
            kd_set((void *)p.data, BOSC_F32, at,
                   (double)((const float *)p.data)[at] + (at % 3 == trial % 3 ? offset : 0));
        bosc_voxelgrid *grid = new_grid(ctx, 3, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, 3));
        check_rows(ctx, grid, &p, &p, 1);
        check_pairs(ctx, grid, &p, trial % 2 ? 1 : 1.5);
        bosc_voxelgrid_free(grid);
        free_points(&p);
    }
}

/* The same on a line: rows are longer than a brick knows of the next one. */
static void long_rows(bosc_ctx *ctx)
{
    struct suite_random r = {57};
    struct reference_points p = kd_points(&r, BOSC_F32, 1, 150, 1, KD_EQUAL);
    bosc_voxelgrid *grid = new_grid(ctx, 1, 1);
    for (int64_t i = 0; i < p.n; i++)
        kd_set((void *)p.data, BOSC_F32, i, i == 70 ? 1 : 4190000 + 0.5 * (double)suite_below(&r, 240));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, 1));
    for (double radius = 0.5; radius <= 2; radius += 0.5) {
        check_rows(ctx, grid, &p, &p, radius);
        check_pairs(ctx, grid, &p, radius);
    }
    bosc_voxelgrid_free(grid);
    free_points(&p);
}

/* Queries of the caller, enough of them to be sorted first, some outside the box; radii equal to a distance. */
static void many_queries(bosc_ctx *ctx)
{
    struct suite_random r = {54};
    for (int32_t dim = 1; dim <= 3; dim++) {
        if (suite_leaves_out()) continue;
        struct reference_points p = clusters(&r, dim, 90, dim, 100, 3), q = clusters(&r, dim, 4100, dim + 1, 100, 4);
        bosc_voxelgrid *grid = new_grid(ctx, dim, 1);
        kd_set((void *)q.data, BOSC_F32, 0, INFINITY);
        kd_set((void *)q.data, BOSC_F32, dim + 1, -1e30);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, dim));
        for (int64_t k = 7; k < 22; k += 7) {
            const double radius = sqrt(reference_dist2(&p, k, kd_row(&p, 0)));
            check_rows(ctx, grid, &p, &q, radius < 1.9 ? radius : 0.8);
        }
        bosc_voxelgrid_free(grid);
        free_points(&p);
        free_points(&q);
    }
}

/* Enough points for several blocks of each kernel; crowded voxels with rows of pairs of all lengths; the grid grows by
 * a reservation, and is rebuilt without points. */
static void many_pairs(bosc_ctx *ctx)
{
    struct suite_random r = {55};
    const int64_t few = suite_slow(ctx) ? 1100 : 2300;
    bosc_voxelgrid *grid = new_grid(ctx, 3, 1);
    for (int64_t n = few; n <= few + 200; n += 200) {
        struct reference_points p = clusters(&r, 3, n, 3, 70, n == few ? 5 : 2.5);
        int64_t none = -1;
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, 3));
        check_pairs(ctx, grid, &p, 0.9);
        CHECK_OK(ctx, bosc_voxelgrid_reserve(ctx, grid, 2 * n, 0));
        check_pairs(ctx, grid, &p, 0.5);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, 0, 3));
        CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, p.data, 1, 3, 1, &none));
        CHECK_EQ(none, 0);
        free_points(&p);
    }
    bosc_voxelgrid_free(grid);
}

/* A build holds no more memory than bosc_voxelgrid_bytes says. */
static void bytes(bosc_ctx *ctx)
{
    struct suite_random r = {56};
    bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = 3, .cell = 1};
    bosc_voxelgrid_info info = {.size = sizeof info};
    for (int64_t n = 20; n < 800; n += 137) {
        struct reference_points p = clusters(&r, 3, n, 3, 200, 5);
        int64_t kept = 0;
        bosc_voxelgrid *grid = new_grid(ctx, 3, 1);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, n, 3));
        CHECK_OK(ctx, bosc_voxelgrid_get_info(ctx, grid, &info));
        CHECK_OK(ctx, bosc_voxelgrid_bytes(ctx, &opts, n, &kept, NULL));
        CHECK(info.bytes > 0 && info.bytes <= kept);
        bosc_voxelgrid_free(grid);
        free_points(&p);
    }
}

/* Grids of 2^31 points and more have no bricks; smaller ones in their memory may. */
static void bytes_of_many(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {INT32_MAX, (int64_t)1 << 31, ((int64_t)1 << 32) - 2};
    const bool bricks = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    for (int32_t dim = 1; dim <= 3; dim++)
        for (int i = 0; i < 3; i++) {
            const bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = dim, .cell = 1};
            const int64_t n = sizes[i], with_bricks = bricks ? INT32_MAX : 0, slots = with_bricks + with_bricks / 2 + 1;
            int64_t kept = 0, scratch = 0;
            CHECK_OK(ctx, bosc_voxelgrid_bytes(ctx, &opts, n, &kept, &scratch));
            /* Points, keys, an index of 4 entries a point; slots and heads. */
            CHECK_EQ(kept, n * (16 + 8) + (4 * n + 1) * 4 + (bricks ? slots * 16 + (with_bricks + 1) * 4 : 0));
            CHECK(scratch >= n * (12 * dim + 48));
        }
}

/* Bricks serve radii up to two voxels, whatever the rounding of the radius, and no larger ones; rows of six voxels hold
 * all points within reach. */
static void two_voxels(bosc_ctx *ctx)
{
    static const double cells[] = {1, 0.1, 0.3, 0x1.2p-30, 1e5 / 3};
    const bool device = suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA;
    struct suite_random r = {58};
    for (int trial = 0; trial < 15; trial++) {
        if (suite_leaves_out()) continue;
        const double cell = cells[trial % 5], radius = 2 * cell;
        const int32_t dim = 1 + trial / 5;
        struct reference_points p = clusters(&r, dim, 130, dim, dim == 1 ? 3000 : 90, dim == 1 ? 40 : 5);
        /* 1. Some points lie at the ends of voxels, two voxels from others. */
        for (int64_t at = 0; at < p.n * dim; at++) {
            const double x = kd_get(p.data, BOSC_F32, at);
            kd_set((void *)p.data, BOSC_F32, at, (at / dim % 3 ? x : floor(x)) * cell);
        }
        bosc_voxelgrid *grid = new_grid(ctx, dim, cell);
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p.data, p.n, dim));
        /* 2. The searches selected. */
        const struct bi_voxelgrid_searches *sparse = ctx->ops->voxelgrid->sparse_searches;
        CHECK((grid->view.bricks.slots != NULL) == device && (sparse != NULL) == device);
        for (int beyond = 0; beyond < 2 && device; beyond++) {
            double r2, reach;
            bi_voxelgrid_square_radius(grid, beyond ? radius * (1 + 0x1p-20) : radius, &r2, &reach);
            const struct bi_voxelgrid_searches used = bi_voxelgrid_select_searches(ctx, &grid->view, r2);
            CHECK((used.radius_count == sparse->radius_count) == !beyond);
        }
        /* 3. Their answers. */
        check_rows(ctx, grid, &p, &p, radius);
        check_pairs(ctx, grid, &p, radius);
        bosc_voxelgrid_free(grid);
        free_points(&p);
    }
}

static const struct suite_case suite_cases_voxelgrid_sparse[] = {
    {"all points", all_points, NULL}, {"ends of bricks", ends_of_bricks, NULL},      {"far voxels", far_voxels, NULL},
    {"long rows", long_rows, NULL},   {"many queries", many_queries, NULL},          {"many pairs", many_pairs, NULL},
    {"bytes", bytes, NULL},           {"bytes of many points", bytes_of_many, NULL}, {"two voxels", two_voxels, NULL},
};
SUITE(voxelgrid_sparse);
