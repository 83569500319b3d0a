/* Checks of searches for the nearest points by any metric: against measuring every point. */
#ifndef TESTS_CASES_KDTREE_KDTREE_METRIC_CHECK_H
#define TESTS_CASES_KDTREE_KDTREE_METRIC_CHECK_H

#include "cases/kdtree/kdtree_metric_data.h"

/* Distances of all rows from a query, and their order. */
struct ranking {
    int64_t count;
    int64_t *ids;
    double *measures;
};

static const struct ranking *ranked;

static inline int by_measure(const void *x, const void *y)
{
    int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    double d = ranked->measures[a], e = ranked->measures[b];
    return d < e ? -1 : d > e ? 1 : a < b ? -1 : a > b;
}

/* All rows eligible for a query, by (distance, id), except row `excluded`. */
static inline struct ranking rank_rows(const struct km_trial *t, const void *query, double bound, int64_t excluded)
{
    int64_t n = t->points.n;
    struct ranking r = {0, suite_alloc((size_t)n * 8), suite_alloc((size_t)n * 8)};
    for (int64_t i = 0; i < n; i++) {
        r.measures[i] = reference_measure(&t->points, i, query, &t->metric);
        if (i != excluded && reference_within(&t->points, &t->metric, r.measures[i], bound)) r.ids[r.count++] = i;
    }
    ranked = &r;
    qsort(r.ids, (size_t)r.count, sizeof *r.ids, by_measure);
    return r;
}

static inline void free_ranking(struct ranking *r)
{
    free(r->ids);
    free(r->measures);
}

/* Compares a row of k entries with the ranking. If the reference is inexact, nearly equal distances may be swapped. */
static inline void check_nearest(const struct km_trial *t, const struct ranking *r, const void *ids,
                                 const double *distances, int64_t at, int64_t k)
{
    for (int64_t e = 0; e < k; e++) {
        int64_t id = kd_id(ids, t->opts.id_bits, at + e);
        double d = distances[at + e];
        if (e >= r->count) {
            CHECK(id == -1 && isinf(d));
            continue;
        }
        double want = reference_distance(&t->metric, r->measures[r->ids[e]]);
        CHECK(km_near(&t->metric, d, want));
        if (km_exact(&t->metric)) {
            CHECK_EQ(id, r->ids[e]);
            continue;
        }
        CHECK(id >= 0 && id < t->points.n);
        CHECK(km_near(&t->metric, d, r->measures[id]));
        if (e > 0) {
            double before = distances[at + e - 1];
            CHECK(before < d || (before == d && kd_id(ids, t->opts.id_bits, at + e - 1) < id));
        }
    }
}

/* Bounds close to existing distances, and some without any point within. */
static inline double *make_bounds(struct suite_random *r, const struct km_trial *t, int64_t count)
{
    static const double odd[] = {0, -1, INFINITY, 1, 4, (double)NAN};
    double *bounds = suite_alloc((size_t)(count + 1) * sizeof *bounds);
    for (int64_t i = 0; i < count; i++) {
        bounds[i] = odd[suite_below(r, 6)];
        if (t->points.n == 0 || suite_below(r, 3) == 0) continue;
        const void *q = kd_row(&t->queries, i % t->queries.n);
        int64_t row = (int64_t)suite_below(r, (uint64_t)t->points.n);
        double d = reference_distance(&t->metric, reference_measure(&t->points, row, q, &t->metric));
        bounds[i] = km_exact(&t->metric) ? d : d * 1.0001;
    }
    return bounds;
}

static inline void check_knn(bosc_ctx *ctx, struct suite_random *r, struct km_trial *t, int64_t k)
{
    int64_t m = t->queries.n;
    bosc_kdtree_query_opts o = km_opts(t);
    void *ids = suite_alloc((size_t)(m * k) * 8), *alone = suite_alloc((size_t)(m * k) * 8);
    double *distances = suite_alloc((size_t)(m * k) * sizeof *distances), *bounds = make_bounds(r, t, m);
    for (int kind = 0; kind < 4; kind++) {
        o.bounds = kind ? bounds : NULL;
        o.bound_count = kind == 1 ? 1 : kind ? m : 0;
        o.exclude_self = kind == 3;
        CHECK_OK(ctx,
                 bosc_kdtree_knn_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, k, &o, ids, distances));
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, t->queries.data, m, t->queries.stride, k, &o, alone, NULL));
        CHECK(memcmp(ids, alone, (size_t)(m * k * t->opts.id_bits / 8)) == 0);
        for (int64_t i = 0; i < m; i++) {
            double bound = kind == 0 ? (double)INFINITY : bounds[kind == 1 ? 0 : i];
            struct ranking rank = rank_rows(t, kd_row(&t->queries, i), bound, kind == 3 ? i : -1);
            check_nearest(t, &rank, ids, distances, i * k, k);
            free_ranking(&rank);
        }
    }
    free(ids);
    free(alone);
    free(distances);
    free(bounds);
}

/* The rows of the build as queries, with and without themselves. */
static inline void check_self(bosc_ctx *ctx, struct km_trial *t, int64_t k)
{
    int64_t n = t->points.n;
    bosc_kdtree_query_opts o = km_opts(t);
    void *ids = suite_alloc((size_t)(n * k) * 8);
    double *distances = suite_alloc((size_t)(n * k) * sizeof *distances);
    o.self = 1;
    for (o.exclude_self = 0; o.exclude_self < 2; o.exclude_self++) {
        CHECK_OK(ctx, bosc_kdtree_knn_metric(ctx, t->tree, NULL, n, 0, k, &o, ids, distances));
        for (int64_t i = 0; i < n; i += 1 + n / 30) {
            struct ranking rank = rank_rows(t, kd_row(&t->points, i), INFINITY, o.exclude_self ? i : -1);
            check_nearest(t, &rank, ids, distances, i * k, k);
            free_ranking(&rank);
        }
    }
    free(ids);
    free(distances);
}

#endif
