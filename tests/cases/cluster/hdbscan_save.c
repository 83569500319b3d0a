/* Clusterings behind handles, and their files: the same bytes everywhere, read back whole; each damaged or forged
 * file is refused or harmless. */
#include "cluster/save.h"
#include "cases/cluster/hdbscan_model.h"
#include "support/saved.h"

SAVED_KIND(hdbscan, "saved clustering", bi_clustering_header)

/* The parts of a clustering, copied to the host. */
struct parts {
    int64_t n, *leaves, *labels;
    double *densities, *z;
    bosc_hdbscan_cluster *clusters;
    bosc_hdbscan_info info;
};

static struct parts get_parts(bosc_ctx *ctx, const bosc_hdbscan *c, int64_t n)
{
    bosc_hdbscan_model m = {.size = sizeof m};
    bosc_hdbscan_opts o = {.size = sizeof o};
    const double *z = NULL;
    struct parts p = {.n = n, .leaves = suite_alloc((size_t)n * 8), .labels = suite_alloc((size_t)n * 8)};
    p.densities = suite_alloc((size_t)n * 8);
    p.z = suite_alloc((size_t)n * 32);
    p.info.size = sizeof p.info;
    CHECK_OK(ctx, bosc_hdbscan_get_model(ctx, c, &m, &o, &p.info, &z));
    p.clusters = suite_alloc((size_t)m.cluster_count * sizeof *p.clusters + 1);
    CHECK_OK(ctx, bosc_ctx_copy(ctx, p.leaves, m.leaves, (size_t)n * 8));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, p.densities, m.densities, (size_t)n * 8));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, p.clusters, m.clusters, (size_t)m.cluster_count * sizeof *p.clusters));
    CHECK_OK(ctx, bosc_ctx_copy(ctx, p.z, z, n > 1 ? (size_t)(n - 1) * 32 : 0));
    CHECK_OK(ctx, bosc_ctx_sync(ctx));
    o.label_bits = 64;
    CHECK_OK(ctx, bosc_hdbscan_select(ctx, z, n, &o, p.labels, NULL, NULL, NULL));
    return p;
}

static void free_parts(const struct parts *p)
{
    free(p->leaves);
    free(p->labels);
    free(p->densities);
    free(p->z);
    free(p->clusters);
}

/* Predictions of a clustering: labels and memberships of the points themselves. */
static void predict(bosc_ctx *ctx, const bosc_hdbscan *c, const struct reference_points *p, int64_t *labels,
                    double *memberships)
{
    bosc_hdbscan_model m = {.size = sizeof m};
    bosc_hdbscan_opts o = {.size = sizeof o};
    bosc_hdbscan_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_hdbscan_get_model(ctx, c, &m, &o, &info, NULL));
    o.label_bits = 64;
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &m, &o, p->data, p->n, p->stride, labels, NULL));
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &m, &o, p->data, p->n, p->stride, info.clusters, memberships));
}

static void check_round_trip(bosc_ctx *ctx, const struct reference_points *p, const bosc_hdbscan_opts *o)
{
    const size_t n = (size_t)p->n;
    bosc_hdbscan *c = NULL;
    int64_t *labels[3];
    double *members[2], *z = suite_alloc(n * 32 + 1);
    for (int k = 0; k < 3; k++) labels[k] = suite_alloc(n * 8);
    for (int k = 0; k < 2; k++) members[k] = suite_alloc(n * n * 8);
    CHECK_OK(ctx, bosc_hdbscan_create(ctx, p->data, p->n, p->stride, o, &c));
    bosc_hdbscan *back = saved_again(ctx, &saved_hdbscan, c, 0);
    /* 1. The dendrogram and the labels are those of the points. */
    struct parts x = get_parts(ctx, c, p->n), y = get_parts(ctx, back, p->n);
    CHECK_OK(ctx, bosc_hdbscan_compute_linkage(ctx, p->data, p->n, p->stride, o, z));
    CHECK_OK(ctx, bosc_hdbscan_compute(ctx, p->data, p->n, p->stride, o, labels[2], NULL, NULL, NULL));
    CHECK(n < 2 || memcmp(x.z, z, (n - 1) * 32) == 0);
    CHECK(memcmp(x.labels, labels[2], n * 8) == 0);
    /* 2. All parts are read back. */
    CHECK(n < 2 || memcmp(x.z, y.z, (n - 1) * 32) == 0);
    CHECK(memcmp(x.leaves, y.leaves, n * 8) == 0 && memcmp(x.densities, y.densities, n * 8) == 0);
    CHECK(memcmp(&x.info, &y.info, sizeof x.info) == 0);
    CHECK(memcmp(x.clusters, y.clusters, (size_t)x.info.condensed * sizeof *x.clusters) == 0);
    predict(ctx, c, p, labels[0], members[0]);
    predict(ctx, back, p, labels[1], members[1]);
    CHECK(memcmp(labels[0], labels[1], n * 8) == 0);
    CHECK(memcmp(members[0], members[1], n * (size_t)x.info.clusters * 8) == 0);
    free_parts(&x);
    free_parts(&y);
    bosc_hdbscan_free(c);
    bosc_hdbscan_free(back);
    for (int k = 0; k < 3; k++) free(labels[k]);
    for (int k = 0; k < 2; k++) free(members[k]);
    free(z);
}

