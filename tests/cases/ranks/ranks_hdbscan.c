/* Clusters of varying density over ranks are those of one context for the points of all ranks. */
#include <math.h>

#include "cases/kdtree/kdtree_data.h"
#include "cases/ranks/ranks_data.h"

#include <boscage/ranks/cluster.h>

/* Input of the ranks of a trial, and the answer of one context. */
struct trial {
    struct reference_points points;
    bosc_hdbscan_opts opts;
    uint64_t seed; /* of the slices */
    void *labels;
    double *probabilities, *scores;
    bosc_hdbscan_info info;
};

static size_t label_size(const struct trial *t) { return (size_t)t->opts.label_bits / 8; }

/* This rank's results are those of its rows, and nothing is written behind them. */
static void cluster(struct rank *r)
{
    const struct trial *t = r->user;
    const struct reference_points *p = &t->points;
    const struct ranks_trial_slice s = ranks_slice_of(r, t->seed, p->n);
    for (int with = 0; with < 2; with++) {
        void *labels = ranks_make_part(s, label_size(t));
        double *probabilities = ranks_make_part(s, 8), *scores = ranks_make_part(s, 8);
        bosc_hdbscan_info info = {.size = sizeof info};
        ranks_fill_scratch(r->ctx);
        CHECK_OK(r->ctx, bosc_ranks_hdbscan_compute(r->ctx, r->comm, s.n ? kd_row(p, s.begin) : NULL, s.n, p->stride,
                                                    &t->opts, labels, with ? probabilities : NULL, with ? scores : NULL,
                                                    with ? &info : NULL));
        ranks_check_part(labels, t->labels, label_size(t), s);
        if (with) {
            ranks_check_part(probabilities, t->probabilities, 8, s);
            ranks_check_part(scores, t->scores, 8, s);
            CHECK_EQ(info.clusters, t->info.clusters);
            CHECK_EQ(info.noise, t->info.noise);
            CHECK_EQ(info.condensed, t->info.condensed);
        }
        free(labels);
        free(probabilities);
        free(scores);
    }
}

/* One trial; frees the points. */
static void check(bosc_ctx *ctx, struct trial *t)
{
    const struct reference_points *p = &t->points;
    t->opts.size = sizeof t->opts;
    t->opts.dtype = p->dtype;
    t->opts.dim = p->dim;
    t->opts.label_bits = t->seed % 2 ? 32 : 64;
    t->info.size = sizeof t->info;
    t->labels = suite_alloc((size_t)p->n * label_size(t));
    t->probabilities = suite_alloc((size_t)p->n * 8);
    t->scores = suite_alloc((size_t)p->n * 8);
    CHECK_OK(ctx, bosc_hdbscan_compute(ctx, p->data, p->n, p->stride, &t->opts, t->labels, t->probabilities, t->scores,
                                       &t->info));
    EACH_RANK_COUNT(t->seed, ranks) ranks_run(ctx, ranks, 0, cluster, t);
    free(t->labels);
    free(t->probabilities);
    free(t->scores);
    free((void *)(uintptr_t)p->data);
}

static bosc_hdbscan_opts random_opts(struct suite_random *r, int64_t n)
{
    const double orders[] = {2, 1, 1.5, 3, (double)INFINITY};
    bosc_hdbscan_opts o = {.selection = suite_below(r, 3) ? BOSC_HDBSCAN_EOM : BOSC_HDBSCAN_LEAF};
    o.p = orders[suite_below(r, 5)];
    o.allow_single_cluster = (int32_t)suite_below(r, 2);
    o.min_cluster_size = 2 + (int64_t)suite_below(r, 8);
    o.min_samples = 1 + (int64_t)suite_below(r, n < 7 && n > 0 ? (uint64_t)n : 7);
    o.max_cluster_size = suite_below(r, 3) ? 0 : 2 + (int64_t)suite_below(r, 60);
    o.epsilon = suite_below(r, 3) ? 0 : suite_unit(r);
    return o;
}

