/* Predictions equal a plain version; points that were clustered stay in their clusters. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/cluster/hdbscan_model.h"
#include "reference/hdbscan.h"

static void check_predictions(bosc_ctx *ctx, const struct reference_points *p, const struct reference_points *q,
                              const bosc_hdbscan_opts *o, int32_t id_bits)
{
    struct clustered c = make_model(ctx, p, o, id_bits);
    const int64_t n = p->n, m = q->n;
    double *d = suite_alloc((size_t)n * 8), *got = suite_alloc((size_t)m * 8), *again = suite_alloc((size_t)m * 8),
           right;
    int64_t *labels = suite_alloc((size_t)m * 8);
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &c.model, o, q->data, m, q->stride, labels, got));
    for (int64_t i = 0; i < m; i++) {
        for (int64_t j = 0; j < n; j++) d[j] = reference_dist2(p, j, kd_row(q, i));
        CHECK_EQ(o->label_bits == 64 ? labels[i] : (int64_t)((int32_t *)labels)[i],
                 reference_predict(n, d, c.core, c.leaves, c.densities, c.clusters, o, &right));
        CHECK(got[i] == right);
    }
    c.model.core_dist2 = c.core_dist2;
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &c.model, o, q->data, m, q->stride, labels, again));
    CHECK(memcmp(got, again, (size_t)m * 8) == 0);
    free_model(&c);
    free(d);
    free(got);
    free(again);
    free(labels);
}

static void random_models(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_F32, BOSC_I32, BOSC_I64};
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_EQUAL, KD_LINE, KD_CLUSTERS};
    struct suite_random r = {31};
    for (int s = 0; s < 5; s++)
        for (int t = 0; t < 16; t++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 2 + (int64_t)suite_below(&r, suite_slow(ctx) ? 50 : 120);
            const int32_t dim = 1 + (int32_t)suite_below(&r, 3);
            struct reference_points p = kd_ordinary_points(&r, dtypes[t % 4], dim, n, dim, shapes[s]),
                                    q = kd_ordinary_points(&r, dtypes[t % 4], dim, 30, dim + 1, shapes[s]);
            bosc_hdbscan_opts o = {.size = sizeof o, .dtype = p.dtype, .dim = dim};
            o.label_bits = t & 4 ? 32 : 64;
            o.min_cluster_size = 2 + (int64_t)suite_below(&r, 6);
            o.min_samples = 1 + (int64_t)suite_below(&r, n < 6 ? (uint64_t)n : 6);
            o.allow_single_cluster = t & 1;
            o.epsilon = suite_below(&r, 3) ? 0 : 0.5;
            check_predictions(ctx, &p, &q, &o, t & 8 ? 32 : 64);
            free((void *)p.data);
            free((void *)q.data);
        }
}

/* Clustered points as queries keep their labels. Two may differ: a query joins the nearest by mutual reachability. */
static void clustered_points(bosc_ctx *ctx)
{
    enum { N = 90 };
    struct suite_random r = {32};
    double x[2 * N], probabilities[N];
    int64_t labels[N], same = 0;
    for (int i = 0; i < 2 * N; i++) x[i] = suite_unit(&r) + (double)(i / 2 % 3) * (i % 2 ? 9 : 5);
    const struct reference_points p = {BOSC_F64, 2, N, 2, x};
    const bosc_hdbscan_opts o = {
        .size = sizeof o, .dtype = BOSC_F64, .dim = 2, .label_bits = 64, .min_cluster_size = 20, .min_samples = 3};
    struct clustered c = make_model(ctx, &p, &o, 64);
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, x, N, 0, labels, probabilities));
    for (int i = 0; i < N; i++) same += labels[i] == c.labels[i];
    CHECK(same >= N - 2);
    free_model(&c);
}

