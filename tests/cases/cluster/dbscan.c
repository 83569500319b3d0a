/* DBSCAN finds the labels of a plain search over all points, for every metric, type and shape. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_metric_data.h"
#include "reference/cluster.h"
#include "support/counted.h"

/* A trial: points, a metric, arguments. */
struct trial {
    struct reference_points points;
    struct reference_metric metric;
    double periods[40];
    double eps;
    int64_t min_samples;
    const double *weights; /* multiples of a quarter, so that sums are exact in any order */
};

static bosc_dbscan_opts opts_of(const struct trial *t, int32_t label_bits)
{
    return (bosc_dbscan_opts){.size = sizeof(bosc_dbscan_opts),
                              .dtype = t->points.dtype,
                              .dim = t->points.dim,
                              .label_bits = label_bits,
                              .p = t->metric.p,
                              .periods = t->metric.periods,
                              .weights = t->weights,
                              .weight_count = t->weights ? t->points.n : 0};
}

static int64_t label_at(const void *labels, int32_t bits, int64_t i)
{
    return bits == 64 ? ((const int64_t *)labels)[i] : (int64_t)((const int32_t *)labels)[i];
}

/* Compares an answer with the reference. */
static void check_answer(const struct reference_neighbours *near, const struct trial *t, const void *labels,
                         int32_t bits, const uint8_t *core, const bosc_dbscan_info *info)
{
    const int64_t n = t->points.n;
    int64_t *right = suite_alloc((size_t)n * 8), core_count = 0, noise = 0;
    uint8_t *right_core = suite_alloc((size_t)n);
    CHECK_EQ(info->clusters, reference_dbscan(near, t->weights, (double)t->min_samples, right, right_core));
    for (int64_t i = 0; i < n; i++) {
        CHECK_EQ(label_at(labels, bits, i), right[i]);
        CHECK_EQ(core[i], right_core[i]);
        core_count += right_core[i];
        noise += right[i] < 0;
    }
    CHECK_EQ(info->core, core_count);
    CHECK_EQ(info->noise, noise);
    CHECK_EQ(info->border, n - core_count - noise);
    free(right);
    free(right_core);
}

/* Clusters points, and the rows of a tree of them. */
static void check_dbscan(bosc_ctx *ctx, const struct trial *t, const struct reference_neighbours *near)
{
    const struct reference_points *p = &t->points;
    int64_t *labels = suite_alloc((size_t)p->n * 8);
    uint8_t *core = suite_alloc((size_t)p->n);
    for (int32_t bits = 32; bits <= 64; bits += 32) {
        const bosc_dbscan_opts o = opts_of(t, bits);
        const bosc_kdtree_opts tree_opts = {
            .size = sizeof tree_opts, .dtype = p->dtype, .dim = p->dim, .id_bits = 96 - bits};
        bosc_dbscan_info info = {.size = sizeof info};
        CHECK_OK(ctx,
                 bosc_dbscan_compute(ctx, p->data, p->n, p->stride, t->eps, t->min_samples, &o, labels, core, &info));
        check_answer(near, t, labels, bits, core, &info);
        bosc_kdtree *tree = kd_build(ctx, &tree_opts, p);
        memset(labels, 0x55, (size_t)p->n * 8);
        CHECK_OK(ctx, bosc_dbscan_compute_tree(ctx, tree, t->eps, t->min_samples, &o, labels, NULL, NULL));
        check_answer(near, t, labels, bits, core, &info);
        bosc_kdtree_free(tree);
    }
    free(labels);
    free(core);
}

static void check_trial(bosc_ctx *ctx, const struct trial *t)
{
    struct reference_neighbours near = reference_neighbours_of(&t->points, &t->metric, t->eps);
    check_dbscan(ctx, t, &near);
    free(near.offsets);
    free(near.ids);
}

