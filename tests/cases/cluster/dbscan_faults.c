/* Each allocation, copy and launch of bosc_dbscan_compute and bosc_dbscan_compute_tree fails in turn. */
#include <stdlib.h>

#include "cases/kdtree/kdtree_data.h"
#include "support/faults.h"

enum { N = 90 };

struct subject {
    struct reference_points points;
    bosc_dbscan_opts opts;
    bosc_kdtree *tree;
    struct {
        int64_t labels[N];
        uint8_t core[N];
    } out;
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_dbscan_compute(ctx, s->points.data, s->points.n, 0, 0.3, 3, &s->opts, s->out.labels, s->out.core, NULL);
}

/* Plain, with weights in a periodic box, and under another metric. */
static void faults(bosc_ctx *ctx)
{
    double weights[N];
    const double periods[2] = {1e4, 0};
    for (int i = 0; i < N; i++) weights[i] = 1 + i % 2;
    for (int trial = 0; trial < 3; trial++) {
        struct suite_random r = {(uint64_t)trial};
        struct subject s = {
            .points = kd_points(&r, trial == 1 ? BOSC_F64 : BOSC_F32, 2, N, 2, trial < 2 ? KD_CLUSTERS : KD_RANDOM)};
        s.opts = (bosc_dbscan_opts){.size = sizeof s.opts, .dtype = s.points.dtype, .dim = 2};
        if (trial == 1) {
            s.opts.weights = weights;
            s.opts.weight_count = N;
            s.opts.periods = periods;
        }
        if (trial == 2) s.opts.metric = BOSC_CLUSTER_COSINE;
        struct fault_sweep sweep = {.call = call, .user = &s, .outputs = &s.out, .output_bytes = sizeof s.out};
        CHECK(fault_sweep(ctx, &sweep) > 3);
        free((void *)s.points.data);
    }
}

static void open_tree(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_kdtree_opts opts = {.size = sizeof opts, .dtype = s->points.dtype, .dim = s->points.dim};
    CHECK_OK(ctx, bosc_kdtree_create(ctx, &opts, &s->tree));
    CHECK_OK(ctx, bosc_kdtree_build(ctx, s->tree, s->points.data, N, 0));
}

static void close_tree(void *user) { bosc_kdtree_free(((struct subject *)user)->tree); }

static bosc_status call_tree(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_dbscan_compute_tree(ctx, s->tree, 0.3, 3, NULL, s->out.labels, s->out.core, NULL);
}

static void faults_of_trees(bosc_ctx *ctx)
{
    struct suite_random r = {5};
    struct subject s = {.points = kd_points(&r, BOSC_F32, 2, N, 2, KD_CLUSTERS)};
    struct fault_sweep sweep = {.call = call_tree,
                                .open = open_tree,
                                .close = close_tree,
                                .user = &s,
                                .outputs = &s.out,
                                .output_bytes = sizeof s.out};
    fault_sweep(ctx, &sweep);
    free((void *)s.points.data);
}

static const struct suite_case suite_cases_dbscan_faults[] = {
    {"faults", faults, NULL},
    {"faults of trees", faults_of_trees, NULL},
};
SUITE(dbscan_faults);
