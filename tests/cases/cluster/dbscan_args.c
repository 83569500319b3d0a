/* Bad arguments of DBSCAN are refused by name, and nothing is written. */
#include <math.h>
#include <string.h>

#include "support/suite.h"

enum { N = 4 };

struct subject {
    bosc_ctx *ctx;
    double points[2 * N];
    bosc_dbscan_opts opts;
    int64_t labels[N];
    uint8_t core[N];
};

static struct subject subject_of(bosc_ctx *ctx)
{
    struct subject s = {
        .ctx = ctx,
        .points = {0, 0, 1, 0, 0, 1, 5, 5},
        .opts = {.size = sizeof s.opts, .dtype = BOSC_F64, .dim = 2},
    };
    memset(s.labels, 0x77, sizeof s.labels);
    memset(s.core, 0x77, sizeof s.core);
    return s;
}

static bosc_status call(struct subject *s, double eps, int64_t min_samples)
{
    return bosc_dbscan_compute(s->ctx, s->points, N, 0, eps, min_samples, &s->opts, s->labels, s->core, NULL);
}

static void check_untouched(const struct subject *s)
{
    for (int i = 0; i < N; i++) CHECK(s->labels[i] == 0x7777777777777777 && s->core[i] == 0x77);
}

static void numbers(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx);
    bosc_dbscan_info info = {.size = 4};
    CHECK_ARG(ctx, call(&s, NAN, 2), "eps");
    CHECK_ARG(ctx, call(&s, -0.5, 2), "eps");
    CHECK_ARG(ctx, call(&s, 1, 0), "min_samples");
    CHECK_ARG(ctx, call(&s, 1, -3), "min_samples");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, -1, 0, 1, 1, &s.opts, s.labels, NULL, NULL), "n");
    CHECK_STATUS(ctx, bosc_dbscan_compute(ctx, s.points, UINT32_MAX, 0, 1, 1, &s.opts, s.labels, NULL, NULL),
                 BOSC_ERR_LIMIT);
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, N, 1, 1, 1, &s.opts, s.labels, NULL, NULL), "stride");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, N, INT64_MAX / 4, 1, 1, &s.opts, s.labels, NULL, NULL), "points");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, NULL, N, 0, 1, 1, &s.opts, s.labels, NULL, NULL), "points");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, N, 0, 1, 1, &s.opts, NULL, NULL, NULL), "labels");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, N, 0, 1, 1, &s.opts, (char *)s.labels + 4, NULL, NULL), "labels");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, N, 0, 1, 1, &s.opts, s.labels, NULL, &info), "info");
    check_untouched(&s);
}

static void options(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx);
    const double weights[N] = {1, 1, 1, 1}, periods[2] = {4, 0}, wrong[2] = {-1, 0};
    static const bosc_dbscan_opts bad[] = {
        {.dtype = BOSC_U32, .dim = 2},
        {.dtype = BOSC_F64},
        {.dtype = BOSC_F64, .dim = 1025},
        {.dtype = BOSC_F64, .dim = 2, .metric = (bosc_cluster_metric)3},
        {.dtype = BOSC_F64, .dim = 2, .metric = (bosc_cluster_metric)-1},
        {.dtype = BOSC_F64, .dim = 3, .metric = BOSC_CLUSTER_HAVERSINE},
        {.dtype = BOSC_F64, .dim = 2, .metric = BOSC_CLUSTER_HAVERSINE, .p = 2},
        {.dtype = BOSC_F64, .dim = 2, .label_bits = 16},
        {.dtype = BOSC_F64, .dim = 2, .p = 0.5},
        {.dtype = BOSC_F64, .dim = 2, .p = NAN},
        {.dtype = BOSC_F64, .dim = 2, .weight_count = N},
    };
    /* 1. Single options. */
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        s.opts = bad[k];
        s.opts.size = sizeof s.opts;
        CHECK_ARG(ctx, call(&s, 1, 2), "opts");
    }
    /* 2. Weights, and periods. */
    s.opts = subject_of(ctx).opts;
    s.opts.weights = weights;
    CHECK_ARG(ctx, call(&s, 1, 2), "opts: weight_count");
    s.opts.weight_count = N + 1;
    CHECK_ARG(ctx, call(&s, 1, 2), "opts: weight_count");
    s.opts.weights = NULL;
    s.opts.weight_count = 0;
    s.opts.periods = wrong;
    CHECK_ARG(ctx, call(&s, 1, 2), "opts: periods");
    s.opts.periods = periods;
    s.opts.metric = BOSC_CLUSTER_COSINE;
    CHECK_ARG(ctx, call(&s, 1, 2), "opts: periods");
    CHECK_ARG(ctx, bosc_dbscan_compute(ctx, s.points, N, 0, 1, 2, NULL, s.labels, NULL, NULL), "opts");
    check_untouched(&s);
}

