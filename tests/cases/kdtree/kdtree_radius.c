/* Reported distances as radii and bounds: by each call and metric, a ball holds the neighbours at its radius and no
 * point beyond it. Long rows without duplicates. */
#include "cases/kdtree/kdtree_metric_data.h"
#include "cases/kdtree/kdtree_order.h"

enum { K = 5 };

/* Points whose distances have no short roots. */
static struct km_trial make_trial(bosc_ctx *ctx, struct suite_random *r, bosc_dtype dtype, int32_t dim, double norm,
                                  bool boxed)
{
    return km_make(ctx, r, dtype, dim, 200, 40, KD_RANDOM, norm, boxed);
}

/* Checks that a row of a ball has exactly the points whose distances are at most the radius. */
static void check_ball(const struct km_trial *t, const void *query, double radius, const char *ids, int64_t count)
{
    int64_t at = 0;
    for (int64_t i = 0; i < t->points.n; i++) {
        const double measure = reference_measure(&t->points, i, query, &t->metric);
        if (!reference_within(&t->points, &t->metric, measure, radius)) continue;
        CHECK(at < count && kd_id(ids, t->opts.id_bits, at) == i);
        at++;
    }
    CHECK_EQ(at, count);
}

/* Searches with the distances of the K-th neighbours as radii, one for each query. */
static void check_balls(bosc_ctx *ctx, struct km_trial *t)
{
    const int64_t m = t->queries.n;
    const bosc_kdtree_query_opts plain = km_opts(t);
    bosc_kdtree_query_opts o = plain;
    const size_t id_size = (size_t)t->opts.id_bits / 8;
    double *d = suite_alloc((size_t)(m * K) * 8), *again = suite_alloc((size_t)(m * K) * 8),
           *radii = suite_alloc((size_t)m * 8);
    char *near = suite_alloc((size_t)(m * K) * 8), *same = suite_alloc((size_t)(m * K) * 8);
    int64_t *offsets = suite_alloc((size_t)(m + 1) * 8), *counts = suite_alloc((size_t)m * 8);
    /* 1. The neighbours; with the K-th distance as bound they are the same. */
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, K, &o, near, d));
    for (int64_t q = 0; q < m; q++) radii[q] = d[q * K + K - 1];
    o.bounds = radii;
    o.bound_count = m;
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, K, &o, same, again));
    CHECK(memcmp(near, same, (size_t)(m * K) * id_size) == 0 && memcmp(d, again, (size_t)(m * K) * 8) == 0);
    /* 2. Balls hold them. */
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, radii, m, &plain,
                                            offsets, NULL, NULL, 0));
    char *ids = suite_alloc((size_t)offsets[m] * 8 + 8);
    CHECK_OK(ctx, bosc_kdtree_radius_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, radii, m, &plain,
                                            offsets, ids, NULL, offsets[m]));
    CHECK_OK(ctx, bosc_kdtree_radius_count_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, radii, m, &plain,
                                                  counts));
    for (int64_t q = 0; q < m; q++) {
        CHECK(offsets[q + 1] - offsets[q] >= K && counts[q] == offsets[q + 1] - offsets[q]);
        if (km_exact(&t->metric))
            check_ball(t, kd_row(&t->queries, q), radii[q], ids + (size_t)offsets[q] * id_size, counts[q]);
    }
    /* 3. So does the search of one radius for all, which may be another one. */
    o = plain;
    o.bounds = radii;
    o.bound_count = 1;
    CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->queries.data, 1, 0, K, &o, same, again));
    CHECK(memcmp(near, same, (size_t)K * id_size) == 0 && memcmp(d, again, (size_t)K * 8) == 0);
    CHECK_OK(ctx, bosc_kdtree_radius_count_metric(ctx, t->tree, t->queries.data, 1, 0, radii, 1, &plain, counts));
    CHECK(counts[0] == offsets[1]);
    free(d);
    free(again);
    free(radii);
    free(near);
    free(same);
    free(offsets);
    free(counts);
    free(ids);
}

/* Pairs and their counts within the distance of some pair. */
static void check_pairs(bosc_ctx *ctx, struct km_trial *t)
{
    const bosc_kdtree_query_opts o = km_opts(t);
    int64_t offsets[201], counts[1];
    for (int64_t i = 0; i < 4; i++) {
        const double measure = reference_measure(&t->points, 7 * i + 3, kd_row(&t->points, i), &t->metric),
                     radius = reference_distance(&t->metric, measure) * (km_exact(&t->metric) ? 1 : 1.0001);
        int64_t want = 0;
        for (int64_t a = 0; a < t->points.n; a++)
            for (int64_t b = 0; b < t->points.n; b++)
                want += reference_within(&t->points, &t->metric,
                                         reference_measure(&t->points, b, kd_row(&t->points, a), &t->metric), radius);
        CHECK_OK(ctx, bosc_kdtree_pairs(ctx, t->tree, t->tree, radius, &o, offsets, NULL, NULL, 0));
        CHECK_EQ(offsets[200], want);
        CHECK_OK(ctx, bosc_kdtree_count_pairs(ctx, t->tree, t->tree, &radius, 1, &o, NULL, NULL, 0, counts, NULL));
        CHECK_EQ(counts[0], want);
    }
}

