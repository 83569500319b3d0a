/* HDBSCAN* finds the labels of a plain version over all pairs. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "reference/hdbscan.h"
#include "support/counted.h"

struct answer {
    int64_t *labels;
    double *probabilities, *scores;
};

static struct answer make_answer(int64_t n)
{
    return (struct answer){suite_alloc((size_t)n * 8), suite_alloc((size_t)n * 8), suite_alloc((size_t)n * 8)};
}

static void free_answer(const struct answer *a)
{
    free(a->labels);
    free(a->probabilities);
    free(a->scores);
}

/* Compares an answer with the reference for a dendrogram. */
static void check_answer(int64_t n, const double *z, const bosc_hdbscan_opts *o, const struct answer *got,
                         const bosc_hdbscan_info *info)
{
    struct answer right = make_answer(n);
    int64_t noise = 0;
    CHECK_EQ(info->clusters, reference_hdbscan(n, z, o, right.labels, right.probabilities, right.scores));
    for (int64_t i = 0; i < n; i++) {
        CHECK_EQ(o->label_bits == 64 ? got->labels[i] : (int64_t)((int32_t *)got->labels)[i], right.labels[i]);
        CHECK(got->probabilities[i] == right.probabilities[i]);
        CHECK(got->scores[i] == right.scores[i]);
        noise += right.labels[i] < 0;
    }
    CHECK_EQ(info->noise, noise);
    free_answer(&right);
}

static bool same_sum(double a, double b) { return a == b || (a != a && b != b) || fabs(a - b) <= 1e-9 * fabs(b); }

/* Compares the condensed tree with the reference. */
static void check_condensed(bosc_ctx *ctx, int64_t n, const double *z, const bosc_hdbscan_opts *o)
{
    const struct answer got = make_answer(n), right = make_answer(n);
    const int64_t room = 2 * (n / o->min_cluster_size) - 1;
    bosc_hdbscan_cluster *clusters = suite_alloc((size_t)(room < 1 ? 1 : room) * sizeof *clusters),
                         *expected = suite_alloc((size_t)(2 * n) * sizeof *expected);
    bosc_hdbscan_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_hdbscan_condense(ctx, z, n, o, got.labels, got.probabilities, clusters, &info));
    CHECK_EQ(info.condensed, reference_condense(n, z, o, right.labels, right.probabilities, expected));
    CHECK(memcmp(got.labels, right.labels, (size_t)n * 8) == 0);
    CHECK(memcmp(got.probabilities, right.probabilities, (size_t)n * 8) == 0);
    for (int64_t c = 0; c < info.condensed; c++) {
        const bosc_hdbscan_cluster *a = &clusters[c], *b = &expected[c];
        CHECK(a->parent == b->parent && a->parent < c);
        CHECK_EQ(a->label, b->label);
        CHECK_EQ(a->points, b->points);
        CHECK(a->birth == b->birth && a->death == b->death && same_sum(a->stability, b->stability));
    }
    CHECK_OK(ctx, bosc_hdbscan_condense(ctx, z, n, o, NULL, NULL, NULL, NULL));
    free(clusters);
    free(expected);
    free_answer(&got);
    free_answer(&right);
}

static bosc_hdbscan_opts random_opts(struct suite_random *r, const struct reference_points *p, double length)
{
    bosc_hdbscan_opts o = {.size = sizeof o, .dtype = p->dtype, .dim = p->dim};
    o.label_bits = suite_below(r, 2) ? 64 : 32;
    o.selection = suite_below(r, 3) ? BOSC_HDBSCAN_EOM : BOSC_HDBSCAN_LEAF;
    o.allow_single_cluster = (int32_t)suite_below(r, 2);
    o.min_cluster_size = 2 + (int64_t)suite_below(r, 8);
    o.min_samples = 1 + (int64_t)suite_below(r, p->n < 7 ? (uint64_t)p->n : 7);
    o.max_cluster_size = suite_below(r, 3) ? 0 : 2 + (int64_t)suite_below(r, 30);
    o.epsilon = suite_below(r, 3) ? 0 : length * suite_unit(r);
    return o;
}

