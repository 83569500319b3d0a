/* Each allocation, copy and launch of bosc_hdbscan_compute fails in turn. */
#include <stdlib.h>
#include <string.h>

#include "cases/kdtree/kdtree_data.h"
#include "support/faults.h"

enum { N = 40 };

struct subject {
    struct reference_points points;
    int64_t labels[N], right_labels[N];
    double values[2][N], right_values[2][N];
};

static bosc_status call(bosc_ctx *ctx, void *user)
{
    struct subject *s = user;
    const bosc_hdbscan_opts o = {
        .size = sizeof o, .dtype = s->points.dtype, .dim = s->points.dim, .min_cluster_size = 3};
    return bosc_hdbscan_compute(ctx, s->points.data, N, s->points.stride, &o, s->labels, s->values[0], s->values[1],
                                NULL);
}

static void prepare(void *user)
{
    struct subject *s = user;
    memset(s->labels, 0x77, sizeof s->labels);
    memset(s->values, 0x77, sizeof s->values);
}

static bool untouched(void *user)
{
    const struct subject *s = user;
    for (int i = 0; i < N; i++)
        if (s->labels[i] != 0x7777777777777777) return false;
    return memcmp(s->labels, s->values[0], sizeof s->labels) == 0 &&
           memcmp(s->labels, s->values[1], sizeof s->labels) == 0;
}

static bool right(void *user)
{
    const struct subject *s = user;
    return memcmp(s->labels, s->right_labels, sizeof s->labels) == 0 &&
           memcmp(s->values, s->right_values, sizeof s->values) == 0;
}

static void faults(bosc_ctx *ctx)
{
    for (int trial = 0; trial < 2; trial++) {
        struct suite_random r = {(uint64_t)trial};
        struct subject s = {.points = kd_points(&r, trial ? BOSC_F64 : BOSC_F32, 2, N, 3, KD_CLUSTERS)};
        struct fault_sweep sweep = {
            .call = call, .prepare = prepare, .untouched = untouched, .right = right, .user = &s};
        prepare(&s);
        CHECK_OK(ctx, call(ctx, &s));
        memcpy(s.right_labels, s.labels, sizeof s.labels);
        memcpy(s.right_values, s.values, sizeof s.values);
        CHECK(fault_sweep(ctx, &sweep) > 3);
        free((void *)s.points.data);
    }
}

static const struct suite_case suite_cases_hdbscan_faults[] = {{"faults", faults, NULL}};
SUITE(hdbscan_faults);
