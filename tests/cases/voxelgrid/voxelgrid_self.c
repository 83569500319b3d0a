/* Searches around the points of the build (queries NULL) equal a search over all points, and the same points passed as
 * queries, to the bit. */
#include <stdlib.h>
#include <string.h>

#include "support/arrays.h"
#include "support/capture.h"
#include "cases/kdtree/kdtree_data.h"
#include "reference/voxelgrid.h"

/* The results of all searches. */
struct answers {
    int64_t n, *voxels, *counts, *offsets;
    void *ids, *dist2;
};

static void *zeros(int64_t count) { return memset(suite_alloc((size_t)count * 8), 0, (size_t)count * 8); }

static struct answers search_all(bosc_ctx *ctx, const bosc_voxelgrid *grid, const void *queries, int64_t n,
                                 int64_t stride, double radius)
{
    struct answers a = {.n = n, .voxels = zeros(n), .counts = zeros(n), .offsets = zeros(n + 1)};
    CHECK_OK(ctx, bosc_voxelgrid_voxel_count(ctx, grid, queries, n, stride, a.voxels));
    CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, grid, queries, n, stride, radius, a.counts));
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, queries, n, stride, radius, a.offsets, NULL, NULL, 0));
    const int64_t total = a.offsets[n];
    a.ids = zeros(total);
    a.dist2 = zeros(total);
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, queries, n, stride, radius, a.offsets, a.ids, a.dist2, total));
    return a;
}

static void free_answers(struct answers *a)
{
    free(a->voxels);
    free(a->counts);
    free(a->offsets);
    free(a->ids);
    free(a->dist2);
}

static void check_same(const struct answers *a, const struct answers *b)
{
    const size_t bytes = (size_t)a->n * 8, entries = (size_t)a->offsets[a->n] * 8;
    CHECK(memcmp(a->offsets, b->offsets, bytes + 8) == 0);
    CHECK(memcmp(a->voxels, b->voxels, bytes) == 0);
    CHECK(memcmp(a->counts, b->counts, bytes) == 0);
    CHECK(memcmp(a->ids, b->ids, entries) == 0);
    CHECK(memcmp(a->dist2, b->dist2, entries) == 0);
}

/* Compares all results with a search over all points. */
static void check_right(const struct answers *a, const struct reference_points *p, double cell, double radius,
                        int32_t id_bits)
{
    const double r2 = reference_square(p, radius);
    int64_t at = 0;
    for (int64_t i = 0; i < p->n; i++) {
        int64_t inside = 0;
        CHECK_EQ(a->offsets[i], at);
        for (int64_t j = 0; j < p->n; j++) {
            bool same = true;
            for (int32_t c = 0; c < p->dim; c++)
                same &= reference_voxel(p, i, c, cell) == reference_voxel(p, j, c, cell);
            inside += same;
            double d;
            if (!reference_is_within(p, j, kd_row(p, i), r2, &d)) continue;
            CHECK(at < a->offsets[p->n]);
            CHECK_EQ(kd_id(a->ids, id_bits, at), j);
            CHECK(d == (p->dtype == BOSC_F32 ? (double)((float *)a->dist2)[at] : ((double *)a->dist2)[at]));
            at++;
        }
        CHECK_EQ(a->voxels[i], inside);
        CHECK_EQ(a->counts[i], at - a->offsets[i]);
    }
    CHECK_EQ(a->offsets[p->n], at);
}

/* Searches around the points themselves, also after their array has changed. */
static void check_self(bosc_ctx *ctx, const struct reference_points *p, double cell, double radius, int32_t id_bits)
{
    const bosc_voxelgrid_opts opts = {
        .size = sizeof opts, .dtype = p->dtype, .dim = p->dim, .cell = cell, .id_bits = id_bits};
    const size_t bytes = (size_t)(p->n * p->stride) * bosc_dtype_size(p->dtype);
    void *data = suite_alloc(bytes);
    bosc_voxelgrid *grid = NULL;
    memcpy(data, p->data, bytes);
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &grid));
    CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, data, p->n, p->stride));
    struct answers given = search_all(ctx, grid, data, p->n, p->stride, radius);
    memset(data, 0x33, bytes);
    struct answers own = search_all(ctx, grid, NULL, p->n, 0, radius);
    check_same(&own, &given);
    check_right(&own, p, cell, radius, id_bits);
    bosc_voxelgrid_free(grid);
    free_answers(&given);
    free_answers(&own);
    free(data);
}

