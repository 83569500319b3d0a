/* Searches for the k nearest in more than 16 dimensions equal measuring every point. CUDA filters pairs on tensor
 * cores; its bounds must hold for all points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_checks.h"
#include "support/counted.h"

static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};

/* Points, and queries of the same kind. */
struct filter_data {
    struct reference_points p, q;
};

static struct filter_data allocate_data(bosc_dtype dtype, int32_t dim, int64_t n, int64_t m)
{
    struct suite_random r = {1};
    return (struct filter_data){kd_points(&r, dtype, dim, n, dim, KD_EQUAL),
                                kd_points(&r, dtype, dim, m, dim + 1, KD_EQUAL)};
}

static void set_point(const struct reference_points *p, int64_t i, int32_t c, double x)
{
    kd_set((void *)p->data, p->dtype, i * p->stride + c, x);
}

static void free_data(struct filter_data *d)
{
    free((void *)d->p.data);
    free((void *)d->q.data);
}

/* Searches for k neighbours, of all distances and within a radius; of all points too, if `self`. */
static void check_data(bosc_ctx *ctx, const struct filter_data *d, int64_t k, double radius, bool self)
{
    const int32_t id_bits = k % 2 ? 32 : 64;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = d->p.dtype, .dim = d->p.dim, .id_bits = id_bits};
    bosc_kdtree *tree = kd_build(ctx, &opts, &d->p);
    check_knn(ctx, tree, &d->p, &d->q, k, -1, id_bits);
    if (radius >= 0) check_knn(ctx, tree, &d->p, &d->q, k, radius, id_bits);
    if (self) check_self(ctx, tree, &d->p, k, id_bits);
    bosc_kdtree_free(tree);
}

/* True for sizes that a device alone measures quickly. */
static bool is_large(bosc_ctx *ctx) { return !suite_slow(ctx) && suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA; }

/* Every type, numbers of dimensions around steps of tensor cores, sizes around tiles, shapes with ties. */
static void shapes(bosc_ctx *ctx)
{
    static const int32_t dims[] = {17, 32, 33, 64};
    static const int64_t sizes[] = {300, 1025, 257, 640}, neighbors[] = {8, 1, 32, 33, 5};
    struct suite_random r = {2};
    for (int s = 0, i = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 4; t++, i++) {
            if (suite_leaves_out()) continue;
            const int64_t n = sizes[(t + s) % 4], m = suite_slow(ctx) ? 6 : 140;
            const int32_t dim = dims[(i + i / 4) % 4];
            struct filter_data d = {kd_ordinary_points(&r, dtypes[t], dim, n, dim, (enum kd_shape)s),
                                    kd_ordinary_points(&r, dtypes[t], dim, m, dim + i % 2, (enum kd_shape)s)};
            check_data(ctx, &d, neighbors[i % 5], i % 3 ? 1500 : 3, i % 4 == 0 && !suite_slow(ctx));
            free_data(&d);
        }
}

/* Trees of few points, and more neighbours than points. */
static void few_points(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {0, 1, 31, 33};
    struct suite_random r = {3};
    for (int i = 0; i < 4; i++) {
        struct filter_data d = {kd_points(&r, dtypes[i], 18 + i, sizes[i], 18 + i, KD_GRID),
                                kd_points(&r, dtypes[i], 18 + i, 5, 18 + i, KD_GRID)};
        check_data(ctx, &d, 32, 3, true);
        free_data(&d);
    }
}

/* Rounding to halves misleads as much as bounds allow. A far point makes integers adjacent halves; most points are 0.
 * The query is 10.5 in all coordinates, rounded to 10. Forty points of 9.5 are rounded to 10 too, one of 11.5 to 12.
 * They are equally far, and the latter has the least id. Yet rounded distances are 0 and twice the true one. */
