/* Exemplars and memberships equal a plain version. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/cluster/hdbscan_model.h"
#include "reference/hdbscan.h"

static void check_exemplars(bosc_ctx *ctx, const struct clustered *c, int64_t n)
{
    int64_t *rows = suite_alloc((size_t)n * 8), *right = suite_alloc((size_t)n * 8),
            *offsets = suite_alloc((size_t)(c->label_count + 1) * 8), count = -1;
    CHECK_OK(ctx, bosc_hdbscan_list_exemplars(ctx, &c->model, c->label_count, rows, offsets, &count));
    CHECK(offsets[0] == 0 && offsets[c->label_count] == count);
    for (int64_t k = 0; k < c->label_count; k++) {
        const int64_t found =
            reference_exemplars(n, c->leaves, c->densities, c->clusters, c->model.cluster_count, k, right);
        CHECK_EQ(offsets[k + 1] - offsets[k], found);
        CHECK(memcmp(rows + offsets[k], right, (size_t)found * 8) == 0);
    }
    free(rows);
    free(right);
    free(offsets);
}

/* Checks the memberships of the points, and of the queries if q is not NULL. */
static void check_memberships(bosc_ctx *ctx, const struct clustered *c, const struct reference_points *p,
                              const struct reference_points *q, const bosc_hdbscan_opts *o)
{
    const struct reference_points *from = q ? q : p;
    const int64_t n = p->n, labels = c->label_count;
    double *got = suite_alloc((size_t)(from->n * labels) * 8), *right = suite_alloc((size_t)labels * 8),
           *d2 = suite_alloc((size_t)n * 8), *near = suite_alloc((size_t)n * 8);
    if (q)
        CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &c->model, o, q->data, q->n, q->stride, labels, got));
    else
        CHECK_OK(ctx, bosc_hdbscan_compute_memberships(ctx, &c->model, labels, got));
    for (int64_t i = 0; i < from->n; i++) {
        /* 1. Squared distances, as the search and as the memberships round them. */
        struct reference_member m = {0, 0, q != NULL};
        for (int64_t j = 0; j < n; j++) {
            double sum = 0;
            near[j] = reference_dist2(p, j, kd_row(from, i));
            for (int32_t k = 0; k < p->dim; k++) {
                const double gap =
                    kd_get(from->data, p->dtype, i * from->stride + k) - kd_get(p->data, p->dtype, j * p->stride + k);
                sum += gap * gap;
            }
            d2[j] = sum;
        }
        /* 2. Where it joins the condensed tree, and the memberships. */
        if (q) {
            double length;
            const int64_t nearest = reference_nearest(n, near, c->core, o->min_samples, &length);
            m.leaf = c->leaves[nearest];
            m.density = fmin(length > 0 ? 1 / sqrt(length) : 0x1.fffffffffffffp1023, c->densities[nearest]);
        } else {
            m.leaf = c->leaves[i];
            m.density = c->densities[i];
        }
        if (labels > 0)
            reference_membership(n, d2, c->leaves, c->densities, c->clusters, c->model.cluster_count, labels, m, right);
        for (int64_t k = 0; k < labels; k++) {
            CHECK(got[i * labels + k] == right[k]);
            CHECK(right[k] >= 0 && right[k] <= 1);
        }
    }
    free(got);
    free(right);
    free(d2);
    free(near);
}

static void random_models(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_F32, BOSC_I32, BOSC_I64};
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_EQUAL, KD_LINE, KD_CLUSTERS};
    struct suite_random r = {81};
    for (int s = 0; s < 5; s++)
        for (int t = 0; t < 16; t++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 3 + (int64_t)suite_below(&r, suite_slow(ctx) ? 50 : 120);
            const int32_t dim = 1 + (int32_t)suite_below(&r, 3);
            struct reference_points p = kd_ordinary_points(&r, dtypes[t % 4], dim, n, dim, shapes[s]),
                                    q = kd_ordinary_points(&r, dtypes[t % 4], dim, 20, dim + 1, shapes[s]);
            bosc_hdbscan_opts o = {.size = sizeof o, .dtype = p.dtype, .dim = dim};
            o.label_bits = 64;
            o.selection = t & 2 ? BOSC_HDBSCAN_LEAF : BOSC_HDBSCAN_EOM;
            o.min_cluster_size = 2 + (int64_t)suite_below(&r, 3);
            o.min_samples = 1 + (int64_t)suite_below(&r, 3);
            o.allow_single_cluster = t & 1;
            struct clustered c = make_model(ctx, &p, &o, t & 8 ? 32 : 64);
            check_exemplars(ctx, &c, n);
            check_memberships(ctx, &c, &p, NULL, &o);
            check_memberships(ctx, &c, &p, &q, &o);
            free_model(&c);
            free((void *)p.data);
            free((void *)q.data);
        }
}

