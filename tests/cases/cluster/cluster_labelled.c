/* Centers and validity of labelled points equal a plain version. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "reference/labelled.h"

/* Labelled points: some noise, some labels without points. */
struct trial {
    struct reference_points points;
    struct reference_labelled plain;
    double *x, *weights;
    int64_t *labels;
    int32_t *short_labels;
    bosc_cluster_opts opts;
};

static struct trial make_trial(struct suite_random *r, bosc_dtype dtype, int32_t dim, int64_t n, enum kd_shape shape)
{
    struct trial t = {.points = kd_ordinary_points(r, dtype, dim, n, dim + (int32_t)suite_below(r, 2), shape),
                      .x = suite_alloc((size_t)(n * dim) * 8),
                      .weights = suite_alloc((size_t)n * 8),
                      .labels = suite_alloc((size_t)n * 8),
                      .short_labels = suite_alloc((size_t)n * 4)};
    const int64_t most = n < 5 ? n : 5, clusters = (int64_t)suite_below(r, (uint64_t)most + 1);
    for (int64_t i = 0; i < n; i++) {
        t.labels[i] = (int64_t)suite_below(r, (uint64_t)clusters + 1) - 1;
        if (clusters > 2 && t.labels[i] == 1) t.labels[i] = 0; /* one without points */
        t.short_labels[i] = (int32_t)t.labels[i];
        t.weights[i] = suite_below(r, 3) ? suite_unit(r) : 0;
        for (int32_t c = 0; c < dim; c++) t.x[i * dim + c] = kd_get(t.points.data, dtype, i * t.points.stride + c);
    }
    t.plain = (struct reference_labelled){n, clusters, dim, t.x, t.labels, NULL};
    t.opts = (bosc_cluster_opts){.size = sizeof t.opts, .dtype = dtype, .dim = dim, .label_bits = 64};
    return t;
}

static void free_trial(const struct trial *t)
{
    free((void *)t->points.data);
    free(t->x);
    free(t->weights);
    free(t->labels);
    free(t->short_labels);
}

/* Runs `check` over shapes, types and sizes. */
static void each_trial(bosc_ctx *ctx, uint64_t seed, void (*check)(bosc_ctx *ctx, struct trial *t, int k))
{
    static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_F32, BOSC_I32, BOSC_I64};
    static const enum kd_shape shapes[] = {KD_RANDOM, KD_GRID, KD_EQUAL, KD_LINE, KD_CLUSTERS};
    struct suite_random r = {seed};
    for (int s = 0; s < 5; s++)
        for (int k = 0; k < 16; k++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 1 + (int64_t)suite_below(&r, suite_slow(ctx) ? 40 : 130);
            struct trial t = make_trial(&r, dtypes[k % 4], 1 + (int32_t)suite_below(&r, 4), n, shapes[s]);
            check(ctx, &t, k);
            free_trial(&t);
        }
}

/* Sums of clusters in the order of the library, on one thread: the same bits everywhere. */
static void check_bits(bosc_ctx *ctx, const struct trial *t, const double *weights, const double *centroids)
{
    const size_t bytes = (size_t)(t->plain.clusters * t->plain.dim) * 8;
    const bosc_ctx_opts one = {.size = sizeof one, .backend = BOSC_BACKEND_CPU, .threads = 1};
    double *again = suite_alloc(bytes);
    bosc_ctx *plain = suite_open(&one);
    CHECK_OK(ctx, bosc_cluster_compute_centers(plain, t->points.data, t->plain.n, t->points.stride, &t->opts, t->labels,
                                               weights, t->plain.clusters, again, NULL));
    CHECK(memcmp(centroids, again, bytes) == 0);
    bosc_ctx_free(plain);
    free(again);
}

static void check_centers(bosc_ctx *ctx, struct trial *t, int k)
{
    const int64_t n = t->plain.n, clusters = t->plain.clusters, numbers = clusters * t->plain.dim;
    double *means = suite_alloc((size_t)numbers * 8), *right = suite_alloc((size_t)numbers * 8);
    int64_t *medoids = suite_alloc((size_t)clusters * 8), *right_medoids = suite_alloc((size_t)clusters * 8);
    t->plain.weights = k % 3 ? t->weights : NULL;
    reference_centers(&t->plain, right, right_medoids);
    CHECK_OK(ctx, bosc_cluster_compute_centers(ctx, t->points.data, n, t->points.stride, &t->opts, t->labels,
                                               t->plain.weights, clusters, means, medoids));
    for (int64_t i = 0; i < numbers; i++)
        CHECK(isnan(right[i]) ? isnan(means[i]) : fabs(means[i] - right[i]) <= 1e-12 * (fabs(right[i]) + 2000));
    CHECK(memcmp(medoids, right_medoids, (size_t)clusters * 8) == 0);
    check_bits(ctx, t, t->plain.weights, means);
    /* Labels of 32 bits, and one of the outputs. */
    t->opts.label_bits = 32;
    memset(medoids, 9, (size_t)clusters * 8);
    CHECK_OK(ctx, bosc_cluster_compute_centers(ctx, t->points.data, n, t->points.stride, &t->opts, t->short_labels,
                                               t->plain.weights, clusters, NULL, medoids));
    CHECK(memcmp(medoids, right_medoids, (size_t)clusters * 8) == 0);
    free(means);
    free(right);
    free(medoids);
    free(right_medoids);
}