static void tight_errors(bosc_ctx *ctx)
{
    for (int t = 0; t < 2; t++) {
        const int64_t n = 700;
        struct filter_data d = allocate_data(dtypes[t], t ? 17 : 30, n, 3);
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < d.p.dim; c++)
                set_point(&d.p, i, c, i == 0 ? -0x1p34 : i == 5 ? 11.5 : i % 17 == 9 ? 9.5 : 0);
        for (int64_t i = 0; i < d.q.n; i++)
            for (int32_t c = 0; c < d.p.dim; c++) set_point(&d.q, i, c, 10.5);
        check_data(ctx, &d, 1, -1, false);
        free_data(&d);
    }
}

/* Most points are near 0, which becomes the centre, and some in a corner, where the queries are. Halves represent all
 * coordinates, so that only sums of products are inexact; these are long, and distances short. */
static void truncated_sums(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    for (int t = 0; t < 2; t++) {
        if (suite_leaves_out()) continue;
        const int64_t n = suite_slow(ctx) ? 270 : 1500, m = suite_slow(ctx) ? 8 : 100;
        struct filter_data d = allocate_data(dtypes[t], t ? 64 : 96, n, m);
        for (int64_t i = 0; i < n + m; i++)
            for (int32_t c = 0; c < d.p.dim; c++) {
                const bool is_query = i >= n, in_corner = is_query || i % 5 == 0;
                set_point(is_query ? &d.q : &d.p, is_query ? i - n : i, c,
                          (in_corner ? 1030 : -2) + (double)suite_below(&r, in_corner ? 2 : 5));
            }
        check_data(ctx, &d, 1, -1, false);
        free_data(&d);
    }
}

/* Sums of products lose much. Coordinates are integers that halves represent, and the centre is 0. A query is 2001
 * in all coordinates. Some points are 2016 in all: products are multiples of 32, the unit of sums, and distances are
 * exact. A list has room for these points. The nearest point is little nearer. Its products are 31 modulo 32, and
 * truncated. */
static void lost_products(bosc_ctx *ctx)
{
    for (int t = 0; t < 3; t++) {
        const int64_t n = (is_large(ctx) ? 1300 : 400) + t, own = 101 * (t + 1);
        const int32_t dim = 256;
        struct filter_data d = allocate_data(dtypes[t], dim, n, 2);
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < dim; c++)
                set_point(&d.p, i, c,
                          i == own      ? (c < 63 ? 2031 : 1999)
                          : i % 10 == 0 ? 2016
                                        : (double)((i + c) % 11 == 0));
        for (int64_t i = 0; i < d.q.n; i++)
            for (int32_t c = 0; c < dim; c++) set_point(&d.q, i, c, i ? 2001 : 3);
        check_data(ctx, &d, 1, -1, false);
        free_data(&d);
    }
}

/* Copies of few points, more than a list of candidates holds: ids decide. */
static void copies(bosc_ctx *ctx)
{
    struct suite_random r = {6};
    for (int t = 0; t < 4; t++) {
        if (suite_leaves_out()) continue;
        struct filter_data d = allocate_data(dtypes[t], 20, 1100, 24);
        for (int64_t i = 0; i < d.p.n; i++)
            for (int32_t c = 0; c < 20; c++) set_point(&d.p, i, c, (double)(i * 7 % (t + 1) * (c + 1)));
        for (int64_t i = 0; i < d.q.n; i++)
            for (int32_t c = 0; c < 20; c++) set_point(&d.q, i, c, (double)suite_below(&r, 3) * (c + 1));
        check_data(ctx, &d, 7, 0, t == 1);
        free_data(&d);
    }
}

/* Infinite coordinates, coordinates of very different magnitudes, and queries far from all points. */
static void extremes(bosc_ctx *ctx)
{
    static const double points[] = {INFINITY, -INFINITY, 0x1p57, 1e-30, 0x1p40},
                        queries[] = {0, INFINITY, 1e15, -0x1p57, 0x1p300};
    struct suite_random r = {7};
    for (int e = 0; e < 5; e++) {
        if (suite_leaves_out()) continue;
        const bosc_dtype dtype = dtypes[(e + 1) % 2];
        const int32_t dim = 19;
        struct filter_data d = {kd_points(&r, dtype, dim, 500, dim, KD_RANDOM),
                                kd_points(&r, dtype, dim, 16, dim, KD_RANDOM)};
        for (int64_t i = 0; i < d.p.n; i += e == 1 ? 2 : 100) set_point(&d.p, i, (int32_t)(i % dim), points[e]);
        for (int64_t i = 0; i < d.q.n; i += 3) set_point(&d.q, i, (int32_t)(i % dim), queries[i / 3 % 5]);
        check_data(ctx, &d, 4, e ? INFINITY : 900, false);
        free_data(&d);
    }
}