/* Points belong to their own cluster the most. */
static void two_clusters(bosc_ctx *ctx)
{
    const double x[] = {0, 1, 2, 3, 50, 51, 52, 53, 30}, q[] = {1.5, 51.5, 26.5};
    const struct reference_points p = {BOSC_F64, 1, 9, 1, x};
    const bosc_hdbscan_opts o = {
        .size = sizeof o, .dtype = BOSC_F64, .dim = 1, .label_bits = 64, .min_cluster_size = 3, .min_samples = 2};
    struct clustered c = make_model(ctx, &p, &o, 64);
    double m[18], v[6];
    CHECK_EQ(c.label_count, 2);
    CHECK_OK(ctx, bosc_hdbscan_compute_memberships(ctx, &c.model, 2, m));
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 3, 0, 2, v));
    for (int i = 0; i < 8; i++) CHECK(m[2 * i + i / 4] > 0.9 && m[2 * i + 1 - i / 4] < 0.1);
    CHECK(m[16] + m[17] < 0.1 && m[17] > m[16]);
    CHECK(v[0] > 0.9 && v[3] > 0.9 && v[4] + v[5] < 0.1);
    free_model(&c);
}

/* A query at duplicates is in their cluster, be it as dense or, made of two by epsilon, less dense. */
static void query_at_duplicates(bosc_ctx *ctx)
{
    const double x[] = {0, 0, 0, 0, 0, 0.1, 0.1, 0.1, 0.1, 0.1, 10, 10, 10, 10, 10}, q[] = {0, 0.1, 10};
    const struct reference_points p = {BOSC_F64, 1, 15, 1, x}, queries = {BOSC_F64, 1, 3, 1, q};
    bosc_hdbscan_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 1, .label_bits = 64, .epsilon = 1};
    o.min_cluster_size = o.min_samples = 5;
    struct clustered c = make_model(ctx, &p, &o, 64);
    double m[6];
    CHECK_EQ(c.label_count, 2);
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 3, 0, 2, m));
    for (int i = 0; i < 3; i++) CHECK(fabs(m[2 * i] + m[2 * i + 1] - 1) < 1e-6);
    check_memberships(ctx, &c, &p, &queries, &o);
    free_model(&c);
}

/* True if numbers are equal. Shares of an exemplar in other clusters are nearly 0, and depend on the scale. */
static bool are_close(const double *a, const double *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (!(fabs(a[i] - b[i]) < 1e-150)) return false;
    return true;
}

/* Memberships are ratios: they do not depend on the scale of the points. */
static void any_scale(bosc_ctx *ctx)
{
    enum { N = 60 };
    struct suite_random r = {82};
    const struct reference_points p = kd_ordinary_points(&r, BOSC_F64, 2, N, 2, KD_CLUSTERS);
    const bosc_hdbscan_opts o = {
        .size = sizeof o, .dtype = BOSC_F64, .dim = 2, .label_bits = 64, .min_cluster_size = 3, .min_samples = 2};
    const double queries[] = {0.25, 0.5, 0.75, 0.125};
    double right[N * N], of_queries[2 * N], got[N * N], x[2 * N], q[4], densities[N];
    bosc_hdbscan_cluster clusters[2 * N];
    struct clustered c = make_model(ctx, &p, &o, 64);
    const int64_t labels = c.label_count;
    CHECK(labels > 1);
    CHECK_OK(ctx, bosc_hdbscan_compute_memberships(ctx, &c.model, labels, right));
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, queries, 2, 0, labels, of_queries));
    for (int exponent = -800; exponent <= 800; exponent += 400) {
        /* 1. The model and the queries at this scale. */
        bosc_hdbscan_model scaled = c.model;
        scaled.densities = densities;
        scaled.clusters = clusters;
        for (int i = 0; i < 2 * N; i++) x[i] = ldexp(((const double *)p.data)[i], exponent);
        for (int i = 0; i < 4; i++) q[i] = ldexp(queries[i], exponent);
        for (int i = 0; i < N; i++) densities[i] = ldexp(c.densities[i], -exponent);
        for (int64_t k = 0; k < c.model.cluster_count; k++) {
            clusters[k] = c.clusters[k];
            clusters[k].birth = ldexp(clusters[k].birth, -exponent);
            clusters[k].death = ldexp(clusters[k].death, -exponent);
        }
        CHECK_OK(ctx, bosc_kdtree_build(ctx, c.tree, x, N, 0));
        /* 2. The same memberships. Squares of distances of queries have to fit. */
        CHECK_OK(ctx, bosc_hdbscan_compute_memberships(ctx, &scaled, labels, got));
        CHECK(are_close(got, right, N * labels));
        const bosc_status status = bosc_hdbscan_predict_memberships(ctx, &scaled, &o, q, 2, 0, labels, got);
        CHECK_EQ(status, abs(exponent) < 500 ? BOSC_OK : BOSC_ERR_LIMIT);
        CHECK(status == BOSC_OK ? are_close(got, of_queries, 2 * labels)
                                : suite_begins(bosc_ctx_message(ctx), "model: tree: "));
    }
    CHECK_OK(ctx, bosc_kdtree_build(ctx, c.tree, p.data, N, 0));
    q[0] = 0x1p+700;
    CHECK_STATUS(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 2, 0, labels, got), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "queries: "));
    free_model(&c);
    free((void *)p.data);
}