static void every_shape_and_type(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const double cells[] = {0.37, 1, 50, 1e-3, 1e30, 5e-324}, radii[] = {0, 1, 50, 1e18, INFINITY, 0.1};
    struct suite_random r = {51};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int trial = 0; trial < 12; trial++) {
            if (suite_leaves_out()) continue;
            const int32_t dim = 1 + trial % 3;
            const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 30 : 80);
            struct reference_points p = kd_points(&r, dtypes[trial % 4], dim, n, dim + trial % 2, (enum kd_shape)s);
            check_self(ctx, &p, cells[suite_below(&r, 6)], radii[suite_below(&r, 6)], trial % 2 ? 32 : 64);
            free((void *)p.data);
        }
}

/* Points in a box of about `side` voxels of edge 1 in each coordinate. */
static struct reference_points in_box(struct suite_random *r, int32_t dim, int64_t n, double side)
{
    struct reference_points p = kd_points(r, BOSC_F32, dim, n, dim, KD_EQUAL);
    for (int64_t at = 0; at < n * dim; at++)
        kd_set((void *)p.data, BOSC_F32, at, suite_unit(r) * side - side / 3 + (double)(at % dim));
    return p;
}

/* From few points a voxel to all of them in one. */
static void boxes(bosc_ctx *ctx)
{
    static const double radii[] = {1, 0.4, 2.3, 0, 0.9}, sides[] = {1, 0.3, 1.8, 0.05};
    struct suite_random r = {52};
    for (int trial = 0; trial < 40; trial++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 1 + trial % 3;
        const int64_t n = 1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 150 : 500);
        struct reference_points p = in_box(&r, dim, n, (dim == 1 ? 60 : dim == 2 ? 9 : 4) * sides[trial % 4]);
        check_self(ctx, &p, 1, radii[trial % 5], trial % 2 ? 32 : 64);
        free((void *)p.data);
    }
}

static void fewer_than_5_points(bosc_ctx *ctx)
{
    struct suite_random r = {53};
    for (int64_t n = 0; n < 5; n++)
        for (int32_t dim = 1; dim <= 3; dim++)
            for (int wide = 0; wide < 2; wide++) {
                struct reference_points p = kd_points(&r, wide ? BOSC_F64 : BOSC_F32, dim, n, dim, KD_GRID);
                check_self(ctx, &p, 2, 1, 64);
                free((void *)p.data);
            }
}

/* Enough points that they would be sorted first as queries. */
static void more_points_than_sorted_queries(bosc_ctx *ctx)
{
    struct suite_random r = {54};
    for (int wide = 0; wide < 2; wide++) {
        if (suite_leaves_out()) continue;
        struct reference_points p = in_box(&r, 3, 4200, 12), q = p;
        if (wide) {
            q = kd_points(&r, BOSC_F64, 3, p.n, 3, KD_EQUAL);
            for (int64_t at = 0; at < 3 * p.n; at++) ((double *)q.data)[at] = ((const float *)p.data)[at] + 1e-9;
        }
        check_self(ctx, &q, 1, 0.8, 64);
        if (wide) free((void *)q.data);
        free((void *)p.data);
    }
}