/* More queries than a batch, and more points than are rounded at once. */
static void parts(bosc_ctx *ctx)
{
    struct suite_random r = {8};
    const bool large = is_large(ctx);
    const int64_t n = large ? 1500 : 1200, m = large ? 70000 : 300, step = large ? 9973 : 43;
    const int32_t dim = 18;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = dim, .id_bits = 32};
    struct reference_points p = kd_points(&r, BOSC_F32, dim, n, dim, KD_RANDOM), one,
                            q = kd_points(&r, BOSC_F32, dim, m, dim, KD_RANDOM);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    uint32_t *ids = suite_alloc((size_t)m * 2 * sizeof *ids);
    CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, q.data, m, dim, 2, ids, NULL));
    for (int64_t i = 0; i < m; i += step) {
        int64_t expected[2];
        double dist2[2];
        one = q;
        one.data = kd_row(&q, i);
        one.n = 1;
        reference_knn(&p, one.data, 2, (double)INFINITY, expected, dist2);
        CHECK_EQ(ids[2 * i], expected[0]);
        CHECK_EQ(ids[2 * i + 1], expected[1]);
    }
    bosc_kdtree_free(tree);
    free(ids);
    free((void *)p.data);
    free((void *)q.data);
}

/* More than 64 dimensions with few and many queries, and 1,024. */
static void many_dimensions(bosc_ctx *ctx)
{
    struct suite_random r = {9};
    const int64_t n = suite_emulated(ctx) ? 150 : 400, m = suite_slow(ctx) ? 3 : 200;
    for (int i = 0; i < 2; i++) {
        struct filter_data few = {kd_points(&r, dtypes[3 * i], 65 + i, 300, 65 + i, KD_RANDOM),
                                  kd_points(&r, dtypes[3 * i], 65 + i, i ? 140 : 40, 65 + i, KD_RANDOM)};
        check_data(ctx, &few, 4, -1, false);
        free_data(&few);
    }
    struct filter_data d = {kd_points(&r, BOSC_F32, 1024, n, 1024, KD_RANDOM),
                            kd_points(&r, BOSC_F32, 1024, m, 1024, KD_RANDOM)};
    check_data(ctx, &d, 3, -1, false);
    free_data(&d);
}

/* Searches after a reservation allocate nothing: in 40 dimensions, and in 16, where a device selects the method. */
static void reserved(bosc_ctx *like)
{
    static const int32_t dims[] = {40, 16};
    struct suite_random r = {10};
    struct counted c;
    counted_open(&c, like, 0);
    for (int i = 0; i < 2; i++) {
        const int64_t n = 600, m = 40, k = 2;
        struct filter_data d = {kd_points(&r, BOSC_F32, dims[i], n, dims[i], KD_RANDOM),
                                kd_points(&r, BOSC_F32, dims[i], m, dims[i], KD_RANDOM)};
        const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = dims[i]};
        int64_t *ids = suite_alloc((size_t)(m * k) * sizeof *ids);
        bosc_kdtree *tree = NULL;
        CHECK_OK(c.ctx, bosc_kdtree_create(c.ctx, &opts, &tree));
        CHECK_OK(c.ctx, bosc_kdtree_reserve(c.ctx, tree, n, m, k));
        const int64_t before = c.allocations;
        for (int64_t part = 0; part < 2; part++) {
            CHECK_OK(c.ctx, bosc_kdtree_build(c.ctx, tree, d.p.data, n - 100 * part, 0));
            CHECK_OK(c.ctx, bosc_kdtree_knn(c.ctx, tree, d.q.data, m - part, 0, k, ids, NULL));
        }
        CHECK_EQ(c.allocations, before);
        bosc_kdtree_free(tree);
        free(ids);
        free_data(&d);
    }
    counted_close(&c);
}

