/* Voxel grids: refused arguments, rebuilds without allocation, lifetime beyond their context. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "voxelgrid/voxelgrid.h"
#include "support/faults.h"
#include "cases/kdtree/kdtree_data.h"

static const bosc_voxelgrid_opts good = {.size = sizeof good, .dim = 2, .cell = 1};

static void refuses_bad_options(bosc_ctx *ctx)
{
    bosc_voxelgrid *grid = NULL;
    bosc_voxelgrid_opts o = good;
    static const double cells[] = {0, -1, -0.0, NAN, INFINITY, -INFINITY};
    static const int dims[] = {0, -1, 4, 1024, INT32_MIN};
    static const int types[] = {BOSC_U32, BOSC_U64, BOSC_U8, -1, 99};
    static const int bits[] = {1, 16, 33, 128, -64};
    CHECK_EQ(bosc_voxelgrid_create(NULL, &o, &grid), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, NULL, &grid), "opts");
    CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, &o, NULL), "grid");
    /* Sets one option to each bad value. */
    for (int i = 0; i < 6; i++, o = good) {
        o.cell = cells[i];
        CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, &o, &grid), "opts: cell");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.dim = dims[i];
        CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, &o, &grid), "opts: dim");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.dtype = (bosc_dtype)types[i];
        CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, &o, &grid), "opts: dtype");
    }
    for (int i = 0; i < 5; i++, o = good) {
        o.id_bits = bits[i];
        CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, &o, &grid), "opts: id_bits");
    }
    for (size_t size = 0; size < 3 * sizeof o; size += size < sizeof o ? 7 : sizeof o) {
        o.size = size;
        if (size >= sizeof(size_t) && size <= sizeof o) continue;
        CHECK_ARG(ctx, bosc_voxelgrid_create(ctx, &o, &grid), "opts: size");
    }
    CHECK(grid == NULL);
    bosc_voxelgrid_free(NULL);
}

static void refuses_bad_points(bosc_ctx *ctx)
{
    float p[20] = {0};
    bosc_voxelgrid *grid = NULL;
    bosc_voxelgrid_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &good, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, 0));
    CHECK_EQ(bosc_voxelgrid_build(NULL, grid, p, 10, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, NULL, p, 10, 0), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, NULL, 10, 0), "points");
    CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, NULL, 1, 2), "points");
    for (int off = 1; off < 4; off++)
        CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, (char *)p + off, 9, 0), "points: not aligned");
    static const int64_t sizes[] = {-1, -2, INT64_MIN};
    for (int i = 0; i < 3; i++) CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, p, sizes[i], 0), "n");
    static const int64_t strides[] = {1, -1, -2, INT64_MIN};
    for (int i = 0; i < 4; i++) CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, strides[i]), "stride");
    CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, INT64_MAX / 4), "n: 10 rows");
    CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, p, 2, INT64_MAX), "n: 2 rows");
    CHECK_STATUS(ctx, bosc_voxelgrid_build(ctx, grid, p, UINT32_MAX, 0), BOSC_ERR_LIMIT);
    CHECK_STATUS(ctx, bosc_voxelgrid_build(ctx, grid, p, INT64_MAX, 0), BOSC_ERR_LIMIT);
    p[7] = NAN;
    p[15] = NAN;
    CHECK_STATUS(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, 0), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 3 holds a NaN"));
    CHECK_EQ(bosc_voxelgrid_get_info(ctx, grid, &info), BOSC_OK); /* the grid still holds its last build */
    CHECK_EQ(info.n, 10);
    info.size = 0;
    CHECK_ARG(ctx, bosc_voxelgrid_get_info(ctx, grid, &info), "info");
    info.size = sizeof info + 1;
    CHECK_ARG(ctx, bosc_voxelgrid_get_info(ctx, grid, &info), "info");
    CHECK_ARG(ctx, bosc_voxelgrid_get_info(ctx, NULL, &info), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_get_info(ctx, grid, NULL), "info: NULL");
    CHECK_EQ(bosc_voxelgrid_get_info(NULL, grid, &info), BOSC_ERR_ARG);
    bosc_voxelgrid_free(grid);
}