static void bad_arguments(bosc_ctx *ctx)
{
    const double x[6] = {0, 1, 2, 50, 51, 52}, q[3] = {0.5, NAN, 51};
    const struct reference_points p = {BOSC_F64, 1, 6, 1, x};
    const bosc_hdbscan_opts o = {
        .size = sizeof o, .dtype = BOSC_F64, .dim = 1, .label_bits = 64, .min_cluster_size = 3, .min_samples = 2};
    struct clustered c = make_model(ctx, &p, &o, 64);
    int64_t labels[3] = {7, 7, 7};
    double probabilities[3] = {7, 7, 7};
    bosc_hdbscan_model bad[6];
    bosc_hdbscan_opts many = o;
    /* 1. Arguments. */
    for (int k = 0; k < 6; k++) bad[k] = c.model;
    bad[0].tree = NULL;
    bad[1].leaves = NULL;
    bad[2].densities = NULL;
    bad[3].clusters = NULL;
    bad[4].cluster_count = -1;
    bad[5].size = 4;
    for (int k = 0; k < 6; k++)
        CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &bad[k], &o, q, 1, 0, labels, NULL), k ? "model" : "tree");
    CHECK_EQ(bosc_hdbscan_predict(NULL, &c.model, &o, q, 1, 0, labels, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, NULL, &o, q, 1, 0, labels, NULL), "model");
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, NULL, 1, 0, labels, NULL), "queries");
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, -1, 0, labels, NULL), "query_count");
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, -1, labels, NULL), "stride");
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, 0, NULL, NULL), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, 0, (char *)labels + 4, NULL), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, 0, labels, (double *)((char *)probabilities + 4)),
              "probabilities");
    many.min_samples = 7;
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &many, q, 1, 0, labels, NULL), "opts");
    const bosc_hdbscan_opts cosine = {.size = sizeof cosine, .min_samples = 2, .metric = BOSC_CLUSTER_COSINE};
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &cosine, q, 1, 0, labels, NULL), "opts");
    const bosc_hdbscan_opts sums = {.size = sizeof sums, .min_samples = 2, .p = 1};
    CHECK_ARG(ctx, bosc_hdbscan_predict(ctx, &c.model, &sums, q, 1, 0, labels, NULL), "opts");
    /* 2. Data. */
    CHECK_STATUS(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 3, 0, labels, probabilities), BOSC_ERR_DATA);
    c.leaves[2] = c.model.cluster_count;
    CHECK_STATUS(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, 0, labels, probabilities), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "model: leaves: row 2"));
    c.leaves[2] = 0;
    c.clusters[1].parent = 1;
    CHECK_STATUS(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, 0, labels, probabilities), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "model: clusters: row 1"));
    c.clusters[1].parent = 0;
    CHECK(labels[0] == 7 && probabilities[0] == 7);
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, NULL, 0, 0, NULL, NULL));
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &c.model, &o, q, 1, 0, labels, NULL));
    free_model(&c);
}

/* Without clusters every query is noise: no points, or one. */
static void few_points(bosc_ctx *ctx)
{
    const double x[1] = {3}, q[2] = {3, 4};
    const bosc_kdtree_opts tree_opts = {.size = sizeof tree_opts, .dtype = BOSC_F64, .dim = 1};
    const int64_t leaves[1] = {-1};
    const double densities[1] = {0};
    bosc_kdtree *tree;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &tree_opts, &tree));
    for (int64_t n = 0; n < 2; n++) {
        const bosc_hdbscan_opts o = {.size = sizeof o, .min_samples = n > 0 ? 1 : 5}; /* without points any is right */
        const bosc_hdbscan_model model = {
            .size = sizeof model, .tree = tree, .leaves = leaves, .densities = densities, .clusters = NULL};
        int64_t labels[2] = {7, 7};
        double probabilities[2] = {7, 7};
        CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, x, n, 0));
        CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &model, &o, q, 2, 0, labels, probabilities));
        CHECK(labels[0] == -1 && labels[1] == -1 && probabilities[0] == 0 && probabilities[1] == 0);
    }
    bosc_kdtree_free(tree);
}

static const struct suite_case suite_cases_hdbscan_predict[] = {
    {"random models", random_models, NULL},
    {"clustered points", clustered_points, NULL},
    {"bad arguments", bad_arguments, NULL},
    {"few points", few_points, NULL},
};
SUITE(hdbscan_predict);