/* The distance of two points as eps: with exact distances, so that it is on the border; else no pair is near it. */
static double eps_of(struct suite_random *r, const struct trial *t)
{
    const struct reference_points *p = &t->points;
    if (p->n == 0 || suite_below(r, 8) == 0) return (double)suite_below(r, 3);
    const int64_t i = (int64_t)suite_below(r, (uint64_t)p->n), j = (int64_t)suite_below(r, (uint64_t)p->n);
    const double d = reference_distance(&t->metric, reference_measure(p, i, kd_row(p, j), &t->metric));
    return km_exact(&t->metric) ? d * (double)(1 + suite_below(r, 2)) / 2 : d * 1.0001;
}

static int64_t min_samples_of(struct suite_random *r, int64_t n)
{
    static const int64_t some[] = {1, 2, 3, 4, 6, 10};
    return suite_below(r, 8) ? some[suite_below(r, 6)] : n + (int64_t)suite_below(r, 2) + (n == 0);
}

static double *weights_of(struct suite_random *r, int64_t n)
{
    static const double some[] = {0, 0.25, 1, 1, 2, 7.5, -1, -0.5};
    const uint64_t kinds = suite_below(r, 2) ? 6 : 8;
    double *weights = suite_alloc((size_t)n * sizeof *weights);
    for (int64_t i = 0; i < n; i++) weights[i] = some[suite_below(r, kinds)];
    return weights;
}

static void every_shape_type_and_metric(bosc_ctx *ctx)
{
    static const int32_t dims[] = {1, 2, 3, 5, 17, 40};
    static const double norms[] = {2, 1, INFINITY, 2, 3};
    struct suite_random r = {51};
    for (int s = 0; s < KD_SHAPES; s++)
        for (int k = 0; k < 4 * 6; k++) {
            if (suite_leaves_out()) continue;
            const bosc_dtype dtype = km_dtypes[k % 4];
            const int32_t dim = dims[k / 4];
            const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 50 : 160);
            struct trial t = {.metric = {.p = norms[suite_below(&r, 5)]}};
            t.points = kd_ordinary_points(&r, dtype, dim, n, dim + k % 2, (enum kd_shape)s);
            if (suite_below(&r, 3) == 0) { /* a periodic box */
                for (int32_t c = 0; c < dim; c++) t.periods[c] = suite_below(&r, 4) ? KM_PERIOD : 0;
                km_confine(&r, &t.points, t.periods, false);
                t.metric.periods = t.periods;
            }
            double *weights = suite_below(&r, 3) ? NULL : weights_of(&r, n);
            t.weights = weights;
            t.eps = eps_of(&r, &t);
            t.min_samples = min_samples_of(&r, n);
            check_trial(ctx, &t);
            free(weights);
            free((void *)t.points.data);
        }
}

/* Points along curves, in balls and between them: chains of core points, borders of two clusters, noise. */
static double shaped_value(struct suite_random *r, int kind, int64_t i, int32_t c)
{
    if (kind == 0) return suite_unit(r) * 10;
    if (kind == 1) return suite_below(r, 9) == 0 ? suite_unit(r) * 40 : (double)(i % 4) * 10 + suite_unit(r);
    if (kind == 2) return (c == 0 ? cos((double)i * 0.05) : c == 1 ? sin((double)i * 0.05) : 0) * (1 + (double)(i % 3));
    return (double)(i / (c == 0 ? 1 : c == 1 ? 13 : 169) % 13); /* a lattice */
}

/* Sizes of many blocks; rows in another order than the tree's. */
static void many_blocks(bosc_ctx *ctx)
{
    static const double eps[] = {0.4, 0.9, 0.15, 1};
    struct suite_random r = {52};
    for (int k = 0; k < 16; k++) {
        if (suite_leaves_out()) continue;
        const bosc_dtype dtype = k / 4 % 2 ? BOSC_F64 : BOSC_F32;
        const int32_t dim = 2 + k / 8;
        const int64_t n = suite_slow(ctx) ? 300 : 1500;
        struct trial t = {.metric = {.p = 2}, .eps = eps[k % 4] * (dim - 1), .min_samples = 1 + k};
        void *data = suite_alloc((size_t)(n * dim) * 8);
        for (int64_t i = 0; i < n; i++)
            for (int32_t c = 0; c < dim; c++) kd_set(data, dtype, i * 7 % n * dim + c, shaped_value(&r, k % 4, i, c));
        t.points = (struct reference_points){dtype, dim, n, dim, data};
        check_trial(ctx, &t);
        free(data);
    }
}