static void round_trip(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F32, BOSC_F64, BOSC_I32, BOSC_I64};
    static const enum kd_shape shapes[] = {KD_CLUSTERS, KD_RANDOM, KD_GRID, KD_EQUAL};
    struct suite_random r = {61};
    for (int k = 0; k < 16; k++) {
        if (suite_leaves_out()) continue;
        const int32_t dim = 1 + k % 3;
        struct reference_points p = kd_ordinary_points(&r, dtypes[k % 4], dim, 7 * k, dim + k % 2, shapes[k / 4]);
        bosc_hdbscan_opts o = {.size = sizeof o, .dtype = p.dtype, .dim = dim, .label_bits = 64};
        o.min_cluster_size = 2 + k % 4;
        o.min_samples = 1 + k % 5;
        o.selection = k % 2 ? BOSC_HDBSCAN_LEAF : BOSC_HDBSCAN_EOM;
        o.allow_single_cluster = k % 3 == 0;
        o.epsilon = k % 5 == 0 ? 0.25 : 0;
        check_round_trip(ctx, &p, &o);
        free((void *)p.data);
    }
}

/* Two clusters. */
static const float seven_points[] = {0, 1, 2, 10, 20, 21, 22};

static bosc_hdbscan *seven(bosc_ctx *ctx)
{
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 1, .min_cluster_size = 3, .min_samples = 2};
    bosc_hdbscan *c = NULL;
    CHECK_OK(ctx, bosc_hdbscan_create(ctx, seven_points, 7, 0, &o, &c));
    return c;
}

/* Every truncation, and every bit flipped. */
static void damage(bosc_ctx *ctx)
{
    bosc_hdbscan *c = seven(ctx);
    saved_damage(ctx, &saved_hdbscan, c, suite_slow(ctx) ? 37 : 1);
    bosc_hdbscan_free(c);
}

/* Words: 0 to 19 header, 20 to 26 points, 27 to 74 merges, 75 to 81 core distances. */
static const struct saved_lie lies[] = {
    {0, 7, "not the bytes of one"},
    {2, 2, "version 2"},
    {3, 2, "options"},
    {3, 1, NULL},
    {4, 0, "type of its elements"},
    {4, 3, NULL}, /* integers of the same size */
    {4, 99, "type of its elements"},
    {5, 0, "dimension"},
    {5, 1025, "dimension"},
    {5, 1024, "ends within its points"},
    {6, 0, "options"},
    {6, 33, "options"},
    {7, 2, "options"},
    {7, 1, NULL},
    {8, 0x7fffffff, "ends within its points"},
    {9, 1, "size is out of range"},
    {9, UINT32_MAX, "size is out of range"},
    {8, 1, "fewer points than min_samples"},
    {10, 1, "options"},
    {10, 7, NULL},
    {11, 0x7fffffff, NULL},
    {12, 0, "options"},
    {12, 8, "fewer points than min_samples"},
    {14, 2, NULL},
    {15, UINT32_MAX, "options"},
    {17, UINT32_MAX, "options"}, /* a NaN */
    {17, 0x3fd00000u, NULL},
    {20, 0x7fc00000u, "a point is no number"},
    {21, 0x7f800000u, NULL}, /* infinite */
    {27, 1, "dendrogram is none"},
    {28, 0x7ff80000u, "dendrogram is none"},
    {32, 0xbff00000u, "dendrogram is none"},
    {34, 0x40080000u, "dendrogram is none"},
    {74, 0x40200000u, "dendrogram is none"},
    {75, 0xbf800000u, "core distance"},
    {76, 0x7fc00000u, "core distance"},
    {77, 0x42280000u, NULL},
};

/* A clustering that was read can be used, whatever the file said. */
static void use_read_clustering(bosc_ctx *ctx, const void *clustering)
{
    const double queries[] = {0, 1, 2, 3, 4, 5, 6, 7};
    bosc_hdbscan_model m = {.size = sizeof m};
    bosc_hdbscan_opts o = {.size = sizeof o};
    bosc_hdbscan_info info = {.size = sizeof info};
    int64_t labels[2];
    double memberships[2 * 7];
    CHECK_OK(ctx, bosc_hdbscan_get_model(ctx, clustering, &m, &o, &info, NULL));
    o.label_bits = 64;
    CHECK(info.clusters <= 7);
    CHECK_OK(ctx, bosc_hdbscan_predict(ctx, &m, &o, queries, 2, 0, labels, NULL));
    CHECK(labels[0] >= -1 && labels[0] < info.clusters);
    CHECK_OK(ctx, bosc_hdbscan_predict_memberships(ctx, &m, &o, queries, 2, 0, info.clusters, memberships));
}