/* The calls without options: radii are roots of dist2, in float or in double. */
static void check_plain(bosc_ctx *ctx, const struct km_trial *t)
{
    const bool single = t->opts.dtype == BOSC_F32;
    char ids[K * 8], same[K * 8], dist2[K * 8], again[K * 8];
    for (int64_t q = 0; q < t->queries.n; q++) {
        const void *query = kd_row(&t->queries, q);
        int64_t count = 0;
        CHECK_OK(ctx, bosc_kdtree_knn(ctx, t->tree, query, 1, 0, K, ids, dist2));
        const double square = single ? (double)((float *)(void *)dist2)[K - 1] : ((double *)(void *)dist2)[K - 1],
                     radius = single && q % 2 ? (double)sqrtf((float)square) : sqrt(square);
        CHECK_OK(ctx, bosc_kdtree_radius_count(ctx, t->tree, query, 1, 0, radius, &count));
        CHECK(count >= K);
        CHECK_OK(ctx, bosc_kdtree_knn_within(ctx, t->tree, query, 1, 0, K, radius, same, again));
        CHECK(memcmp(ids, same, K * (size_t)t->opts.id_bits / 8) == 0 &&
              memcmp(dist2, again, K * (single ? 4 : 8)) == 0);
    }
}

static void reported_distances(bosc_ctx *ctx)
{
    static const double norms[] = {1, 2, INFINITY, 3};
    struct suite_random r = {11};
    for (int i = 0; i < 32; i++) {
        if (suite_leaves_out()) continue;
        struct km_trial t = make_trial(ctx, &r, i % 2 ? BOSC_F64 : BOSC_F32, 1 + i / 2 % 4, norms[i / 8], i % 3 == 2);
        check_balls(ctx, &t);
        check_pairs(ctx, &t);
        if (norms[i / 8] == 2) check_plain(ctx, &t);
        km_free(&t);
    }
}

/* Without duplicates ids exceed the number of nodes: long rows of the order by extent have the ids of the tree. */
static void distinct_by_extent(bosc_ctx *ctx)
{
    enum { N = 3000, COPIES = 2000, NODES = N - COPIES + 1, M = 4 };
    struct suite_random r = {17};
    const bosc_kdtree_opts opts = {
        .size = sizeof opts, .dtype = BOSC_F64, .dim = 3, .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE, .id_bits = 32};
    struct reference_points p = kd_points(&r, opts.dtype, opts.dim, N, opts.dim, KD_RANDOM);
    double *x = (double *)p.data, *dist2 = suite_alloc((size_t)M * NODES * sizeof *dist2);
    uint32_t *ids = suite_alloc((size_t)M * NODES * sizeof *ids);
    int64_t offsets[M + 1];
    /* 1. Copies of a point, then others, in a tree whose order is searched. */
    for (int64_t at = 0; at < 3 * N; at++) x[at] = at < 3 * COPIES ? 2 : suite_unit(&r);
    bosc_kdtree *tree = kd_build(ctx, &opts, &p);
    kd_want_order(tree);
    /* 2. Rows of all nodes, without distances and with them. */
    CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, x, M, 0, 10, offsets, NULL, NULL, 0));
    CHECK_EQ(offsets[M], M * NODES);
    for (int k = 0; k < 2; k++) {
        CHECK_OK(ctx, bosc_kdtree_radius(ctx, tree, x, M, 0, 10, offsets, ids, k ? dist2 : NULL, M * NODES));
        for (int64_t i = 0; i < M * NODES; i++) CHECK_EQ(ids[i], i % NODES ? COPIES + i % NODES - 1 : 0);
    }
    CHECK(suite_opts_like(ctx).backend == BOSC_BACKEND_CUDA || tree->query_cache.by_extent);
    bosc_kdtree_free(tree);
    free(x);
    free(dist2);
    free(ids);
}

static const struct suite_case suite_cases_kdtree_radius[] = {
    {"reported distances", reported_distances, NULL},
    {"distinct by extent", distinct_by_extent, NULL},
};
SUITE(kdtree_radius);