/* Few neighbours a point, so that most blocks hold points of several sets. */
static void sparse(bosc_ctx *ctx)
{
    struct suite_random r = {57};
    for (int k = 0; k < 24; k++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 2 + k % 2;
        const int64_t n = suite_slow(ctx) ? 300 : 1000;
        struct trial t = {.metric = {.p = 2}, .min_samples = 1 + k % 3, .eps = 1 + 0.1 * (k % 4)};
        const double side = dim == 2 ? sqrt((double)n * 0.6) : cbrt((double)n * 1.2);
        void *data = suite_alloc((size_t)(n * dim) * 4);
        for (int64_t e = 0; e < n * dim; e++) kd_set(data, BOSC_F32, e, suite_unit(&r) * side);
        t.points = (struct reference_points){BOSC_F32, dim, n, dim, data};
        check_trial(ctx, &t);
        free(data);
    }
}

/* All pairs between two blocks are within eps; the first block alone is two sets. */
static void sides_of_a_block(bosc_ctx *ctx)
{
    float points[2 * 16];
    for (int i = 0; i < 16; i++) {
        points[2 * i] = i < 9 ? 0 : 0.5f;
        points[2 * i + 1] = i >= 9 ? 0 : i < 5 ? 0.6f : -0.6f;
    }
    const struct trial t = {.points = {BOSC_F32, 2, 16, 2, points}, .metric = {.p = 2}, .eps = 1, .min_samples = 1};
    check_trial(ctx, &t);
}

/* Borders between two or three clusters, each with one point near the border; a figure fills two blocks of 32. */
static void borders(bosc_ctx *ctx)
{
    enum { FIGURE = 64, FIGURES = 16, N = FIGURES * FIGURE };
    float points[2 * N];
    struct suite_random r = {58};
    for (int groups = 2; groups <= 3; groups++) {
        for (int i = 0; i < N; i++) {
            const int at = i % FIGURE - 1, group = at < 0 ? 0 : at * groups / (FIGURE - 1), row = i * 37 % N;
            const bool is_near = at >= 0 && (at == 0 || (at - 1) * groups / (FIGURE - 1) != group);
            const double distance = at < 0    ? 0
                                    : is_near ? 0.85
                                              : 0.95 + 0.1 * suite_unit(&r),
                         angle = 6.2832 * group / groups + 0.05 * suite_unit(&r);
            points[2 * row] = (float)(10 * (i / FIGURE) + distance * cos(angle));
            points[2 * row + 1] = (float)(distance * sin(angle));
        }
        const struct trial t = {
            .points = {BOSC_F32, 2, N, 2, points}, .metric = {.p = 2}, .eps = 0.9, .min_samples = 12};
        check_trial(ctx, &t);
    }
}

/* All points are equal; heavy and light ones. */
static void copies(bosc_ctx *ctx)
{
    const int64_t n = suite_slow(ctx) ? 200 : 900;
    struct suite_random r = {53};
    for (int64_t min_samples = 1; min_samples <= n + 1; min_samples += n / 2) {
        struct trial t = {
            .points = kd_points(&r, BOSC_F32, 3, n, 3, KD_EQUAL), .metric = {.p = 2}, .min_samples = min_samples};
        check_trial(ctx, &t);
        double *weights = weights_of(&r, n);
        t.weights = weights;
        check_trial(ctx, &t);
        free(weights);
        free((void *)t.points.data);
    }
}

/* A point with an infinite coordinate is near no point, nor near itself. */
static void infinite(bosc_ctx *ctx)
{
    float points[2 * 40];
    for (int i = 0; i < 40; i++) {
        points[2 * i] = i % 5 == 3 ? INFINITY : (float)(i / 4);
        points[2 * i + 1] = 1;
    }
    for (int64_t min_samples = 1; min_samples <= 3; min_samples++) {
        const struct trial t = {
            .points = {BOSC_F32, 2, 40, 2, points}, .metric = {.p = 2}, .eps = 0.5, .min_samples = min_samples};
        check_trial(ctx, &t);
    }
}