static void refuses_wrong_counts(bosc_ctx *ctx)
{
    static const int64_t wrong[] = {1, 9, 11, INT64_MAX, -10};
    const bosc_voxelgrid_opts opts = {.size = sizeof opts, .dim = 2, .cell = 1};
    float points[20] = {0};
    int64_t counts[11] = {7}, offsets[12] = {7}, ids[100];
    bosc_voxelgrid *grid = NULL;
    CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &grid));
    /* 1. Without a build only 0 queries are valid; with one, 0 or all its points. */
    for (int built = 0; built < 2; built++) {
        for (int k = built ? 0 : 4; k < 5; k++) {
            const int64_t m = wrong[k];
            const char *name = m < 0 ? "query_count: -10" : "queries: NULL, but query_count ";
            CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, NULL, m, 0, counts), name);
            CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, NULL, m, 0, 1, counts), name);
            CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, m, 0, 1, offsets, NULL, NULL, 0), name);
        }
        CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, NULL, 12, 0, 1, counts), "queries: NULL");
        if (!built) CHECK_OK(ctx, bosc_voxelgrid_build(ctx, grid, points, 10, 0));
    }
    /* 2. Other bad arguments; nothing is written. */
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, NULL, 10, 0, -1, counts), "radius");
    CHECK_ARG(ctx, bosc_voxelgrid_radius_count(ctx, grid, NULL, 10, 0, 1, NULL), "counts");
    CHECK_ARG(ctx, bosc_voxelgrid_voxel_count(ctx, grid, NULL, 10, 0, NULL), "counts");
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, 10, 0, 1, NULL, NULL, NULL, 0), "offsets");
    CHECK(counts[0] == 7 && offsets[0] == 7);
    /* 3. Offsets that do not belong to the search. */
    CHECK_OK(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, 10, 0, 1, offsets, NULL, NULL, 0));
    CHECK_STATUS(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, 10, 0, 1, offsets, ids, NULL, 99), BOSC_ERR_SPACE);
    offsets[3]--;
    CHECK_ARG(ctx, bosc_voxelgrid_radius(ctx, grid, NULL, 10, 0, 1, offsets, ids, NULL, 100), "offsets");
    bosc_voxelgrid_free(grid);
}

/* Counts into the context's memory, which do not wait. */
struct scene {
    bosc_voxelgrid *grid;
    int64_t n;
    struct array voxels, counts;
};

static void count(bosc_ctx *ctx, void *user)
{
    const struct scene *s = user;
    CHECK_OK(ctx, bosc_voxelgrid_voxel_count(ctx, s->grid, NULL, s->n, 0, s->voxels.p));
    CHECK_OK(ctx, bosc_voxelgrid_radius_count(ctx, s->grid, NULL, s->n, 0, 0.8, s->counts.p));
}

static void captured_searches(bosc_ctx *ctx)
{
    struct suite_random r = {55};
    for (int wide = 0; wide < 2; wide++) {
        struct reference_points p = in_box(&r, 3, 300, 5);
        struct scene s = {.n = wide ? 150 : 300}; /* pairs of floats read as doubles are valid points too */
        const bosc_voxelgrid_opts opts = {
            .size = sizeof opts, .dim = 3, .cell = 1, .dtype = wide ? BOSC_F64 : BOSC_F32};
        struct capture graph;
        CHECK_OK(ctx, bosc_voxelgrid_create(ctx, &opts, &s.grid));
        CHECK_OK(ctx, bosc_voxelgrid_build(ctx, s.grid, p.data, s.n, 0));
        struct answers want = search_all(ctx, s.grid, p.data, s.n, 0, 0.8);
        s.voxels = array_make(ctx, NULL, (size_t)s.n * 8, has_device_memory(ctx));
        s.counts = array_make(ctx, NULL, (size_t)s.n * 8, has_device_memory(ctx));
        capture_open(&graph, ctx, count, &s);
        for (int round = 0; round < 2; round++) {
            memset(s.counts.host, 0x33, s.counts.bytes);
            CHECK_OK(ctx, bosc_ctx_copy(ctx, s.counts.p, s.counts.host, s.counts.bytes));
            CHECK_OK(ctx, bosc_ctx_copy(ctx, s.voxels.p, s.counts.host, s.voxels.bytes));
            capture_replay(&graph);
            CHECK(memcmp(array_get(ctx, &s.voxels), want.voxels, s.voxels.bytes) == 0);
            CHECK(memcmp(array_get(ctx, &s.counts), want.counts, s.counts.bytes) == 0);
        }
        capture_close(&graph);
        array_free(ctx, &s.voxels);
        array_free(ctx, &s.counts);
        free_answers(&want);
        bosc_voxelgrid_free(s.grid);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_voxelgrid_self[] = {
    {"shapes", every_shape_and_type, NULL},    {"boxes", boxes, NULL},
    {"small", fewer_than_5_points, NULL},      {"many", more_points_than_sorted_queries, NULL},
    {"arguments", refuses_wrong_counts, NULL}, {"recorded", captured_searches, NULL},
};
SUITE(voxelgrid_self);