static void centers(bosc_ctx *ctx) { each_trial(ctx, 71, check_centers); }

/* Sums of many points: several tiles of the scan. */
static void many_points(bosc_ctx *ctx)
{
    struct suite_random r = {72};
    const int64_t n = suite_slow(ctx) ? 3000 : 20000;
    struct trial t = make_trial(&r, BOSC_F32, 2, n, KD_RANDOM);
    double means[2 * 5];
    t.plain.clusters = 5;
    for (int64_t i = 0; i < n; i++) t.labels[i] = i < n / 2 ? 3 : (int64_t)suite_below(&r, 5) - 1;
    CHECK_OK(ctx, bosc_cluster_compute_centers(ctx, t.points.data, n, t.points.stride, &t.opts, t.labels, t.weights, 5,
                                               means, NULL));
    check_bits(ctx, &t, t.weights, means);
    for (int k = 0; k < 4; k++)
        for (int c = 0; c < 2; c++) {
            double sum = 0, mass = 0;
            for (int64_t i = 0; i < n; i++) {
                if (t.labels[i] != k) continue;
                sum += t.weights[i] * t.x[2 * i + c];
                mass += t.weights[i];
            }
            CHECK(fabs(means[2 * k + c] - sum / mass) <= 1e-9 * 1000);
        }
    CHECK(isnan(means[8]) && isnan(means[9])); /* no point has the label 4 */
    free_trial(&t);
}

static void check_validity(bosc_ctx *ctx, struct trial *t, int k)
{
    const int64_t n = t->plain.n, clusters = t->plain.clusters;
    double *scores = suite_alloc((size_t)clusters * 8), *right = suite_alloc((size_t)clusters * 8), index = 7;
    t->opts.raw_distances = k & 1;
    const double whole = reference_validity(&t->plain, k & 1, right);
    CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, t->points.data, n, t->points.stride, &t->opts, t->labels, clusters,
                                                scores, &index));
    for (int64_t c = 0; c < clusters; c++) CHECK(isnan(right[c]) ? isnan(scores[c]) : scores[c] == right[c]);
    CHECK(isnan(whole) ? isnan(index) : index == whole);
    t->opts.label_bits = 32;
    index = 7;
    CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, t->points.data, n, t->points.stride, &t->opts, t->short_labels,
                                                clusters, NULL, &index));
    CHECK(isnan(whole) ? isnan(index) : index == whole);
    free(scores);
    free(right);
}

static void validity(bosc_ctx *ctx) { each_trial(ctx, 73, check_validity); }

/* Validities are ratios: they do not depend on the scale of the points. */
static void check_scales(bosc_ctx *ctx, struct trial *t, int k)
{
    const int64_t numbers = t->plain.n * t->plain.dim;
    double *scaled = suite_alloc((size_t)numbers * 8), *scores = suite_alloc((size_t)t->plain.clusters * 8), index = 7;
    t->opts.raw_distances = k & 1;
    t->opts.dtype = BOSC_F64;
    const double right = reference_validity(&t->plain, k & 1, scores);
    for (int exponent = -900; exponent <= 900; exponent += 300) {
        for (int64_t i = 0; i < numbers; i++) scaled[i] = ldexp(t->x[i], exponent);
        CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, scaled, t->plain.n, 0, &t->opts, t->labels, t->plain.clusters,
                                                    NULL, &index));
        CHECK(isnan(right) ? isnan(index) : index == right);
    }
    free(scaled);
    free(scores);
}

static void validity_of_any_scale(bosc_ctx *ctx) { each_trial(ctx, 74, check_scales); }