static void refuses_bad_searches(bosc_ctx *ctx)
{
    float p[20] = {0}, q[6] = {0}, nan[2] = {0, NAN}, dist2[80];
    int64_t counts[4] = {7, 7, 7, 7}, offsets[4] = {7, 7, 7, 7}, ids[80];
    void *odd = (char *)ids + 4;
    static const double bad_radius[] = {-1, -1e-300, -INFINITY, NAN};
    bosc_voxelgrid *grid = NULL;
    memset(ids, 0x55, sizeof ids);
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &good, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, 0));
    /* 1. No context, no grid; bad radii, strides and numbers. */
    CHECK_EQ(bosc_voxelgrid_radius_count(NULL, grid, q, 3, 0, 1, counts), BOSC_ERR_ARG);
    CHECK_EQ(bosc_voxelgrid_voxel_count(NULL, grid, q, 3, 0, counts), BOSC_ERR_ARG);
    CHECK_EQ(bosc_voxelgrid_radius(NULL, grid, q, 3, 0, 1, offsets, NULL, NULL, 0), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, NULL, q, 3, 0, 1, counts), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, NULL, q, 3, 0, counts), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, NULL, q, 3, 0, 1, offsets, NULL, NULL, 0), "grid");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, q, 3, 0, bad_radius[i], counts), "radius");
        CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, bad_radius[i], offsets, NULL, NULL, 0), "radius");
    }
    static const int64_t strides[] = {1, -1, INT64_MIN};
    for (int i = 0; i < 3; i++) {
        CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, q, 3, strides[i], 1, counts), "stride");
        CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, q, 3, strides[i], counts), "stride");
        CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, strides[i], 1, offsets, NULL, NULL, 0), "stride");
    }
    static const int64_t sizes[] = {-1, INT64_MIN, INT64_MAX, INT64_MAX / 8};
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, q, sizes[i], 0, 1, counts), "query_count");
        CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, q, sizes[i], 0, counts), "query_count");
        CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, sizes[i], 0, 1, offsets, NULL, NULL, 0), "query_count");
    }
    /* 2. Missing and misaligned arrays. */
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, NULL, 3, 0, 1, counts), "queries");
    CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, NULL, 3, 0, counts), "queries");
    for (int off = 1; off < 4; off++)
        CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, (char *)q + off, 2, 0, counts), "queries");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, 3, 0, 1, offsets, NULL, NULL, 0), "queries");
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, (char *)q + 2, 2, 0, 1, counts), "queries");
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, q, 3, 0, 1, NULL), "counts");
    CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, q, 3, 0, NULL), "counts");
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, q, 3, 0, 1, odd), "counts");
    CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, q, 3, 0, odd), "counts");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, NULL, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, odd, NULL, NULL, 0), "offsets");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, offsets, odd, NULL, 80), "ids");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, offsets, ids, (char *)dist2 + 2, 80), "dist2");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, offsets, ids, dist2, -1), "capacity");
    /* 3. A NaN query; no output has changed. */
    CHECK_STATUS(ctx, bosc_voxelgrid_radius_count(ctx, grid, nan, 1, 0, 1, counts), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_voxelgrid_voxel_count(ctx, grid, nan, 1, 0, counts), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_voxelgrid_radius(ctx, grid, nan, 1, 0, 1, offsets, NULL, NULL, 0), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "queries: row 0 holds a NaN"));
    for (int i = 0; i < 4; i++) CHECK(counts[i] == 7 && offsets[i] == 7);
    for (int i = 0; i < 80; i++) CHECK_EQ(ids[i], 0x5555555555555555);
    bosc_voxelgrid_free(grid);
}

/* Offsets that a previous call did not compute. */
static void offsets_given(bosc_ctx *ctx)
{
    float p[20] = {0}, q[6] = {0};
    int64_t ids[80];
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &good, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, 0));
    static const int64_t wrong[][4] = {{1, 10, 20, 30}, {-1, 10, 20, 30}, {0, 20, 10, 30}, {0, 10, 20, 29},
                                       {0, 10, 20, 31}, {0, 0, 0, 0},     {0, 9, 20, 30},  {0, 10, 30, 20}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, (int64_t *)wrong[i], ids, NULL, 80), "offsets");
    static const int64_t large[] = {0, 10, 20, INT64_MAX};
    CHECK_STATUS(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, (int64_t *)large, ids, NULL, 80), BOSC_ERR_SPACE);
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 3, 0, 1, (int64_t *)large, ids, NULL, INT64_MAX), "offsets");
    int64_t none = 5;
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, q, 0, 0, 1, &none, ids, NULL, 80), "offsets");
    bosc_voxelgrid_free(grid);
}