static void bad_arguments(bosc_ctx *ctx)
{
    const double x[6] = {0, 1, 2, 50, 51, 52}, q[1] = {0.5};
    const struct reference_points p = {BOSC_F64, 1, 6, 1, x};
    const bosc_hdbscan_opts o = {
        .size = sizeof o, .dtype = BOSC_F64, .dim = 1, .label_bits = 64, .min_cluster_size = 3, .min_samples = 2};
    struct clustered c = make_model(ctx, &p, &o, 64);
    int64_t rows[6] = {7, 7, 7, 7, 7, 7}, offsets[4] = {7, 7, 7, 7}, count = 7;
    double m[12] = {7, 7};
    void *odd = (char *)m + 4;
    /* 1. Arguments. */
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, NULL, 2, rows, offsets, &count), "model");
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, -1, rows, offsets, &count), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 7, rows, offsets, &count), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 2, NULL, offsets, &count), "rows");
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 2, odd, offsets, &count), "rows");
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 2, rows, NULL, &count), "offsets");
    CHECK_ARG(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 2, rows, odd, &count), "offsets");
    CHECK_ARG(ctx, bosc_hdbscan_compute_memberships(ctx, NULL, 2, m), "model");
    CHECK_ARG(ctx, bosc_hdbscan_compute_memberships(ctx, &c.model, 7, m), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_compute_memberships(ctx, &c.model, 2, NULL), "memberships");
    CHECK_ARG(ctx, bosc_hdbscan_compute_memberships(ctx, &c.model, 2, odd), "memberships");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, NULL, &o, q, 1, 0, 2, m), "model");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 1, 0, -1, m), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, NULL, 1, 0, 2, m), "queries");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, -1, 0, 2, m), "query_count");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 1, -1, 2, m), "stride");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 1, 0, 2, NULL), "memberships");
    CHECK_ARG(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 1, 0, 2, odd), "memberships");
    /* 2. A label beyond the columns. */
    CHECK_STATUS(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 1, rows, offsets, &count), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_hdbscan_compute_memberships(ctx, &c.model, 1, m), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 1, 0, 1, m), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "model: clusters: row"));
    CHECK(rows[0] == 7 && offsets[0] == 7 && count == 7 && m[0] == 7);
    /* 3. More columns than labels: those of no cluster are 0. */
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, q, 1, 0, 3, m));
    CHECK(m[0] > 0 && m[2] == 0);
    CHECK_OK(ctx, bosc_hdbscan_list_exemplars(ctx, &c.model, 3, rows, offsets, NULL));
    CHECK(offsets[3] == offsets[2]);
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &c.model, &o, NULL, 0, 0, 2, NULL));
    free_model(&c);
}

static const struct suite_case suite_cases_hdbscan_membership[] = {
    {"random models", random_models, NULL},
    {"two clusters", two_clusters, NULL},
    {"a query at duplicates", query_at_duplicates, NULL},
    {"any scale", any_scale, NULL},
    {"bad arguments", bad_arguments, NULL},
};
SUITE(hdbscan_membership);