/* Clusters points, and their dendrogram. */
static void check_hdbscan(bosc_ctx *ctx, const struct reference_points *p, const bosc_hdbscan_opts *o)
{
    const int64_t n = p->n;
    double *d = suite_alloc((size_t)(n * n + 4 * n) * 8), *z = suite_alloc((size_t)n * 32);
    struct answer got = make_answer(n);
    bosc_hdbscan_info info = {.size = sizeof info};
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++) d[i * n + j] = reference_dist2(p, j, kd_row(p, i));
    reference_mutual_linkage(n, d, o->min_samples, z);
    CHECK_OK(ctx,
             bosc_hdbscan_compute(ctx, p->data, n, p->stride, o, got.labels, got.probabilities, got.scores, &info));
    check_answer(n, z, o, &got, &info);
    memset(got.labels, 0x55, (size_t)n * 8);
    CHECK_OK(ctx, bosc_hdbscan_select(ctx, z, n, o, got.labels, got.probabilities, got.scores, &info));
    check_answer(n, z, o, &got, &info);
    check_condensed(ctx, n, z, o);
    CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, p->data, n, p->stride, o, d));
    CHECK(memcmp(d, z, (size_t)(n - 1) * 32) == 0);
    free(d);
    free(z);
    free_answer(&got);
}

/* All shapes of points: grids, equal points, lines. */
static void shapes(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_F32, BOSC_I32, BOSC_I64};
    struct suite_random r = {21};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int t = 0; t < 16; t++) {
            if (suite_leaves_out()) continue;
            const int64_t n = 2 + (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 150);
            struct reference_points p =
                kd_ordinary_points(&r, dtypes[t % 4], 1 + (int32_t)suite_below(&r, 3), n, 3, (enum kd_shape)s);
            const bosc_hdbscan_opts o = random_opts(&r, &p, s == KD_RANDOM ? 1000 : 4);
            check_hdbscan(ctx, &p, &o);
            free((void *)p.data);
        }
}

/* Points with squares out of range have the labels of the points times a power of two, and its heights. */
static void magnitudes(bosc_ctx *ctx)
{
    static const struct {
        bosc_dtype dtype;
        int exponent;
    } cases[] = {{BOSC_F64, 700}, {BOSC_F64, -1000}, {BOSC_F32, 90}, {BOSC_F32, -100}};
    struct suite_random r = {24};
    for (int t = 0; t < 4; t++) {
        enum { N = 60 };
        double x[2 * N], far[2 * N], z[2][4 * N], values[4][N];
        float far_f32[2 * N];
        int64_t labels[2][N];
        for (int i = 0; i < 2 * N; i++) {
            x[i] = (double)(suite_below(&r, 1 << 18) + 1) * (i % 3 ? 1 : 40); /* exact as floats and as squares */
            far[i] = ldexp(x[i], cases[t].exponent);
            far_f32[i] = (float)far[i];
        }
        bosc_hdbscan_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2, .min_cluster_size = 4, .min_samples = 2};
        CHECK_OK(ctx, bosc_hdbscan_compute(ctx, x, N, 0, &o, labels[0], values[0], values[1], NULL));
        CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, x, N, 0, &o, z[0]));
        const void *points = cases[t].dtype == BOSC_F64 ? (const void *)far : far_f32;
        o.dtype = cases[t].dtype;
        CHECK_OK(ctx, bosc_hdbscan_compute(ctx, points, N, 0, &o, labels[1], values[2], values[3], NULL));
        CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, points, N, 0, &o, z[1]));
        CHECK(memcmp(labels[0], labels[1], sizeof labels[0]) == 0);
        for (int i = 0; i < 4 * (N - 1); i++)
            CHECK(i % 4 == 2 ? ldexp(z[0][i], cases[t].exponent) == z[1][i] : z[0][i] == z[1][i]);
        for (int i = 0; i < N; i++) CHECK(fabs(values[0][i] - values[2][i]) < 1e-12);
    }
    const bosc_hdbscan_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 1, .min_samples = 1};
    const double mixed[4] = {1e-200, 2e-200, 1, 1e200}, infinite[4] = {1e200, 2e200, INFINITY, 1};
    int64_t labels[4] = {7, 7, 7, 7};
    CHECK_STATUS(ctx, bosc_hdbscan_compute(ctx, mixed, 4, 0, &o, labels, NULL, NULL, NULL), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: their magnitudes"));
    CHECK_STATUS(ctx, bosc_hdbscan_compute(ctx, infinite, 4, 0, &o, labels, NULL, NULL, NULL), BOSC_ERR_LIMIT);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: a coordinate is infinite"));
    CHECK(labels[0] == 7);
}

/* The distance of rows of two angles, or of the angle between rows. */
static double angle_of(const double *a, const double *b, int32_t dim, bool angles)
{
    long double ab = 0, aa = 0, bb = 0;
    const double u = sin((b[0] - a[0]) / 2), v = sin((b[1] - a[1]) / 2);
    if (memcmp(a, b, (size_t)dim * sizeof *a) == 0) return 0;
    if (angles) return 2 * asin(fmin(1, sqrt(u * u + cos(a[0]) * cos(b[0]) * v * v)));
    for (int32_t c = 0; c < dim; c++) {
        ab += (long double)a[c] * (long double)b[c];
        aa += (long double)a[c] * (long double)a[c];
        bb += (long double)b[c] * (long double)b[c];
    }
    return (double)(1 - ab / sqrtl(aa) / sqrtl(bb));
}