static void every_type_and_dimension(bosc_ctx *ctx)
{
    static const bosc_dtype dtypes[] = {BOSC_F64, BOSC_F32, BOSC_I32, BOSC_I64};
    struct suite_random r = {91};
    for (int kind = 0; kind < 4 * KD_SHAPES; kind++) {
        const int32_t dim = 1 + (int32_t)suite_below(&r, 6);
        const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 90 : 400);
        struct trial t = {.seed = (uint64_t)kind, .opts = random_opts(&r, n)};
        if (kind / 4 == KD_SPECIAL) t.opts.p = 2; /* some coordinates are infinite */
        if (suite_leaves_out()) continue;
        t.points = kd_ordinary_points(&r, dtypes[kind % 4], dim, n, dim + kind % 2, (enum kd_shape)(kind / 4));
        check(ctx, &t);
    }
}

/* No point, up to a few for each rank. */
static void fewer_points_than_ranks(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 20; n++) {
        struct suite_random r = {(uint64_t)n + 92};
        struct trial t = {.seed = (uint64_t)n, .opts = random_opts(&r, n)};
        if (suite_leaves_out()) continue;
        t.points = kd_points(&r, BOSC_F32, 2, n, 2, n % 2 ? KD_GRID : KD_RANDOM);
        check(ctx, &t);
    }
}

/* Groups of several densities, which borders of shards divide, with some noise. */
static void groups(bosc_ctx *ctx)
{
    struct suite_random r = {93};
    for (int kind = 0; kind < 4; kind++) {
        const int64_t n = suite_slow(ctx) ? 300 : 6000;
        const bosc_dtype dtype = kind % 2 ? BOSC_F64 : BOSC_F32;
        struct trial t = {.seed = (uint64_t)kind + 1,
                          .opts = {.min_cluster_size = 12, .min_samples = kind < 2 ? 0 : 4}};
        if (suite_leaves_out()) continue;
        void *data = suite_alloc((size_t)(n * 3) * 8);
        for (int64_t i = 0; i < n; i++)
            for (int64_t c = 0; c < 3; c++) {
                const double width = i % 29 == 0 ? 40 : (double)(1 + i % 5);
                kd_set(data, dtype, 3 * i + c,
                       (double)(i % 5 * (c + 3) % 4) * 9 + (suite_unit(&r) + suite_unit(&r)) * width);
            }
        t.points = (struct reference_points){dtype, 3, n, 3, data};
        check(ctx, &t);
    }
}

/* Rows as directions: latitude and longitude, and rows compared by their angle. */
static void directions(bosc_ctx *ctx)
{
    struct suite_random r = {94};
    for (int kind = 0; kind < 4; kind++) {
        const int32_t dim = kind % 2 ? 3 : 2;
        const bosc_dtype dtype = kind / 2 ? BOSC_F64 : BOSC_F32;
        const int64_t n = suite_slow(ctx) ? 80 : 400;
        struct trial t = {
            .seed = (uint64_t)kind + 1,
            .opts = {.metric = kind % 2 ? BOSC_CLUSTER_COSINE : BOSC_CLUSTER_HAVERSINE, .min_cluster_size = 4}};
        void *data = suite_alloc((size_t)(n * dim) * 8);
        for (int64_t e = 0; e < n * dim; e++) kd_set(data, dtype, e, (suite_unit(&r) - 0.5) * 3);
        t.points = (struct reference_points){dtype, dim, n, dim, data};
        check(ctx, &t);
    }
}

static const struct suite_case suite_cases_ranks_hdbscan[] = {
    {"shapes", every_type_and_dimension, NULL},
    {"small", fewer_points_than_ranks, NULL},
    {"groups", groups, NULL},
    {"directions", directions, NULL},
};
SUITE(ranks_hdbscan);