static void refuses_bad_lists(bosc_ctx *ctx)
{
    float p[20] = {0}, dist2[50];
    int64_t ids[100], count = 7;
    void *odd = (char *)ids + 4;
    static const double bad_radius[] = {-1, -1e-300, -INFINITY, NAN};
    bosc_voxelgrid *grid = NULL;
    memset(ids, 0x55, sizeof ids);
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &good, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, p, 10, 0));
    CHECK_EQ(bosc_voxelgrid_pairs(NULL, grid, 1, ids, NULL, 50, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_voxelgrid_components(NULL, grid, 1, ids, &count), BOSC_ERR_ARG);
    CHECK_EQ(bosc_voxelgrid_voxels(NULL, grid, ids, NULL, 50, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, NULL, 1, ids, NULL, 50, &count), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, NULL, 1, ids, &count), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, NULL, ids, NULL, 50, &count), "grid");
    for (int i = 0; i < 4; i++) {
        CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, bad_radius[i], ids, NULL, 50, &count), "radius");
        CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, grid, bad_radius[i], ids, &count), "radius");
    }
    CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, odd, NULL, 50, &count), "pairs");
    CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, grid, 1, odd, &count), "labels");
    CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, odd, NULL, 50, &count), "coords");
    CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, NULL, odd, 50, &count), "counts");
    for (int off = 1; off < 4; off++) {
        CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, ids, (char *)dist2 + off, 50, &count), "dist2");
        CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, (char *)ids + off, NULL, 50, &count), "pairs");
        CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, grid, 1, (char *)ids + off, &count), "labels");
        CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, (void *)((char *)ids + off), NULL, 50, &count), "coords");
    }
    static const int64_t rooms[] = {-1, -2, -1000, INT64_MIN, INT64_MIN + 1};
    for (int i = 0; i < 5; i++) {
        CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, ids, NULL, rooms[i], &count), "capacity");
        CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, ids, NULL, rooms[i], &count), "capacity");
        CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, NULL, ids, rooms[i], &count), "capacity");
    }
    for (int off = 5; off < 8; off++) { /* the ids are 8 bytes wide here */
        CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, grid, 1, (char *)ids + off, NULL), "labels");
        CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, grid, INFINITY, (char *)ids + off, &count), "labels");
    }
    CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, ids, NULL, 50, NULL), "count");
    CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, ids, NULL, 50, NULL), "count");
    CHECK_EQ(count, 7);
    for (int i = 0; i < 100; i++) CHECK_EQ(ids[i], 0x5555555555555555);
    CHECK_OK(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, ids, NULL, 45, &count));
    CHECK_EQ(count, 45);
    CHECK_EQ(ids[90], 0x5555555555555555);
    bosc_voxelgrid_free(grid);
}

/* Calls check the device recorded for the grid's memory; the case changes that record. */
static void other_device(bosc_ctx *ctx)
{
    bosc_voxelgrid *grid = NULL;
    bosc_voxelgrid_info info = {.size = sizeof info, .n = 77};
    int64_t count = 77;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &good, &grid));
    grid->memory.device++;
    CHECK_ARG(ctx, bosc_voxelgrid_build(ctx, grid, NULL, 0, 0), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_reserve(ctx, grid, 1, 1), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_get_info(ctx, grid, &info), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_voxels(ctx, grid, NULL, NULL, 0, &count), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, NULL, 0, 0, NULL), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, NULL, 0, 0, 1, NULL), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, 0, 0, 1, &count, NULL, NULL, 0), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_pairs(ctx, grid, 1, NULL, NULL, 0, &count), "grid: it is on device");
    CHECK_ARG(ctx, bosc_voxelgrid_components(ctx, grid, 1, NULL, &count), "grid: it is on device");
    CHECK(count == 77 && info.n == 77);
    grid->memory.device--;
    bosc_voxelgrid_free(grid);
}