/* Rows as directions: the merges of the plain version over all distances, and its heights within rounding. */
static void directions(bosc_ctx *ctx)
{
    struct suite_random r = {26};
    for (int t = 0; t < 12; t++) {
        if (suite_leaves_out()) continue;
        const bool angles = t % 2;
        const int32_t dim = angles ? 2 : 2 + t % 4;
        const int64_t n = suite_slow(ctx) ? 40 : 120;
        double *data = suite_alloc((size_t)(n * dim) * 8), *d = suite_alloc((size_t)(n * n) * 8),
               *z = suite_alloc((size_t)n * 64), *made = z + 4 * n;
        struct answer got = make_answer(n);
        bosc_hdbscan_info info = {.size = sizeof info};
        for (int64_t e = 0; e < n * dim; e++)
            data[e] = e >= dim * 10 && e / dim % 10 == 9 ? data[e - dim * 10] /* copies of rows */
                                                         : (suite_unit(&r) - 0.5) * (!angles ? 1e200
                                                                                     : e % 2 ? 12.6
                                                                                             : 3);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j <= i; j++) {
                const double a = angle_of(data + j * dim, data + i * dim, dim, angles);
                d[i * n + j] = d[j * n + i] = a * a;
            }
        const struct reference_points p = {BOSC_F64, dim, n, dim, data};
        bosc_hdbscan_opts o = random_opts(&r, &p, 0.1);
        o.metric = angles ? BOSC_CLUSTER_HAVERSINE : BOSC_CLUSTER_COSINE;
        reference_mutual_linkage(n, d, o.min_samples, z);
        CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, data, n, 0, &o, made));
        for (int64_t i = 0; i < 4 * (n - 1); i++) CHECK(i % 4 == 2 ? fabs(z[i] - made[i]) < 1e-9 : z[i] == made[i]);
        CHECK_OK(ctx, bosc_hdbscan_compute(ctx, data, n, 0, &o, got.labels, got.probabilities, got.scores, &info));
        check_answer(n, made, &o, &got, &info);
        free(data);
        free(d);
        free(z);
        free_answer(&got);
    }
}

/* Orders 1 and infinity of whole numbers, whose distances and squares are exact. */
static void orders(bosc_ctx *ctx)
{
    struct suite_random r = {27};
    for (int t = 0; t < 8; t++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 1 + t / 2;
        const int64_t n = suite_slow(ctx) ? 40 : 150;
        float *data = suite_alloc((size_t)(n * dim) * sizeof *data);
        double *d = suite_alloc((size_t)(n * n) * 8), *z = suite_alloc((size_t)n * 64), *made = z + 4 * n;
        struct answer got = make_answer(n);
        bosc_hdbscan_info info = {.size = sizeof info};
        /* 1. The squares of all distances. */
        for (int64_t e = 0; e < n * dim; e++) data[e] = (float)suite_below(&r, 300);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) {
                double sum = 0, largest = 0;
                for (int32_t c = 0; c < dim; c++) {
                    const double gap = fabs((double)data[i * dim + c] - (double)data[j * dim + c]);
                    sum += gap;
                    largest = fmax(largest, gap);
                }
                d[i * n + j] = t % 2 ? largest * largest : sum * sum;
            }
        const struct reference_points p = {BOSC_F32, dim, n, dim, data};
        bosc_hdbscan_opts o = random_opts(&r, &p, 20);
        o.p = t % 2 ? (double)INFINITY : 1;
        /* 2. The dendrogram and the labels. */
        reference_mutual_linkage(n, d, o.min_samples, z);
        CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, data, n, 0, &o, made));
        for (int64_t i = 0; i < 4 * (n - 1); i++) CHECK(z[i] == made[i]);
        CHECK_OK(ctx, bosc_hdbscan_compute(ctx, data, n, 0, &o, got.labels, got.probabilities, got.scores, &info));
        check_answer(n, made, &o, &got, &info);
        free(data);
        free(d);
        free(z);
        free_answer(&got);
    }
}

/* Clusters in clusters, so that selections differ. */
static void nested_clusters(bosc_ctx *ctx)
{
    struct suite_random r = {22};
    for (int t = 0; t < 60; t++) {
        if (suite_leaves_out()) continue;
        const int64_t n = 20 + (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 200);
        double *data = suite_alloc((size_t)n * 16);
        for (int64_t i = 0; i < 2 * n; i++) {
            const int64_t group = i / 2 % 12, side = i % 2;
            data[i] = (double)((group & 1) * 100 + (group >> 1 & 1) * 30 * (1 - side) + group / 4 * 7 * side) +
                      suite_unit(&r) * (double)(1 + group % 3);
        }
        const struct reference_points p = {BOSC_F64, 2, n, 2, data};
        const bosc_hdbscan_opts o = random_opts(&r, &p, 60);
        check_hdbscan(ctx, &p, &o);
        free(data);
    }
}