static void malice(bosc_ctx *ctx)
{
    bosc_hdbscan *c = seven(ctx);
    struct saved f = hdbscan_save(ctx, c);
    CHECK_EQ(f.size, 80 + 7 * 4 + 6 * 32 + 7 * 4 + 8);
    saved_lies(ctx, &saved_hdbscan, &f, lies, sizeof lies / sizeof lies[0], use_read_clustering);
    bosc_hdbscan_free(c);
    free(f.bytes);
}

static const unsigned char golden[] = {
#include "golden/hdbscan-v1.bosc.inc"
};

static void golden_file(bosc_ctx *ctx)
{
    double x[40];
    const bosc_hdbscan_opts o = {.size = sizeof o,
                                 .dtype = BOSC_F64,
                                 .dim = 2,
                                 .min_cluster_size = 4,
                                 .min_samples = 3,
                                 .max_cluster_size = 15,
                                 .epsilon = 0.125};
    bosc_hdbscan *c = NULL;
    for (int i = 0; i < 40; i++) x[i] = (double)(i * i * 37 % 101) / 16 + (i % 4 < 2 ? 0 : 50);
    CHECK_OK(ctx, bosc_hdbscan_create(ctx, x, 20, 0, &o, &c));
    bosc_hdbscan_free(saved_golden(ctx, &saved_hdbscan, c, "hdbscan-v1.bosc", golden, sizeof golden));
    bosc_hdbscan_free(c);
}

static void arguments(bosc_ctx *ctx)
{
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 1, .min_cluster_size = 3, .min_samples = 2};
    const float bad[] = {0, NAN, 1};
    bosc_hdbscan *c = seven(ctx), *none = NULL;
    bosc_hdbscan_model m = {.size = 7};
    bosc_hdbscan_opts opts = {.size = 7};
    bosc_hdbscan_info info = {.size = 7};
    struct saved f = hdbscan_save(ctx, c);
    /* 1. Creation. */
    CHECK_EQ(bosc_hdbscan_create(NULL, seven_points, 7, 0, &o, &none), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, seven_points, 7, 0, NULL, &none), "opts");
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, seven_points, 7, 0, &o, NULL), "clustering");
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, seven_points, -1, 0, &o, &none), "n");
    const bosc_hdbscan_opts cosine = {.size = sizeof cosine, .dim = 1, .metric = BOSC_CLUSTER_COSINE};
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, seven_points, 7, 0, &cosine, &none), "opts");
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, NULL, 7, 0, &o, &none), "points");
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, seven_points, 7, -1, &o, &none), "stride");
    CHECK_ARG(ctx, bosc_hdbscan_create(ctx, seven_points, 1, 0, &o, &none), "opts");
    CHECK_STATUS(ctx, bosc_hdbscan_create(ctx, bad, 3, 0, &o, &none), BOSC_ERR_DATA);
    /* 2. The model. */
    CHECK_ARG(ctx, bosc_hdbscan_get_model(ctx, NULL, NULL, NULL, NULL, NULL), "clustering");
    CHECK_ARG(ctx, bosc_hdbscan_get_model(ctx, c, &m, NULL, NULL, NULL), "model");
    CHECK_ARG(ctx, bosc_hdbscan_get_model(ctx, c, NULL, &opts, NULL, NULL), "opts");
    CHECK_ARG(ctx, bosc_hdbscan_get_model(ctx, c, NULL, NULL, &info, NULL), "info");
    CHECK_OK(ctx, bosc_hdbscan_get_model(ctx, c, NULL, NULL, NULL, NULL));
    info.size = sizeof info;
    CHECK_OK(ctx, bosc_hdbscan_get_model(ctx, c, NULL, NULL, &info, NULL));
    CHECK_EQ(info.clusters, 2);
    CHECK_EQ(info.noise, 0);
    /* 3. Files. */
    CHECK_EQ(bosc_hdbscan_write(NULL, c, saved_append, &f), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hdbscan_write(ctx, NULL, saved_append, &f), "clustering");
    CHECK_ARG(ctx, bosc_hdbscan_write(ctx, c, NULL, &f), "write");
    CHECK_EQ(bosc_hdbscan_read(NULL, saved_deliver, &f, &none), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_hdbscan_read(ctx, NULL, &f, &none), "read");
    CHECK_ARG(ctx, bosc_hdbscan_read(ctx, saved_deliver, &f, NULL), "clustering");
    CHECK(none == NULL);
    bosc_hdbscan_free(hdbscan_load(ctx, &f));
    bosc_hdbscan_free(c);
    bosc_hdbscan_free(NULL);
    free(f.bytes);
}

static const struct suite_case suite_cases_hdbscan_save[] = {
    {"round_trip", round_trip, NULL},   {"damage", damage, NULL},       {"malice", malice, NULL},
    {"golden_file", golden_file, NULL}, {"arguments", arguments, NULL},
};
SUITE(hdbscan_save);
