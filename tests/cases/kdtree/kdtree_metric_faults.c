/* Each allocation, copy and launch of searches by any metric fails in turn. */
#include "cases/kdtree/kdtree_metric_data.h"
#include "support/faults.h"

enum { POINTS = 90, QUERIES = 25, K = 4, RADII = 20, ENTRIES = 4096 };

struct subject {
    struct reference_points points, queries;
    bosc_kdtree_query_opts opts;
    double periods[3], radii[RADII], weights[POINTS];
    bosc_kdtree *tree;
    bosc_status (*call)(bosc_ctx *ctx, struct subject *s);
    int64_t offsets[POINTS + 1], pair_offsets[POINTS + 1];
    struct {
        int64_t ids[ENTRIES];
        double distances[ENTRIES];
    } out;
};

static bosc_status knn(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_knn_metric(ctx, s->tree, s->queries.data, QUERIES, 0, K, &s->opts, s->out.ids, s->out.distances);
}

static bosc_status knn_ids(bosc_ctx *ctx, struct subject *s)
{
    bosc_kdtree_query_opts self = s->opts;
    self.self = self.exclude_self = 1;
    return bosc_kdtree_knn_metric(ctx, s->tree, NULL, POINTS, 0, K, &self, s->out.ids, NULL);
}

/* Options without a metric, which use the plain search. */
static bosc_status usual_knn(bosc_ctx *ctx, struct subject *s)
{
    bosc_kdtree_query_opts o = {.size = sizeof o, .bounds = s->radii, .bound_count = 1};
    return bosc_kdtree_knn_metric(ctx, s->tree, s->queries.data, QUERIES, 0, K, &o, s->out.ids, s->out.distances);
}

static bosc_status usual_self(bosc_ctx *ctx, struct subject *s)
{
    const bosc_kdtree_query_opts o = {.size = sizeof o, .self = 1};
    return bosc_kdtree_radius_count_metric(ctx, s->tree, NULL, POINTS, 0, s->radii, 1, &o, s->out.ids);
}

static bosc_status offsets(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_radius_metric(ctx, s->tree, s->queries.data, QUERIES, 0, s->radii, 1, &s->opts, s->out.ids, NULL,
                                     NULL, 0);
}

static bosc_status rows(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_radius_metric(ctx, s->tree, s->queries.data, QUERIES, 0, s->radii, 1, &s->opts, s->offsets,
                                     s->out.ids, s->out.distances, ENTRIES);
}

static bosc_status counts(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_radius_count_metric(ctx, s->tree, s->queries.data, QUERIES, 0, s->weights, QUERIES, &s->opts,
                                           s->out.ids);
}

static bosc_status pair_offsets(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_pairs(ctx, s->tree, NULL, s->radii[0], &s->opts, s->out.ids, NULL, NULL, 0);
}

static bosc_status pairs(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_pairs(ctx, s->tree, NULL, s->radii[0], &s->opts, s->pair_offsets, s->out.ids, s->out.distances,
                             ENTRIES);
}

static bosc_status count_pairs(bosc_ctx *ctx, struct subject *s)
{
    return bosc_kdtree_count_pairs(ctx, s->tree, s->tree, s->radii, RADII, &s->opts, s->weights, s->weights, 1,
                                   s->out.ids, s->out.distances);
}

static bosc_status call(bosc_ctx *ctx, void *user) { return ((struct subject *)user)->call(ctx, user); }

static void open_subject(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_kdtree_opts o = {.size = sizeof o, .dtype = BOSC_F64, .dim = 3};
    s->tree = kd_build(ctx, &o, &s->points);
}

static void close(void *user) { bosc_kdtree_free(((struct subject *)user)->tree); }

static void faults_of_every_search(bosc_ctx *ctx)
{
    bosc_status (*const calls[])(bosc_ctx *, struct subject *) = {knn,  knn_ids, usual_knn,    usual_self, offsets,
                                                                  rows, counts,  pair_offsets, pairs,      count_pairs};
    static struct subject s;
    struct suite_random r = {1};
    s = (struct subject){.points = kd_points(&r, BOSC_F64, 3, POINTS, 3, KD_GRID),
                         .queries = kd_points(&r, BOSC_F64, 3, QUERIES, 3, KD_GRID),
                         .periods = {KM_PERIOD, 0, KM_PERIOD}};
    km_confine(&r, &s.points, s.periods, false);
    s.opts = (bosc_kdtree_query_opts){.size = sizeof s.opts, .p = 3, .periods = s.periods};
    for (int i = 0; i < RADII; i++) s.radii[i] = 1.5 + 0.2 * i;
    for (int i = 0; i < POINTS; i++) s.weights[i] = suite_unit(&r);
    open_subject(ctx, &s);
    CHECK_OK(ctx, offsets(ctx, &s));
    memcpy(s.offsets, s.out.ids, (QUERIES + 1) * sizeof *s.offsets);
    CHECK_OK(ctx, pair_offsets(ctx, &s));
    memcpy(s.pair_offsets, s.out.ids, sizeof s.pair_offsets);
    close(&s);
    CHECK(s.offsets[QUERIES] > 0 && s.offsets[QUERIES] <= ENTRIES);
    CHECK(s.pair_offsets[POINTS] > 0 && s.pair_offsets[POINTS] <= ENTRIES);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        struct fault_sweep sweep = {.call = call,
                                    .open = open_subject,
                                    .close = close,
                                    .outputs = &s.out,
                                    .output_bytes = sizeof s.out,
                                    .user = &s};
        s.call = calls[i];
        fault_sweep(ctx, &sweep); /* searches may have no fault point, if the scratch of the build suffices */
    }
    free((void *)s.points.data);
    free((void *)s.queries.data);
}

static const struct suite_case suite_cases_kdtree_metric_faults[] = {{"all", faults_of_every_search, NULL}};
SUITE(kdtree_metric_faults);
