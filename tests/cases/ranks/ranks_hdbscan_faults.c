/* Each allocation, copy and launch of bosc_ranks_hdbscan_compute fails in turn, on one of several ranks. */
#include "cases/ranks/ranks_faults.h"

#include <boscage/ranks/cluster.h>

enum { N = 12, OUT = 3 * 8 * N };

/* Makes a rank's points: groups in all shards, and some noise. */
static void *open_rank(struct rank *r)
{
    struct suite_random random = {(uint64_t)r->rank + 95};
    double *points = suite_alloc(2 * N * sizeof *points);
    for (int i = 0; i < N; i++) {
        points[2 * i] = 30 * (i % 3) + 2 * suite_unit(&random) + r->rank;
        points[2 * i + 1] = i % 4 == 3 ? (double)suite_below(&random, 90) : suite_unit(&random);
    }
    return points;
}

static bosc_status call_rank(struct rank *r, void *points, unsigned char *out)
{
    const bosc_hdbscan_opts opts = {
        .size = sizeof opts, .dtype = BOSC_F64, .dim = 2, .min_cluster_size = 4, .min_samples = 3};
    double *doubles = (double *)(void *)(out + 8 * N);
    return bosc_ranks_hdbscan_compute(r->ctx, r->comm, points, N, 0, &opts, out, doubles, doubles + N, NULL);
}

static void three_ranks(bosc_ctx *ctx)
{
    struct ranks_fault f = {.open = open_rank, .call = call_rank, .close = ranks_fault_free, .bytes = OUT};
    ranks_fault_sweep(ctx, &f);
}

static const struct suite_case suite_cases_ranks_hdbscan_faults[] = {
    {"three ranks", three_ranks, NULL},
};
SUITE(ranks_hdbscan_faults);