static void other_backend(void)
{
    bosc_ctx_opts cpu = {.size = sizeof cpu}, cuda = {.size = sizeof cuda, .backend = BOSC_BACKEND_CUDA};
    bosc_ctx *a = NULL, *b = NULL;
    bosc_voxelgrid *grid = NULL;
    int64_t count;
    if (bosc_device_count() == 0) return;
    CHECK_EQ(bosc_ctx_create(&cpu, &a), BOSC_OK);
    CHECK_EQ(bosc_ctx_create(&cuda, &b), BOSC_OK);
    CHECK_OK(a, bosc_voxelgrid_create(a, &good, &grid));
    CHECK_ARG(b, bosc_voxelgrid_build(b, grid, NULL, 0, 0), "grid");
    CHECK_ARG(b, bosc_voxelgrid_pairs(b, grid, 1, NULL, NULL, 0, &count), "grid");
    bosc_voxelgrid_free(grid);
    bosc_ctx_free(a);
    bosc_ctx_free(b);
}

static void reserve_args(bosc_ctx *ctx)
{
    static const int64_t many[] = {INT64_MAX, INT64_MAX / 16, INT64_MAX / 64};
    bosc_voxelgrid_opts o = good;
    bosc_voxelgrid *grid = NULL;
    int64_t kept = 7, scratch = 7;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &o, &grid));
    /* Missing handles, then numbers below 0 and beyond the limits. */
    CHECK_EQ(bosc_voxelgrid_reserve(NULL, grid, 1, 1), BOSC_ERR_ARG);
    CHECK_EQ(bosc_voxelgrid_bytes(NULL, &o, 1, &kept, &scratch), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_voxelgrid_reserve(ctx, NULL, 1, 1), "grid");
    CHECK_ARG(ctx, bosc_voxelgrid_bytes(ctx, NULL, 1, &kept, &scratch), "opts");
    for (int64_t n = -1; n > -100; n *= 3) {
        CHECK_ARG(ctx, bosc_voxelgrid_reserve(ctx, grid, n, 1), "n");
        CHECK_ARG(ctx, bosc_voxelgrid_reserve(ctx, grid, 1, n), "query_count");
        CHECK_ARG(ctx, bosc_voxelgrid_bytes(ctx, &o, n, &kept, &scratch), "n");
    }
    for (int i = 0; i < 3; i++) {
        CHECK_STATUS(ctx, bosc_voxelgrid_reserve(ctx, grid, many[i], 1), BOSC_ERR_LIMIT);
        CHECK_STATUS(ctx, bosc_voxelgrid_bytes(ctx, &o, many[i], &kept, &scratch), BOSC_ERR_LIMIT);
        CHECK_ARG(ctx, bosc_voxelgrid_reserve(ctx, grid, 1, many[i]), "query_count");
    }
    /* Bad options of bytes; its outputs are unchanged. */
    for (int i = 0; i < 4; i++, o = good) {
        int dims[] = {0, 4, -1, 100};
        o.dim = dims[i];
        CHECK_ARG(ctx, bosc_voxelgrid_bytes(ctx, &o, 1, &kept, &scratch), "opts: dim");
    }
    CHECK(kept == 7 && scratch == 7);
    bosc_voxelgrid_free(grid);
}