/* Squares that over- or underflow: points and eps times a power of two have the same labels. */
static void magnitudes(bosc_ctx *ctx)
{
    struct suite_random r = {54};
    for (int k = 0; k < 6; k++) {
        const bosc_dtype dtype = k % 2 ? BOSC_F64 : BOSC_F32;
        const int64_t n = suite_slow(ctx) ? 60 : 300;
        struct trial t = {.points = kd_ordinary_points(&r, dtype, 2, n, 2, KD_RANDOM),
                          .metric = {.p = 2},
                          .eps = 120,
                          .min_samples = 1 + k};
        struct reference_neighbours near = reference_neighbours_of(&t.points, &t.metric, t.eps);
        const double scale = ldexp(1, (k < 3 ? 1 : -1) * (dtype == BOSC_F32 ? 100 : 900));
        for (int64_t e = 0; e < 2 * n; e++)
            kd_set((void *)t.points.data, dtype, e, kd_get(t.points.data, dtype, e) * scale);
        t.eps *= scale;
        check_dbscan(ctx, &t, &near);
        free(near.offsets);
        free(near.ids);
        free((void *)t.points.data);
    }
}

/* --- Directions --------------------------------------------------------------------------------------------------- */

static double haversine_of(const double *a, const double *b)
{
    const double u = sin((b[0] - a[0]) / 2), v = sin((b[1] - a[1]) / 2);
    return 2 * asin(fmin(1, sqrt(u * u + cos(a[0]) * cos(b[0]) * v * v)));
}

/* In long double, as squares of the coordinates overflow. */
static double cosine_of(const double *a, const double *b, int32_t dim)
{
    long double ab = 0, aa = 0, bb = 0;
    for (int32_t c = 0; c < dim; c++) {
        ab += (long double)a[c] * (long double)b[c];
        aa += (long double)a[c] * (long double)a[c];
        bb += (long double)b[c] * (long double)b[c];
    }
    return (double)(1 - ab / sqrtl(aa) / sqrtl(bb));
}

/* Angles and directions in f64: no pair is at eps within rounding. */
static void other_metrics(bosc_ctx *ctx)
{
    static const double eps[] = {0.02, 0.3, 1.1, 3, 3.2};
    struct suite_random r = {55};
    for (int k = 0; k < 20; k++) {
        const bool angles = k % 2;
        const int32_t dim = angles ? 2 : 2 + k % 3;
        const int64_t n = suite_slow(ctx) ? 50 : 200;
        double *data = suite_alloc((size_t)(n * dim) * 8);
        struct reference_neighbours near = {n, suite_alloc((size_t)(n + 1) * 8), suite_alloc((size_t)(n * n) * 8)};
        struct trial t = {.points = {BOSC_F64, dim, n, dim, data}, .eps = eps[k / 2 % 5]};
        const double share = (angles ? 1 - cos(fmin(t.eps, 3.14159)) : fmin(t.eps, 2)) / 2; /* of a sphere */
        t.min_samples = 1 + (k < 10 ? k : (int64_t)(share * (double)n)); /* about half of the points are core */
        for (int64_t e = 0; e < n * dim; e++)
            data[e] = (suite_unit(&r) - 0.5) * (!angles ? 1e200 : e % 2 ? 12.6 : 3.1415);
        /* 1. The neighbours. */
        near.offsets[0] = 0;
        for (int64_t i = 0, at = 0; i < n; i++) {
            for (int64_t j = 0; j < n; j++) {
                const double d =
                    angles ? haversine_of(data + i * 2, data + j * 2) : cosine_of(data + i * dim, data + j * dim, dim);
                if (i == j || d <= t.eps) near.ids[at++] = j;
            }
            near.offsets[i + 1] = at;
        }
        /* 2. The answer. */
        int64_t labels[200];
        uint8_t core[200];
        bosc_dbscan_info info = {.size = sizeof info};
        bosc_dbscan_opts o = opts_of(&t, 64);
        o.metric = angles ? BOSC_CLUSTER_HAVERSINE : BOSC_CLUSTER_COSINE;
        CHECK_OK(ctx, bosc_dbscan_compute(ctx, data, n, 0, t.eps, t.min_samples, &o, labels, core, &info));
        check_answer(&near, &t, labels, 64, core, &info);
        free(data);
        free(near.offsets);
        free(near.ids);
    }
}

