/* Clusters over ranks are those of one context for the points of all ranks. */
#include <math.h>

#include "cases/kdtree/kdtree_metric_data.h"
#include "cases/ranks/ranks_data.h"

#include <boscage/ranks/cluster.h>

/* Input of the ranks of a trial, and the answer of one context. */
struct trial {
    struct reference_points points;
    bosc_dbscan_opts opts;
    double periods[40];
    double eps;
    int64_t min_samples;
    uint64_t seed; /* of the slices */
    void *labels;
    uint8_t *core;
    bosc_dbscan_info info;
};

static size_t label_size(const struct trial *t) { return (size_t)t->opts.label_bits / 8; }

static void check_info(const bosc_dbscan_info *a, const bosc_dbscan_info *b)
{
    CHECK_EQ(a->clusters, b->clusters);
    CHECK_EQ(a->core, b->core);
    CHECK_EQ(a->border, b->border);
    CHECK_EQ(a->noise, b->noise);
}

/* This rank's labels and core flags are those of its rows, and nothing is written behind them. */
static void cluster(struct rank *r)
{
    const struct trial *t = r->user;
    const struct reference_points *p = &t->points;
    const struct ranks_trial_slice s = ranks_slice_of(r, t->seed, p->n);
    for (int with = 0; with < 2; with++) {
        void *labels = ranks_make_part(s, label_size(t));
        uint8_t *core = ranks_make_part(s, sizeof *core);
        bosc_dbscan_info info = {.size = sizeof info};
        ranks_fill_scratch(r->ctx);
        CHECK_OK(r->ctx,
                 bosc_ranks_dbscan_compute(r->ctx, r->comm, s.n ? kd_row(p, s.begin) : NULL, s.n, p->stride, t->eps,
                                           t->min_samples, &t->opts, labels, with ? core : NULL, with ? &info : NULL));
        ranks_check_part(labels, t->labels, label_size(t), s);
        if (with) ranks_check_part(core, t->core, sizeof *core, s);
        if (with) check_info(&info, &t->info);
        free(labels);
        free(core);
    }
}

/* One trial; frees the points. */
static void check(bosc_ctx *ctx, struct trial *t)
{
    const struct reference_points *p = &t->points;
    t->opts.size = sizeof t->opts;
    t->opts.dtype = p->dtype;
    t->opts.dim = p->dim;
    if (!t->opts.label_bits) t->opts.label_bits = t->seed % 2 ? 32 : 64;
    t->info.size = sizeof t->info;
    t->labels = suite_alloc((size_t)p->n * label_size(t));
    t->core = suite_alloc((size_t)p->n);
    CHECK_OK(ctx, bosc_dbscan_compute(ctx, p->data, p->n, p->stride, t->eps, t->min_samples, &t->opts, t->labels,
                                      t->core, &t->info));
    EACH_RANK_COUNT(t->seed, ranks) ranks_run(ctx, ranks, 0, cluster, t);
    free(t->labels);
    free(t->core);
    free((void *)(uintptr_t)p->data);
}

/* A distance between two points, so that some pairs are at eps exactly. */
static double eps_of(struct suite_random *r, const struct reference_points *p, const struct reference_metric *m)
{
    if (p->n == 0 || suite_below(r, 8) == 0) return (double)suite_below(r, 3);
    const int64_t i = (int64_t)suite_below(r, (uint64_t)p->n), j = (int64_t)suite_below(r, (uint64_t)p->n);
    return reference_distance(m, reference_measure(p, i, kd_row(p, j), m)) * (double)(1 + suite_below(r, 2)) / 2;
}

static void every_type_and_metric(bosc_ctx *ctx)
{
    static const int32_t dims[] = {1, 2, 3, 5, 17, 40};
    static const double norms[] = {2, 1, INFINITY, 2, 3};
    static const int64_t samples[] = {1, 2, 3, 5, 9};
    struct suite_random r = {71};
    for (int kind = 0; kind < 4 * KD_SHAPES; kind++) {
        const int32_t dim = dims[suite_below(&r, 6)];
        const int64_t n = (int64_t)suite_below(&r, suite_slow(ctx) ? 90 : 400);
        struct trial t = {.seed = (uint64_t)kind, .opts = {.p = norms[suite_below(&r, 5)]}};
        const bool periodic = suite_below(&r, 3) == 0;
        t.min_samples = samples[suite_below(&r, 5)];
        if (suite_leaves_out()) continue;
        t.points = kd_ordinary_points(&r, km_dtypes[kind % 4], dim, n, dim + kind % 2, (enum kd_shape)(kind / 4));
        if (periodic) {
            for (int32_t c = 0; c < dim; c++) t.periods[c] = suite_below(&r, 4) ? KM_PERIOD : 0;
            km_confine(&r, &t.points, t.periods, false);
            t.opts.periods = t.periods;
        }
        const struct reference_metric metric = {.p = t.opts.p, .periods = periodic ? t.periods : NULL};
        t.eps = eps_of(&r, &t.points, &metric);
        check(ctx, &t);
    }
}

/* Points whose clusters cross the borders of shards in hard ways. */
enum hard_shape {
    HARD_LINES,    /* long chains through all shards */
    HARD_LATTICE,  /* all neighbours at eps */
    HARD_COPIES,   /* a few places with many equal points each, on several ranks */
    HARD_SPOTS,    /* clusters about as large as shards, with borders between two of them */
    HARD_COMBS,    /* two that reach into each other */
    HARD_INFINITE, /* some coordinates are infinite */
    HARD_SMALL,    /* squares underflow, but for a few points */
    HARD_SCALES,   /* squares underflow in some shards, but not in those of other points */
    HARD_LARGE,    /* squares overflow in some shards, and that of eps */
    HARD_SHAPES
};