/* Joins the points of merges up to a distance, and numbers the clusters by their first rows. */
static int64_t reference_cut(int64_t n, const double *z, double distance, int64_t *labels)
{
    int64_t *cluster = suite_alloc((size_t)n * 8), count = 0;
    for (int64_t v = 0; v < n; v++) cluster[v] = v;
    for (int64_t t = 0; t < n - 1 && z[4 * t + 2] <= distance; t++)
        for (int64_t v = 0; v < n; v++)
            if (cluster[v] == (int64_t)z[4 * t] || cluster[v] == (int64_t)z[4 * t + 1]) cluster[v] = n + t;
    for (int64_t v = 0; v < n; v++) {
        labels[v] = -1;
        for (int64_t u = 0; u < v && labels[v] < 0; u++)
            if (cluster[u] == cluster[v]) labels[v] = labels[u];
        if (labels[v] < 0) labels[v] = count++;
    }
    free(cluster);
    return count;
}

static void check_cut(bosc_ctx *ctx, int64_t n, const double *z, double distance)
{
    int64_t *labels = suite_alloc((size_t)n * 8), *right = suite_alloc((size_t)n * 8), count = -1;
    CHECK_OK(ctx, bosc_linkage_cut(ctx, z, n, distance, labels, &count));
    CHECK_EQ(count, reference_cut(n, z, distance, right));
    CHECK(memcmp(labels, right, (size_t)n * 8) == 0);
    free(labels);
    free(right);
}

/* Lists the points of a node from left to right. */
static int64_t list_points(int64_t n, const double *z, int64_t node, int64_t *to)
{
    if (node < n) {
        *to = node;
        return 1;
    }
    const double *merge = z + 4 * (node - n);
    const int64_t left = list_points(n, z, (int64_t)merge[0], to);
    return left + list_points(n, z, (int64_t)merge[1], to + left);
}

/* The order, and the distances at which points join, merge by merge. */
static void check_order(bosc_ctx *ctx, int64_t n, const double *z)
{
    const size_t pairs = (size_t)(n * (n - 1) / 2) * 8;
    int64_t *order = suite_alloc((size_t)n * 8), *right = suite_alloc((size_t)n * 8),
            *side = suite_alloc((size_t)n * 8);
    double *distances = suite_alloc(pairs + 8), *expected = suite_alloc(pairs + 8);
    CHECK_OK(ctx, bosc_linkage_order(ctx, z, n, order));
    CHECK_EQ(list_points(n, z, 2 * n - 2, right), n);
    CHECK(memcmp(order, right, (size_t)n * 8) == 0);
    for (int64_t t = 0; t < n - 1; t++) {
        const int64_t first = list_points(n, z, (int64_t)z[4 * t], right),
                      second = list_points(n, z, (int64_t)z[4 * t + 1], side);
        for (int64_t a = 0; a < first; a++)
            for (int64_t b = 0; b < second; b++) {
                const int64_t i = right[a] < side[b] ? right[a] : side[b], j = right[a] < side[b] ? side[b] : right[a];
                expected[n * i + j - (i + 1) * (i + 2) / 2] = z[4 * t + 2];
            }
    }
    CHECK_OK(ctx, bosc_linkage_cophenet(ctx, z, n, distances));
    CHECK(memcmp(distances, expected, pairs) == 0);
    free(order);
    free(right);
    free(side);
    free(distances);
    free(expected);
}

/* Cuts at heights of merges, between them, below and above all. */
static void cuts(bosc_ctx *ctx)
{
    struct suite_random r = {23};
    for (int s = 0; s < KD_SHAPES; s++) {
        const int64_t n = 2 + (int64_t)suite_below(&r, suite_slow(ctx) ? 60 : 200);
        struct reference_points p = kd_ordinary_points(&r, BOSC_F64, 2, n, 2, (enum kd_shape)s);
        double *d = suite_alloc((size_t)(n * n) * 8), *z = suite_alloc((size_t)n * 32);
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < n; j++) d[i * n + j] = reference_dist2(&p, j, kd_row(&p, i));
        reference_mutual_linkage(n, d, 1, z);
        for (int t = 0; t < 6; t++) {
            const double height = z[4 * (int64_t)suite_below(&r, (uint64_t)n - 1) + 2];
            check_cut(ctx, n, z, t < 4 ? height : height * 0.999);
        }
        check_cut(ctx, n, z, -1);
        check_cut(ctx, n, z, (double)INFINITY);
        check_order(ctx, n, z);
        free(d);
        free(z);
        free((void *)p.data);
    }
}