/* Refused rows are named by their numbers. */
static void data(bosc_ctx *ctx)
{
    static const double numbers_of[] = {NAN, INFINITY, 0};
    double weights[N] = {1, 1, NAN, 1};
    const double periods[2] = {4, 0};
    for (int k = 0; k < 6; k++) {
        struct subject s = subject_of(ctx);
        const char *row = "row 3";
        if (k == 0) s.points[7] = NAN;
        if (k == 1) s.opts.periods = periods; /* row 3 is at 5 */
        if (k == 2) {
            s.opts.weights = weights;
            s.opts.weight_count = N;
            row = "row 2";
        }
        if (k > 2) {
            s.opts.metric = k == 5 ? BOSC_CLUSTER_COSINE : BOSC_CLUSTER_HAVERSINE;
            s.points[6] = s.points[7] = numbers_of[k - 3];
            if (k == 5) s.points[0] = 1;
        }
        CHECK_STATUS(ctx, call(&s, 1, 2), BOSC_ERR_DATA);
        if (!strstr(bosc_ctx_message(ctx), row)) suite_fail(__FILE__, __LINE__, "%s", bosc_ctx_message(ctx));
        check_untouched(&s);
    }
}

static void trees(bosc_ctx *ctx)
{
    struct subject s = subject_of(ctx);
    bosc_kdtree_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 2, .duplicates = BOSC_KDTREE_DUPLICATES_REMOVE};
    bosc_kdtree *tree;
    bosc_dbscan_info info = {.size = sizeof info, .clusters = 9};
    CHECK_ARG(ctx, bosc_dbscan_compute_tree(ctx, NULL, 1, 2, NULL, s.labels, NULL, NULL), "tree");
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, s.points, N, 0));
    CHECK_ARG(ctx, bosc_dbscan_compute_tree(ctx, tree, 1, 2, NULL, s.labels, NULL, NULL), "tree");
    bosc_kdtree_free(tree);
    o.duplicates = BOSC_KDTREE_DUPLICATES_KEEP;
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &o, &tree));
    /* No points, and no array. */
    CHECK_OK(ctx, bosc_dbscan_compute_tree(ctx, tree, 1, 2, NULL, NULL, NULL, &info));
    CHECK(info.clusters == 0 && info.core == 0 && info.border == 0 && info.noise == 0);
    CHECK_OK(ctx, bosc_dbscan_compute(ctx, NULL, 0, 0, 1, 2, &s.opts, NULL, NULL, NULL));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, tree, s.points, N, 0));
    s.opts.metric = BOSC_CLUSTER_COSINE;
    CHECK_ARG(ctx, bosc_dbscan_compute_tree(ctx, tree, 1, 2, &s.opts, s.labels, NULL, NULL), "opts: metric");
    CHECK_ARG(ctx, bosc_dbscan_compute_tree(ctx, tree, NAN, 2, NULL, s.labels, NULL, NULL), "eps");
    CHECK_ARG(ctx, bosc_dbscan_compute_tree(ctx, tree, 1, 0, NULL, s.labels, NULL, NULL), "min_samples");
    check_untouched(&s);
    bosc_kdtree_free(tree);
}

static void memory(bosc_ctx *ctx)
{
    bosc_dbscan_opts o = {.size = sizeof o, .dim = 3};
    int64_t bytes = 0, more = 0;
    CHECK_ARG(ctx, bosc_dbscan_bytes(ctx, NULL, 1, &bytes), "opts");
    CHECK_ARG(ctx, bosc_dbscan_bytes(ctx, &o, -1, &bytes), "n");
    CHECK_ARG(ctx, bosc_dbscan_bytes(ctx, &o, 1, NULL), "bytes");
    CHECK_STATUS(ctx, bosc_dbscan_bytes(ctx, &o, UINT32_MAX, &bytes), BOSC_ERR_LIMIT);
    CHECK_EQ(bytes, 0);
    CHECK_OK(ctx, bosc_dbscan_bytes(ctx, &o, 1000000, &bytes));
    o.dtype = BOSC_F64;
    CHECK_OK(ctx, bosc_dbscan_bytes(ctx, &o, 1000000, &more));
    CHECK(bytes > 100 * 1000000 && more > bytes);
}

static const struct suite_case suite_cases_dbscan_args[] = {
    {"numbers", numbers, NULL}, {"options", options, NULL}, {"data", data, NULL},
    {"trees", trees, NULL},     {"memory", memory, NULL},
};
SUITE(dbscan_args);