static double hard_value(struct suite_random *r, enum hard_shape shape, int64_t n, int64_t i, int32_t c)
{
    switch (shape) {
    case HARD_LINES: return (double)(c == 0 ? i * 7 % n : c == 1 ? i % 3 * 100 : 0);
    case HARD_LATTICE: return (double)(c == 0 ? i % 17 : c == 1 ? i / 17 % 17 : i / 289);
    case HARD_COPIES: return (double)(i * i % (5 + c) * 4);
    case HARD_SPOTS: return (double)(i % 6) * 9 + suite_unit(r) * 6 + suite_unit(r) * 5;
    case HARD_COMBS: return (double)(c == 0 ? (i / 2 % 10) * 4 + i % 2 * 2 : c == 1 ? i / 20 + (i % 2) * 3 : 0);
    case HARD_INFINITE: return i % 11 == 3 ? (i % 2 ? (double)INFINITY : -(double)INFINITY) : suite_unit(r) * 9;
    case HARD_SMALL: return i < n / 3 ? 0 : (suite_unit(r) - 0.5) * 0x1p-60;
    case HARD_SCALES: return i % 9 ? (suite_unit(r) - 0.5) * 0x1p-71 : 1 + suite_unit(r);
    default: return i % 7 ? suite_unit(r) * 4 : suite_unit(r) * 0x1p67;
    }
}

static void hard_shapes(bosc_ctx *ctx)
{
    static const int64_t sizes[] = {60, 210, 900};
    struct suite_random r = {73};
    for (int kind = 0; kind < 4 * HARD_SHAPES; kind++) {
        const enum hard_shape shape = (enum hard_shape)(kind / 4);
        const bool whole = shape < HARD_INFINITE;
        const bosc_dtype dtype = kind % 4 == 1 ? BOSC_F64 : kind % 4 == 2 && whole ? BOSC_I32 : BOSC_F32;
        const int32_t dim = kind % 4 == 3 ? 2 : 3;
        const int64_t n = sizes[suite_slow(ctx) ? kind % 2 : 1 + kind % 2];
        const double unit = shape == HARD_SMALL    ? 0x1p-64
                            : shape == HARD_SCALES ? 0x1p-74
                            : shape == HARD_LARGE  ? 0x1p64
                                                   : 1;
        struct trial t = {.seed = (uint64_t)kind / 4 + (uint64_t)kind % 4 * 5,
                          .eps = (kind % 2 ? 1 : 2) * unit,
                          .min_samples = 1 + kind % 4 * 2};
        if (suite_leaves_out()) continue;
        void *data = suite_alloc((size_t)(n * dim) * 8);
        for (int64_t e = 0; e < n * dim; e++)
            kd_set(data, dtype, e, hard_value(&r, shape, n, e / dim, (int32_t)(e % dim)));
        t.points = (struct reference_points){dtype, dim, n, dim, data};
        check(ctx, &t);
    }
}

/* Rows as directions: latitude and longitude, and rows compared by their angle. */
static void directions(bosc_ctx *ctx)
{
    struct suite_random r = {74};
    for (int kind = 0; kind < 4; kind++) {
        const int32_t dim = kind % 2 ? 3 : 2;
        const bosc_dtype dtype = kind / 2 ? BOSC_F64 : BOSC_F32;
        const int64_t n = suite_slow(ctx) ? 80 : 400;
        struct trial t = {.seed = (uint64_t)kind + 1,
                          .opts = {.metric = kind % 2 ? BOSC_CLUSTER_COSINE : BOSC_CLUSTER_HAVERSINE},
                          .eps = kind % 2 ? 0.01 : 0.2,
                          .min_samples = 3};
        void *data = suite_alloc((size_t)(n * dim) * 8);
        for (int64_t e = 0; e < n * dim; e++) kd_set(data, dtype, e, (suite_unit(&r) - 0.5) * 3);
        t.points = (struct reference_points){dtype, dim, n, dim, data};
        check(ctx, &t);
    }
}

/* No point, up to a few for each rank. */
static void fewer_points_than_ranks(bosc_ctx *ctx)
{
    for (int64_t n = 0; n < 20; n++) {
        struct suite_random r = {(uint64_t)n + 72};
        struct trial t = {.seed = (uint64_t)n, .eps = 1, .min_samples = 1 + n % 3};
        if (suite_leaves_out()) continue;
        t.points = kd_points(&r, BOSC_F32, 2, n, 2, n % 2 ? KD_GRID : KD_RANDOM);
        check(ctx, &t);
    }
}

static void many_points(bosc_ctx *ctx)
{
    struct suite_random r = {75};
    const int64_t n = suite_slow(ctx) ? 1000 : 20000;
    struct trial t = {.seed = 1, .eps = 1.3 / cbrt((double)n), .min_samples = 8};
    float *data = suite_alloc((size_t)n * 12);
    for (int64_t e = 0; e < 3 * n; e++) data[e] = (float)suite_unit(&r);
    t.points = (struct reference_points){BOSC_F32, 3, n, 3, data};
    check(ctx, &t);
}

static const struct suite_case suite_cases_ranks_dbscan[] = {
    {"shapes", every_type_and_metric, NULL},
    {"small", fewer_points_than_ranks, NULL},
    {"hard", hard_shapes, NULL},
    {"large", many_points, NULL},
    {"directions", directions, NULL},
};
SUITE(ranks_dbscan);