/* After a reserve nothing is allocated, whatever the points, and a larger reserve keeps the grid's contents. */
static void reserve(bosc_ctx *ctx)
{
    int64_t live[2], n = suite_slow(ctx) ? 150 : 5000;
    bosc_ctx *own = counted_context(ctx, live);
    /* Dimensions, types and shapes in all combinations. */
    for (int kind = 0; kind < 8; kind++) {
        struct suite_random r = {(uint64_t)kind};
        bosc_voxelgrid_opts o = {
            .size = sizeof o, .dim = 1 + kind % 3, .dtype = kind & 1 ? BOSC_F64 : BOSC_F32, .cell = 0.01};
        struct reference_points p = kd_points(&r, o.dtype, o.dim, n, o.dim, kind & 2 ? KD_GRID : KD_RANDOM);
        bosc_voxelgrid_info info = {.size = sizeof info};
        int64_t kept, scratch, before[2], count, again;
        int64_t *counts = suite_alloc((size_t)n * sizeof *counts), *others = suite_alloc((size_t)n * sizeof *others);
        bosc_voxelgrid *grid = NULL;
        CHECK_OK(own, bosc_voxelgrid_create(own, &o, &grid));
        /* 1. A reserve takes the reported bytes. */
        CHECK_OK(own, bosc_voxelgrid_reserve(own, grid, n, n));
        CHECK_OK(own, bosc_voxelgrid_bytes(own, &o, n, &kept, &scratch));
        CHECK_EQ(bosc_voxelgrid_get_info(ctx, grid, &info), BOSC_OK);
        CHECK(info.bytes == kept && scratch > 0);
        /* 2. Build and searches allocate nothing. */
        memcpy(before, live, sizeof live);
        CHECK_OK(own, bosc_voxelgrid_build(own, grid, p.data, n, 0));
        CHECK_OK(own, bosc_voxelgrid_radius_count(own, grid, p.data, n, 0, 0.1, counts));
        CHECK_OK(own, bosc_voxelgrid_voxels(own, grid, NULL, NULL, 0, &count));
        CHECK_EQ(bosc_voxelgrid_get_info(ctx, grid, &info), BOSC_OK);
        CHECK(live[0] == before[0] && live[1] == before[1] && info.bytes == kept);
        /* 3. A larger reserve keeps the results. */
        CHECK_OK(own, bosc_voxelgrid_reserve(own, grid, 3 * n, 1));
        CHECK_OK(own, bosc_voxelgrid_radius_count(own, grid, p.data, n, 0, 0.1, others));
        CHECK_OK(own, bosc_voxelgrid_voxels(own, grid, NULL, NULL, 0, &again));
        CHECK(count == again && memcmp(counts, others, (size_t)n * sizeof *counts) == 0);
        bosc_voxelgrid_free(grid);
        free(counts);
        free(others);
        free((void *)p.data);
    }
    bosc_ctx_free(own);
    CHECK(live[0] == 0 && live[1] == 0);
}

/* Every frame after the first two allocates nothing. Unchecked NaNs affect no other point. */
static void frames(bosc_ctx *ctx)
{
    struct suite_random r = {41};
    int64_t live[2], before[2] = {0, 0}, count, counts[50];
    bosc_ctx *own = counted_context(ctx, live);
    bosc_voxelgrid *grid = NULL;
    bosc_voxelgrid_opts o = good;
    o.assume_valid = 1;
    CHECK_OK(own, bosc_voxelgrid_create(own, &o, &grid));
    for (int frame = 0; frame < 6; frame++) {
        struct reference_points p = kd_points(&r, BOSC_F32, 2, 200 - frame, 2, KD_RANDOM);
        for (int i = 0; i < 4; i++) /* the same extent each time */
            ((float *)p.data)[i] = i < 2 ? -1000 : 1000;
        if (frame == 4) ((float *)p.data)[100] = NAN;
        CHECK_OK(own, bosc_voxelgrid_build(own, grid, p.data, p.n, 0));
        CHECK_OK(own, bosc_voxelgrid_pairs(own, grid, 3, NULL, NULL, 0, &count));
        CHECK_OK(own, bosc_voxelgrid_components(own, grid, 3, NULL, &count));
        CHECK_OK(own, bosc_voxelgrid_radius_count(own, grid, p.data, 50, 0, 3, counts));
        if (frame > 1 && frame != 4) CHECK(live[0] == before[0] && live[1] == before[1]);
        memcpy(before, live, sizeof live);
        free((void *)p.data);
    }
    bosc_ctx_free(own); /* the grid outlives it */
    bosc_voxelgrid_free(grid);
    CHECK_EQ(live[0], 0);
    CHECK_EQ(live[1], 0);
}

static const struct suite_case suite_cases_voxelgrid_args[] = {
    {"create", refuses_bad_options, NULL},       {"build", refuses_bad_points, NULL},
    {"search", refuses_bad_searches, NULL},      {"offsets", offsets_given, NULL},
    {"reserve's arguments", reserve_args, NULL}, {"reserve", reserve, NULL},
    {"lists", refuses_bad_lists, NULL},          {"frames", frames, NULL},
    {"another device", other_device, NULL},      {"another backend", NULL, other_backend},
};
SUITE(voxelgrid_args);