static void cut_arguments(bosc_ctx *ctx)
{
    const double z[8] = {0, 1, 1, 2, 2, 3, 2, 3}, bad[8] = {0, 1, 1, 2, 1, 3, 2, 3};
    int64_t labels[3] = {7, 7, 7}, count = 7;
    CHECK_EQ(bosc_linkage_cut(NULL, z, 3, 1, labels, &count), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_linkage_cut(ctx, z, -1, 1, labels, &count), "n");
    CHECK_ARG(ctx, bosc_linkage_cut(ctx, NULL, 3, 1, labels, &count), "z");
    CHECK_ARG(ctx, bosc_linkage_cut(ctx, z, 3, 1, NULL, &count), "labels");
    CHECK_ARG(ctx, bosc_linkage_cut(ctx, z, 3, (double)NAN, labels, &count), "distance");
    CHECK_STATUS(ctx, bosc_linkage_cut(ctx, bad, 3, 1, labels, &count), BOSC_ERR_DATA);
    CHECK(labels[0] == 7 && count == 7);
    CHECK_OK(ctx, bosc_linkage_cut(ctx, NULL, 1, 1, labels, NULL));
    CHECK(labels[0] == 0 && labels[1] == 7);
    CHECK_OK(ctx, bosc_linkage_cut(ctx, NULL, 0, 1, NULL, &count));
    CHECK_EQ(count, 0);
}

static void order_arguments(bosc_ctx *ctx)
{
    const double z[8] = {0, 1, 1, 2, 2, 3, 2, 3}, bad[8] = {0, 1, 1, 2, 1, 3, 2, 3};
    int64_t order[3] = {7, 7, 7};
    double distances[3] = {7, 7, 7};
    CHECK_EQ(bosc_linkage_order(NULL, z, 3, order), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_linkage_order(ctx, z, -1, order), "n");
    CHECK_ARG(ctx, bosc_linkage_order(ctx, NULL, 3, order), "z");
    CHECK_ARG(ctx, bosc_linkage_order(ctx, z, 3, NULL), "order");
    CHECK_STATUS(ctx, bosc_linkage_order(ctx, bad, 3, order), BOSC_ERR_DATA);
    CHECK_EQ(bosc_linkage_cophenet(NULL, z, 3, distances), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_linkage_cophenet(ctx, z, -1, distances), "n");
    CHECK_ARG(ctx, bosc_linkage_cophenet(ctx, NULL, 3, distances), "z");
    CHECK_ARG(ctx, bosc_linkage_cophenet(ctx, z, 3, NULL), "distances");
    CHECK_STATUS(ctx, bosc_linkage_cophenet(ctx, bad, 3, distances), BOSC_ERR_DATA);
    CHECK(order[0] == 7 && distances[0] == 7);
    CHECK_OK(ctx, bosc_linkage_order(ctx, NULL, 1, order));
    CHECK(order[0] == 0 && order[1] == 7);
    CHECK_OK(ctx, bosc_linkage_order(ctx, NULL, 0, NULL));
    CHECK_OK(ctx, bosc_linkage_cophenet(ctx, NULL, 1, NULL));
    CHECK_OK(ctx, bosc_linkage_cophenet(ctx, NULL, 0, NULL));
}

static void few_points(bosc_ctx *ctx)
{
    const double x[2] = {0, 1};
    const bosc_hdbscan_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 1, .min_samples = 1};
    bosc_hdbscan_info info = {.size = sizeof info};
    int64_t labels[2] = {7, 7};
    double probabilities[2] = {7, 7}, scores[2] = {7, 7};
    CHECK_OK(ctx, bosc_hdbscan_compute(ctx, x, 0, 0, &o, labels, probabilities, scores, &info));
    CHECK(labels[0] == 7 && info.clusters == 0 && info.noise == 0);
    CHECK_OK(ctx, bosc_hdbscan_compute(ctx, x, 1, 0, &o, labels, probabilities, scores, &info));
    CHECK(labels[0] == -1 && probabilities[0] == 0 && scores[0] == 0 && info.noise == 1 && labels[1] == 7);
    CHECK_OK(ctx, bosc_hdbscan_compute(ctx, x, 2, 0, &o, labels, NULL, NULL, NULL));
    CHECK(labels[0] == -1 && labels[1] == -1);
    CHECK_OK(ctx, bosc_hdbscan_condense(ctx, NULL, 0, NULL, NULL, NULL, NULL, &info));
    CHECK(info.condensed == 0 && info.noise == 0);
    CHECK_OK(ctx, bosc_hdbscan_condense(ctx, NULL, 1, NULL, labels, scores, NULL, &info));
    CHECK(labels[0] == -1 && scores[0] == 0 && scores[1] == 7 && info.condensed == 0);
    CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, x, 1, 0, &o, NULL));
    CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, NULL, 0, 0, &o, NULL));
}

