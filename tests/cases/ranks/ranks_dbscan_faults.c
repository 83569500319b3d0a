/* Each allocation, copy and launch of bosc_ranks_dbscan_compute fails in turn, on one rank and on one of several. */
#include "cases/ranks/ranks_faults.h"

#include <boscage/ranks/cluster.h>

enum { N = 12, OUT = 8 * N + N };

/* Makes a rank's points: chains through all shards, and some noise. */
static void *open_rank(struct rank *r)
{
    struct suite_random random = {(uint64_t)r->rank + 81};
    float *points = suite_alloc(2 * N * sizeof *points);
    for (int i = 0; i < N; i++) {
        points[2 * i] = (float)(3 * i) + (float)r->rank;
        points[2 * i + 1] = i % 4 == 3 ? (float)suite_below(&random, 90) : 0;
    }
    return points;
}

static bosc_status call_rank(struct rank *r, void *points, unsigned char *out)
{
    static const double periods[2] = {100, 0};
    const bosc_dbscan_opts opts = {.size = sizeof opts, .dim = 2, .periods = periods};
    return bosc_ranks_dbscan_compute(r->ctx, r->comm, points, N, 0, 3, 3, &opts, out, out + 8 * N, NULL);
}

static void three_ranks(bosc_ctx *ctx)
{
    struct ranks_fault f = {.open = open_rank, .call = call_rank, .close = ranks_fault_free, .bytes = OUT};
    ranks_fault_sweep(ctx, &f);
}

static const struct suite_case suite_cases_ranks_dbscan_faults[] = {
    {"three ranks", three_ranks, NULL},
};
SUITE(ranks_dbscan_faults);