/* A NaN in a query is reported with its row, and outputs are unchanged. */
static void nan_in_query(bosc_ctx *ctx)
{
    struct suite_random r = {11};
    struct filter_data d = {kd_points(&r, BOSC_F32, 40, 600, 40, KD_RANDOM),
                            kd_points(&r, BOSC_F32, 40, 9, 40, KD_RANDOM)};
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = BOSC_F32, .dim = 40};
    int64_t ids[18];
    bosc_kdtree *tree = kd_build(ctx, &opts, &d.p);
    set_point(&d.q, 7, 39, (double)NAN);
    memset(ids, 0x11, sizeof ids);
    CHECK_STATUS(ctx, bosc_kdtree_knn(ctx, tree, d.q.data, 9, 40, 2, ids, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "queries: row 7 holds a NaN"));
    for (int i = 0; i < 18; i++) CHECK_EQ(ids[i], 0x1111111111111111);
    bosc_kdtree_free(tree);
    free_data(&d);
}

/* Many queries in 16 dimensions: of uniform points, where boxes exclude little, of clusters, where they exclude most,
 * and of copies. A device selects the method; the answers are the same. */
static void method_of_16_dimensions(bosc_ctx *ctx)
{
    struct suite_random r = {12};
    for (int t = 0; t < 4; t++) {
        if (suite_leaves_out()) continue;
        /* 1. Make the points. */
        const bool large = is_large(ctx);
        const int64_t n = large ? 20000 : 2100, m = large ? 54000 : 10, some = 10; /* 2^30 pairs */
        struct filter_data d = allocate_data(dtypes[(t + 2) % 4], t == 2 ? 9 : 16, n, m);
        for (int64_t i = 0; i < n + m; i++)
            for (int32_t c = 0; c < d.p.dim; c++) {
                const double x = suite_unit(&r) * 1000;
                set_point(i < n ? &d.p : &d.q, i < n ? i : i - n, c,
                          t == 1   ? (double)(i % 40 * 5000 % (977 * (c + 1))) + x / 100
                          : t == 3 ? floor(x / 400)
                                   : x);
            }
        /* 2. Compare some queries, or all, with the reference, and then all with some. */
        d.q.n = large ? some : m;
        check_data(ctx, &d, t ? 6 : 1, t % 2 ? 100 : -1, false);
        if (large) {
            const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = d.p.dtype, .dim = d.p.dim, .id_bits = 32};
            uint32_t *all = suite_alloc((size_t)m * 4), *first = suite_alloc((size_t)some * 4);
            bosc_kdtree *tree = kd_build(ctx, &opts, &d.p);
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, d.q.data, m, d.q.stride, 1, all, NULL));
            CHECK_OK(ctx, bosc_kdtree_knn(ctx, tree, d.q.data, some, d.q.stride, 1, first, NULL));
            CHECK(memcmp(all, first, (size_t)some * 4) == 0);
            bosc_kdtree_free(tree);
            free(all);
            free(first);
        }
        free_data(&d);
    }
}

static const struct suite_case suite_cases_kdtree_filter[] = {
    {"shapes", shapes, NULL},
    {"few points", few_points, NULL},
    {"tight errors", tight_errors, NULL},
    {"truncated sums", truncated_sums, NULL},
    {"lost products", lost_products, NULL},
    {"copies", copies, NULL},
    {"extremes", extremes, NULL},
    {"parts", parts, NULL},
    {"many dimensions", many_dimensions, NULL},
    {"reserved", reserved, NULL},
    {"NaN in a query", nan_in_query, NULL},
    {"method of 16 dimensions", method_of_16_dimensions, NULL},
};
SUITE(kdtree_filter);