static void refuse(bosc_ctx *ctx, const bosc_hdbscan_opts *o)
{
    const double x[6] = {0, 1, 3, 5, 8, 9};
    int64_t labels[6] = {7};
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, o, labels, NULL, NULL, NULL), "opts");
    CHECK_EQ(labels[0], 7);
    double z[20] = {7};
    CHECK_ARG(ctx, bosc_hdbscan_compute_linkage(ctx, x, 6, 0, o, z), "opts");
    CHECK(z[0] == 7);
}

/* Bad arguments are named, and outputs stay. */
static void bad_arguments(bosc_ctx *ctx)
{
    const double x[6] = {0, 1, 3, NAN, 8, 9};
    const bosc_hdbscan_opts good = {.size = sizeof good, .dtype = BOSC_F64, .dim = 1};
    bosc_hdbscan_opts bad[15];
    int64_t labels[6] = {7, 7, 7, 7, 7, 7};
    double values[6];
    /* 1. Options. */
    for (int k = 0; k < 15; k++) bad[k] = good;
    bad[0].dim = 0;
    bad[1].dtype = BOSC_U32;
    bad[2].label_bits = 16;
    bad[3].selection = (bosc_hdbscan_selection)2;
    bad[4].min_cluster_size = 1;
    bad[5].min_samples = -1;
    bad[6].min_samples = 7;
    bad[7].max_cluster_size = -1;
    bad[8].epsilon = -1;
    bad[9].epsilon = (double)NAN;
    bad[10].metric = (bosc_cluster_metric)3;
    bad[11].metric = BOSC_CLUSTER_HAVERSINE; /* of one coordinate */
    bad[12].p = 0.5;
    bad[13].p = (double)NAN;
    bad[14].p = 1; /* of directions */
    bad[14].metric = BOSC_CLUSTER_COSINE;
    for (int k = 0; k < 15; k++) refuse(ctx, &bad[k]);
    /* 2. Arrays. */
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, x, -1, 0, &good, labels, NULL, NULL, NULL), "n");
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, NULL, 6, 0, &good, labels, NULL, NULL, NULL), "points");
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, &good, NULL, NULL, NULL, NULL), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, &good, (char *)labels + 1, NULL, NULL, NULL), "labels");
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, &good, labels, (double *)((char *)values + 1), NULL, NULL),
              "probabilities");
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, &good, labels, NULL, (double *)((char *)values + 4), NULL),
              "outlier_scores");
    bad[0] = good;
    bad[0].metric = BOSC_CLUSTER_COSINE;
    CHECK_ARG(ctx, bosc_hdbscan_compute(ctx, NULL, 6, 0, &bad[0], labels, NULL, NULL, NULL), "points");
    CHECK_STATUS(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, &bad[0], labels, NULL, NULL, NULL), BOSC_ERR_DATA);
    CHECK(suite_begins(bosc_ctx_message(ctx), "points: row 0 has no direction"));
    bad[0].min_samples = 1;
    CHECK_STATUS(ctx, bosc_hdbscan_compute(ctx, x, 1, 0, &bad[0], labels, NULL, NULL, NULL), BOSC_ERR_DATA);
    CHECK_OK(ctx, bosc_hdbscan_compute(ctx, NULL, 0, 0, &bad[0], NULL, NULL, NULL, NULL));
    CHECK_ARG(ctx, bosc_hdbscan_compute_linkage(ctx, x, 6, 0, &good, NULL), "z");
    CHECK_ARG(ctx, bosc_hdbscan_compute_linkage(ctx, x, -1, 0, &good, values), "n");
    CHECK_ARG(ctx, bosc_hdbscan_condense(ctx, NULL, 6, &good, labels, NULL, NULL, NULL), "z");
    CHECK_ARG(ctx,
              bosc_hdbscan_condense(ctx, values, 1, &good, (int64_t *)(void *)((char *)labels + 1), NULL, NULL, NULL),
              "leaves");
    CHECK_ARG(ctx, bosc_hdbscan_condense(ctx, values, 1, &good, NULL, (double *)((char *)values + 1), NULL, NULL),
              "densities");
    CHECK_ARG(ctx, bosc_hdbscan_condense(ctx, values, 1, &good, NULL, NULL, (void *)((char *)values + 1), NULL),
              "clusters");
    CHECK_STATUS(ctx, bosc_hdbscan_compute(ctx, x, 6, 0, &good, labels, NULL, NULL, NULL), BOSC_ERR_DATA);
    CHECK_STATUS(ctx, bosc_hdbscan_compute_linkage(ctx, x, 6, 0, &good, values), BOSC_ERR_DATA);
    CHECK_EQ(bosc_hdbscan_compute(NULL, x, 6, 0, &good, labels, NULL, NULL, NULL), BOSC_ERR_ARG);
    for (int i = 0; i < 6; i++) CHECK_EQ(labels[i], 7);
}