/* An eps that is the distance of two points, as computed in double, joins them, also close and opposite ones. */
static void angle_at_eps(bosc_ctx *ctx)
{
    struct suite_random r = {57};
    for (int k = 0; k < (suite_slow(ctx) ? 100 : 1000); k++) {
        const double size = pow(10, -(k % 9));
        double data[4];
        int64_t labels[2];
        for (int e = 0; e < 4; e++) data[e] = (suite_unit(&r) - 0.5) * (e % 2 ? 6 : 3);
        for (int e = 0; e < 2; e++) data[e + 2] = data[e] + (suite_unit(&r) - 0.5) * size;
        if (k % 10 == 0) data[2] = -data[0] * (1 - size / 10), data[3] = data[1] + 3.14159265358979;
        const double eps[] = {haversine_of(data, data + 2), haversine_of(data + 2, data)};
        const bosc_dbscan_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2, .metric = BOSC_CLUSTER_HAVERSINE};
        for (int e = 0; e < 2; e++) {
            CHECK_OK(ctx, bosc_dbscan_compute(ctx, data, 2, 0, eps[e], 2, &o, labels, NULL, NULL));
            if (labels[0] != 0 || labels[1] != 0) suite_fail(__FILE__, __LINE__, "trial %d: eps %.17g", k, eps[e]);
            if (eps[e] < 1e-13) continue; /* less than the slack */
            CHECK_OK(ctx, bosc_dbscan_compute(ctx, data, 2, 0, eps[e] * (1 - 1e-2), 2, &o, labels, NULL, NULL));
            CHECK(labels[0] == -1 && labels[1] == -1);
        }
    }
}

/* The memory of a call is at most what bosc_dbscan_bytes reports. */
static void bytes(bosc_ctx *ctx)
{
    const int64_t n = 3000;
    struct suite_random r = {56};
    for (int k = 0; k < 4; k++) {
        struct reference_points p = kd_points(&r, k % 2 ? BOSC_F64 : BOSC_F32, 2, n, 2, KD_RANDOM);
        int64_t *labels = suite_alloc((size_t)n * 8), reported = 0;
        struct trial t = {.points = p};
        bosc_dbscan_opts o = opts_of(&t, 64);
        o.metric = k < 2 ? BOSC_CLUSTER_MINKOWSKI : BOSC_CLUSTER_COSINE;
        bosc_ctx *own;
        const bosc_ctx_opts like = suite_opts_like(ctx);
        CHECK_OK(ctx, bosc_ctx_create(&like, &own));
        CHECK_OK(own, bosc_dbscan_bytes(own, &o, n, &reported));
        CHECK_OK(own, bosc_dbscan_compute(own, p.data, n, 0, 50, 5, &o, labels, NULL, NULL));
        CHECK(counted_scratch(own) <= reported && reported < 400 * n + (3 << 20));
        bosc_ctx_free(own);
        free(labels);
        free((void *)p.data);
    }
}

static const struct suite_case suite_cases_dbscan[] = {
    {"shapes", every_shape_type_and_metric, NULL},
    {"many blocks", many_blocks, NULL},
    {"sparse", sparse, NULL},
    {"sides of a block", sides_of_a_block, NULL},
    {"borders", borders, NULL},
    {"copies", copies, NULL},
    {"infinite", infinite, NULL},
    {"magnitudes", magnitudes, NULL},
    {"other metrics", other_metrics, NULL},
    {"an angle at eps", angle_at_eps, NULL},
    {"bytes", bytes, NULL},
};
SUITE(dbscan);