/* Clusters far from each other are valid, divided ones are not. */
static void known_validity(bosc_ctx *ctx)
{
    const double x[] = {0, 1, 2, 3, 4, 100, 101, 102, 103, 104};
    const int64_t good[] = {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}, bad[] = {0, 1, 0, 1, 0, 1, 0, 1, 0, 1};
    const bosc_cluster_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 1, .raw_distances = 1};
    double scores[2], index;
    CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, x, 10, 0, &o, good, 2, scores, &index));
    CHECK(scores[0] == 97.0 / 98 && scores[1] == 97.0 / 98); /* 3 and 101 are the nearest points with two edges */
    CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, x, 10, 0, &o, bad, 2, scores, &index));
    CHECK(index < -0.9);
    /* Of the rows at 0, 3, 1, 2 the last two have two edges: 2 joins after 1, not after 3, which is as near. */
    const double ties[] = {0, 3, 1, 2, -100, -101, -102};
    const int64_t label_of_ties[] = {0, 0, 0, 0, 1, 1, 1};
    CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, ties, 7, 0, &o, label_of_ties, 2, scores, &index));
    CHECK(scores[0] == 101.0 / 102 && scores[1] == 101.0 / 102);
}

static void bad_arguments(bosc_ctx *ctx)
{
    double x[3] = {0, 1, 2}, weights[3] = {1, 1, 1}, out[3] = {7, 7, 7}, index = 7;
    int64_t labels[3] = {0, -1, 0}, medoids[2] = {7, 7};
    const bosc_cluster_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 1};
    bosc_cluster_opts bad[5] = {o, o, o, o, o};
    void *odd = (char *)out + 4;
    bad[0].size = 3;
    bad[1].dtype = BOSC_U8;
    bad[2].dim = 0;
    bad[3].dim = 1025;
    bad[4].label_bits = 16;
    /* 1. Arguments. */
    for (int k = 0; k < 5; k++) {
        CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &bad[k], labels, NULL, 1, out, medoids), "opts");
        CHECK_ARG(ctx, bosc_cluster_compute_validity(ctx, x, 3, 0, &bad[k], labels, 1, out, &index), "opts");
    }
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, NULL, labels, NULL, 1, out, medoids), "opts");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, -1, 0, &o, labels, NULL, 0, out, medoids), "n");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, INT64_MAX / 8, &o, labels, NULL, 1, out, medoids), "points");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, -1, &o, labels, NULL, 1, out, medoids), "stride");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, NULL, 4, out, medoids), "clusters");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, NULL, -1, out, medoids), "clusters");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, NULL, 3, 0, &o, labels, NULL, 1, out, medoids), "points");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, odd, 1, 0, &o, labels, NULL, 1, out, medoids), "points");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, NULL, NULL, 1, out, medoids), "labels");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 1, 0, &o, odd, NULL, 1, out, medoids), "labels");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 1, 0, &o, labels, odd, 1, out, medoids), "weights");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, NULL, 1, odd, medoids), "centroids");
    CHECK_ARG(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, NULL, 1, out, odd), "medoids");
    CHECK_ARG(ctx, bosc_cluster_compute_validity(ctx, x, 3, 0, &o, labels, 1, odd, &index), "scores");
    CHECK_STATUS(ctx, bosc_cluster_compute_centers(ctx, x, UINT32_MAX, 0, &o, labels, NULL, 1, out, medoids),
                 BOSC_ERR_LIMIT);
    CHECK_EQ(bosc_cluster_compute_centers(NULL, x, 3, 0, &o, labels, NULL, 1, out, medoids), BOSC_ERR_ARG);
    /* 2. Data. */
    weights[2] = -1;
    CHECK_STATUS(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, weights, 1, out, medoids), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "weights: row 2"));
    x[1] = NAN; /* of noise */
    CHECK_OK(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, NULL, 1, NULL, NULL));
    x[2] = INFINITY;
    CHECK_STATUS(ctx, bosc_cluster_compute_centers(ctx, x, 3, 0, &o, labels, NULL, 1, out, medoids), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 2"));
    labels[2] = 1;
    CHECK_STATUS(ctx, bosc_cluster_compute_validity(ctx, x, 3, 0, &o, labels, 1, out, &index), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "labels: row 2"));
    for (int i = 0; i < 3; i++) CHECK(out[i] == 7);
    CHECK(index == 7 && medoids[0] == 7);
    /* 3. No points. */
    CHECK_OK(ctx, bosc_cluster_compute_validity(ctx, NULL, 0, 0, &o, NULL, 0, NULL, &index));
    CHECK(index == 0);
}

static const struct suite_case suite_cases_cluster_labelled[] = {
    {"centers", centers, NULL},
    {"many points", many_points, NULL},
    {"validity", validity, NULL},
    {"validity of any scale", validity_of_any_scale, NULL},
    {"known validity", known_validity, NULL},
    {"bad arguments", bad_arguments, NULL},
};
SUITE(cluster_labelled);