/* The first row that is no merge is named. */
static void no_dendrograms(bosc_ctx *ctx)
{
    static const struct {
        double z[12];
        const char *message;
    } wrong[] = {
        {{0, 1, 1, 2, 2, 4, 2, 3, 3, 4, 3, 4}, "z: row 2"},   /* a cluster is merged twice */
        {{0, 1, 1, 2, 2, 5, 2, 3, 3, 4, 3, 4}, "z: row 1"},   /* of itself */
        {{0, 0, 1, 2, 2, 4, 2, 3, 3, 5, 3, 4}, "z: row 0"},   /* twice one */
        {{0, 1, 1, 2, 2, 4, 0.5, 3, 3, 5, 3, 4}, "z: row 1"}, /* distances descend */
        {{0, 1, 1, 2, 2, 4, NAN, 3, 3, 5, 3, 4}, "z: row 1"},
        {{0, 1, 1, 2, 2, 4, 2, 4, 3, 5, 3, 4}, "z: row 1"}, /* a size */
        {{0, 1, -1, 2, 2, 4, 2, 3, 3, 5, 3, 4}, "z: row 0"},
        {{0.5, 1, 1, 2, 2, 4, 2, 3, 3, 5, 3, 4}, "z: row 0"},
        {{-1, 1, 1, 2, NAN, 4, 2, 3, 3, 5, 3, 4}, "z: row 0"},
    };
    int64_t labels[4] = {7, 7, 7, 7};
    for (size_t k = 0; k < sizeof wrong / sizeof wrong[0]; k++) {
        CHECK_STATUS(ctx, bosc_hdbscan_select(ctx, wrong[k].z, 4, NULL, labels, NULL, NULL, NULL), BOSC_ERR_DATA);
        CHECK(suite_begins(bosc_ctx_message(ctx), wrong[k].message));
    }
    CHECK_ARG(ctx, bosc_hdbscan_select(ctx, NULL, 4, NULL, labels, NULL, NULL, NULL), "z");
    CHECK_EQ(labels[0], 7);
}

/* Opens a context like ctx without scratch. */
static bosc_ctx *open_fresh(bosc_ctx *ctx)
{
    const bosc_ctx_opts like = suite_opts_like(ctx);
    return suite_open(&like);
}

/* Reports are upper bounds of the scratch, and at most three times the scratch and the k-d trees: two trees, and the
 * bound of a build. */
static void bytes(bosc_ctx *ctx)
{
    struct suite_random r = {57};
    for (int k = 0; k < 12; k++) {
        if (suite_leaves_out()) continue;
        const int64_t n = suite_slow(ctx) ? 3000 : 20000, slack = 4 << 20;
        const int32_t dim = 1 + 4 * (k % 3);
        const bosc_dtype dtype = k % 2 ? BOSC_F64 : BOSC_F32;
        struct reference_points p = kd_points(&r, dtype, dim, n, dim, k < 6 ? KD_RANDOM : KD_GRID);
        const bosc_emst_opts emst = {.size = sizeof emst, .dtype = dtype, .dim = dim};
        const bosc_hdbscan_opts o = {
            .size = sizeof o, .dtype = dtype, .dim = dim, .min_samples = 1 + 5 * (k % 2), .p = k % 4 < 2 ? 2 : 1};
        const bosc_kdtree_opts tree = {.size = sizeof tree, .dtype = dtype, .dim = dim, .id_bits = 32};
        int64_t *pairs = suite_alloc((size_t)n * 16), reported[3], kept, building;
        double *lengths = suite_alloc((size_t)n * 8), *z = suite_alloc((size_t)n * 32);
        bosc_ctx *own[3] = {open_fresh(ctx), open_fresh(ctx), open_fresh(ctx)};
        CHECK_OK(ctx, bosc_kdtree_bytes(ctx, &tree, n, &kept, &building));
        CHECK_OK(own[0], bosc_emst_bytes(own[0], &emst, n, 0, &reported[0]));
        CHECK_OK(own[1], bosc_linkage_bytes(own[1], NULL, n, &reported[1]));
        CHECK_OK(own[2], bosc_hdbscan_bytes(own[2], &o, n, &reported[2]));
        CHECK_OK(own[0], bosc_emst_compute(own[0], p.data, n, dim, &emst, pairs, NULL));
        for (int64_t i = 0; i < n; i++) lengths[i] = (double)(i % 97);
        CHECK_OK(own[1], bosc_linkage_compute(own[1], pairs, lengths, n, NULL, z));
        /* HDBSCAN* of grids, which have many copies: not measured. */
        if (k < 6) CHECK_OK(own[2], bosc_hdbscan_compute(own[2], p.data, n, dim, &o, pairs, lengths, z, NULL));
        for (int c = 0; c < 3; c++) {
            if (k >= 6 && c == 2) continue;
            const int64_t scratch = counted_scratch(own[c]), trees = c == 1 ? 0 : 2 * kept + building;
            CHECK(scratch <= reported[c]);
            CHECK(reported[c] < 3 * (scratch + trees) + slack);
        }
        for (int c = 0; c < 3; c++) bosc_ctx_free(own[c]);
        free((void *)p.data);
        free(pairs);
        free(lengths);
        free(z);
    }
}

