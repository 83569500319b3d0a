/* Each allocation, copy and launch of searches in many dimensions fails in turn. */
#include <stdlib.h>

#include "cases/kdtree/kdtree_data.h"
#include "support/faults.h"

enum { QUERIES = 34, K = 2 };

/* A tree and its queries; calls search for K neighbours of each. */
struct subject {
    struct reference_points points, queries;
    bosc_kdtree *tree;
    struct {
        int64_t ids[QUERIES * K];
        float dist2[QUERIES * K];
    } out;
};

static bosc_status search(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    return bosc_kdtree_knn(ctx, s->tree, s->queries.data, s->queries.n, 0, K, s->out.ids, s->out.dist2);
}

static void open_subject(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_kdtree_opts o = {.size = sizeof o, .dim = s->points.dim};
    s->tree = kd_build(ctx, &o, &s->points);
}

static void close_subject(void *user) { bosc_kdtree_free(((struct subject *)user)->tree); }

/* By a filter on a device: always in 20 dimensions, perhaps in 16. */
static void faults_of_filtered_searches(bosc_ctx *ctx)
{
    static const int32_t dims[] = {20, 16};
    static struct subject s;
    struct suite_random r = {1};
    for (int i = 0; i < 2; i++) {
        const int64_t n = i ? 520 : 280, m = i ? QUERIES : 5;
        s = (struct subject){.points = kd_points(&r, BOSC_F32, dims[i], n, dims[i], KD_RANDOM),
                             .queries = kd_points(&r, BOSC_F32, dims[i], m, dims[i], KD_RANDOM)};
        const struct fault_sweep sweep = {.call = search,
                                          .open = open_subject,
                                          .close = close_subject,
                                          .outputs = &s.out,
                                          .output_bytes = sizeof s.out,
                                          .may_pass_none = true,
                                          .user = &s};
        fault_sweep(ctx, &sweep);
        free((void *)s.points.data);
        free((void *)s.queries.data);
    }
}

static const struct suite_case suite_cases_kdtree_filter_faults[] = {{"all", faults_of_filtered_searches, NULL}};
SUITE(kdtree_filter_faults);