/* Reports include the scratch of searches in many dimensions: on CUDA, of the filter. */
static void bytes_of_many_dimensions(bosc_ctx *ctx)
{
    struct suite_random r = {58};
    const int64_t n = suite_slow(ctx) ? 600 : 3000;
    struct reference_points p = kd_points(&r, BOSC_F32, 20, n, 20, KD_RANDOM);
    const bosc_emst_opts o = {.size = sizeof o, .dim = 20};
    int64_t *pairs = suite_alloc((size_t)n * 16), reported;
    bosc_ctx *own = open_fresh(ctx);
    CHECK_OK(own, bosc_emst_bytes(own, &o, n, 0, &reported));
    CHECK_OK(own, bosc_emst_compute(own, p.data, n, 20, &o, pairs, NULL));
    CHECK(counted_scratch(own) <= reported);
    bosc_ctx_free(own);
    free((void *)p.data);
    free(pairs);
}

static void bad_arguments_of_bytes(bosc_ctx *ctx)
{
    const bosc_emst_opts emst = {.size = sizeof emst, .dim = 2}, no_dim = {.size = sizeof no_dim};
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 2}, huge = {.size = sizeof huge, .dim = 2, .min_samples = 9};
    const bosc_linkage_opts bits = {.size = sizeof bits, .id_bits = 8};
    int64_t found = 7;
    CHECK_ARG(ctx, bosc_emst_bytes(ctx, &no_dim, 9, 0, &found), "opts");
    CHECK_ARG(ctx, bosc_emst_bytes(ctx, &emst, -1, 0, &found), "n");
    CHECK_ARG(ctx, bosc_emst_bytes(ctx, &emst, 9, -1, &found), "min_samples");
    CHECK_ARG(ctx, bosc_emst_bytes(ctx, &emst, 9, 10, &found), "min_samples");
    CHECK_ARG(ctx, bosc_emst_bytes(ctx, &emst, 9, 0, NULL), "bytes");
    CHECK_STATUS(ctx, bosc_emst_bytes(ctx, &emst, 4000000000, 2000000000, &found), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_linkage_bytes(ctx, &bits, 9, &found), "opts");
    CHECK_ARG(ctx, bosc_linkage_bytes(ctx, NULL, -1, &found), "n");
    CHECK_ARG(ctx, bosc_linkage_bytes(ctx, NULL, 9, NULL), "bytes");
    CHECK_STATUS(ctx, bosc_linkage_bytes(ctx, NULL, (int64_t)1 << 40, &found), BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_hdbscan_bytes(ctx, NULL, 9, &found), "opts");
    CHECK_ARG(ctx, bosc_hdbscan_bytes(ctx, &o, -1, &found), "n");
    CHECK_ARG(ctx, bosc_hdbscan_bytes(ctx, &huge, 8, &found), "opts");
    CHECK_ARG(ctx, bosc_hdbscan_bytes(ctx, &o, 9, NULL), "bytes");
    CHECK_EQ(found, 7);
    CHECK_OK(ctx, bosc_hdbscan_bytes(ctx, &o, 0, &found));
}

static const struct suite_case suite_cases_hdbscan[] = {
    {"shapes", shapes, NULL},
    {"magnitudes", magnitudes, NULL},
    {"directions", directions, NULL},
    {"orders", orders, NULL},
    {"nested clusters", nested_clusters, NULL},
    {"cuts", cuts, NULL},
    {"cut arguments", cut_arguments, NULL},
    {"order arguments", order_arguments, NULL},
    {"few points", few_points, NULL},
    {"bad arguments", bad_arguments, NULL},
    {"no dendrograms", no_dendrograms, NULL},
    {"bytes", bytes, NULL},
    {"bytes of many dimensions", bytes_of_many_dimensions, NULL},
    {"bad arguments of bytes", bad_arguments_of_bytes, NULL},
};
SUITE(hdbscan);
