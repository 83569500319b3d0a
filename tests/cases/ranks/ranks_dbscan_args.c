/* Bad arguments of clusters over ranks: alone, and on one rank of several. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/ranks.h"

#include <boscage/ranks/cluster.h>

enum { N = 4 };

static bosc_status compute(bosc_ctx *ctx, bosc_comm *comm, const float *points, const bosc_dbscan_opts *o,
                           int64_t *labels)
{
    return bosc_ranks_dbscan_compute(ctx, comm, points, N, 0, 1, 1, o, labels, NULL, NULL);
}

static void check_opts(bosc_ctx *ctx, bosc_comm *comm, const float *points, int64_t *labels)
{
    const double weights[N] = {1, 1, 1, 1}, negative[2] = {-1, 0};
    const bosc_dbscan_opts bad[] = {
        {.size = 7, .dim = 2},
        {.size = sizeof bad[0], .dim = 0},
        {.size = sizeof bad[0], .dim = 1025},
        {.size = sizeof bad[0], .dim = 2, .dtype = BOSC_U32},
        {.size = sizeof bad[0], .dim = 2, .label_bits = 16},
        {.size = sizeof bad[0], .dim = 2, .p = 0.5},
        {.size = sizeof bad[0], .dim = 2, .periods = negative},
        {.size = sizeof bad[0], .dim = 2, .metric = (bosc_cluster_metric)9},
        {.size = sizeof bad[0], .dim = 2, .weights = weights, .weight_count = N},
    };
    CHECK_ARG(ctx, compute(ctx, comm, points, NULL, labels), "opts");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_ARG(ctx, compute(ctx, comm, points, &bad[i], labels), "opts");
}

static void alone(bosc_ctx *ctx)
{
    float points[2 * N] = {0, 1, 0, 1.5f, 4, 5, 6, NAN};
    int64_t labels[N] = {9, 9, 9, 9};
    const bosc_dbscan_opts o = {.size = sizeof o, .dim = 2};
    bosc_dbscan_info info = {.size = sizeof info, .clusters = 77};
    bosc_comm *comm;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    check_opts(ctx, comm, (const float[2 * N]){0, 1, 2, 3}, labels);
    CHECK_EQ(bosc_ranks_dbscan_compute(NULL, comm, points, N, 0, 1, 1, &o, labels, NULL, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, compute(ctx, NULL, points, &o, labels), "comm");
    CHECK_ARG(ctx, compute(ctx, comm, NULL, &o, labels), "points");
    CHECK_ARG(ctx, compute(ctx, comm, points, &o, NULL), "labels");
    CHECK_STATUS(ctx, bosc_ranks_dbscan_compute(ctx, comm, points, N, 0, 1, 1, &o, labels, NULL, &info), BOSC_ERR_DATA);
    for (int i = 0; i < N; i++) CHECK_EQ(labels[i], 9);
    CHECK_EQ(info.clusters, 77);
    CHECK_OK(ctx, bosc_ranks_dbscan_compute(ctx, comm, points, 3, 0, 1, 1, &o, labels, NULL, &info));
    CHECK(labels[0] == 0 && labels[1] == 0 && labels[2] == 1 && labels[3] == 9 && info.clusters == 2);
    CHECK_OK(ctx, bosc_ranks_dbscan_compute(ctx, comm, NULL, 0, 0, 1, 1, &o, NULL, NULL, &info));
    CHECK_EQ(info.clusters, 0);
    bosc_comm_free(comm);
}

/* ---- one rank of several ---- */

enum mistake {
    NO_POINTS,
    NO_LABELS,
    NEGATIVE,
    STRIDE,
    BAD_SIZE,
    EPS,
    SAMPLES,
    WEIGHTS,
    DTYPE,
    DIM,
    LABEL_BITS,
    METRIC,
    OTHER_SAMPLES,
    OTHER_EPS,
    ORDER,
    PERIODS,
    NOT_A_NUMBER,
    OUTSIDE,
    MISTAKES
};

static const char *const said[MISTAKES] = {
    "points: NULL",
    "labels: NULL",
    "n: -3 is less",
    "stride: ",
    "opts: size",
    "eps: ",
    "min_samples: 0 is less",
    "opts: weights: ",
    "opts: dtype: ",
    "opts: dim: 1 is not the 2 of rank 0",
    "opts: label_bits: 32 is not the 64 of rank 0",
    "opts: metric: 2 is not the 0 of rank 0",
    "min_samples: 2 is not the 1 of rank 0",
    "eps: 2 is not the 1 of rank 0",
    "opts: p: 1 is not the 0 of rank 0",
    "opts: periods: 8 is not the 10 of rank 0",
    "points: row ",
    "points: row ",
};

struct wrong {
    int32_t rank;
    enum mistake mistake;
};

static bosc_status call_with(struct rank *r, enum mistake m, int64_t *labels, bosc_dbscan_info *info)
{
    static const double weights[N], periods[2] = {10, 10}, others[2] = {10, 8};
    const float points[2 * N] = {0, 1, 2, 3, 4, m == NOT_A_NUMBER ? NAN : m == OUTSIDE ? 11 : 5, 6, 7};
    const bosc_dbscan_opts o = {.size = m == BAD_SIZE ? 3 : sizeof o,
                                .dtype = m == DTYPE ? BOSC_I32 : BOSC_F32,
                                .dim = m == DIM ? 1 : 2,
                                .label_bits = m == LABEL_BITS ? 32 : 64,
                                .metric = m == METRIC ? BOSC_CLUSTER_COSINE : BOSC_CLUSTER_MINKOWSKI,
                                .p = m == ORDER ? 1 : 0,
                                .periods = m == METRIC    ? NULL
                                           : m == PERIODS ? others
                                                          : periods,
                                .weights = m == WEIGHTS ? weights : NULL,
                                .weight_count = m == WEIGHTS ? N : 0};
    return bosc_ranks_dbscan_compute(r->ctx, r->comm, m == NO_POINTS ? NULL : points, m == NEGATIVE ? -3 : N,
                                     m == STRIDE ? 1 : 2,
                                     m == EPS         ? -1
                                     : m == OTHER_EPS ? 2
                                                      : 1,
                                     m == SAMPLES         ? 0
                                     : m == OTHER_SAMPLES ? 2
                                                          : 1,
                                     &o, m == NO_LABELS ? NULL : labels, NULL, info);
}

/* Outputs stay as they were, and the communicator can be used on. */
static void mistaken(struct rank *r)
{
    const struct wrong *w = r->user;
    const bool wrong = r->rank == w->rank, is_data = w->mistake == NOT_A_NUMBER || w->mistake == OUTSIDE;
    int64_t labels[N] = {9, 9, 9, 9};
    bosc_dbscan_info info = {.size = sizeof info, .clusters = 77};
    const bosc_status status = call_with(r, wrong ? w->mistake : MISTAKES, labels, &info);
    char row[40];
    CHECK_EQ(status, is_data ? BOSC_ERR_DATA : BOSC_ERR_ARG);
    snprintf(row, sizeof row, "row %d ", (int)w->rank * N + 2);
    if (is_data) CHECK(strstr(bosc_ctx_message(r->ctx), row) != NULL);
    /* Rank 0's options are the reference; all ranks name a bad row alike. */
    if (w->rank > 0 && !is_data) ranks_check_message(r, w->rank, said[w->mistake]);
    CHECK_EQ(info.clusters, 77);
    for (int i = 0; i < N; i++) CHECK_EQ(labels[i], 9);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
}

static void one_of_three(bosc_ctx *ctx)
{
    for (struct wrong w = {0}; w.rank < 3; w.rank++)
        for (w.mistake = 0; w.mistake < MISTAKES; w.mistake++) ranks_run(ctx, 3, 0, mistaken, &w);
}

/* A row without a direction is named by its number over all ranks. */
static void no_direction(struct rank *r)
{
    const float points[2 * N] = {1, 1, 2, 3, r->rank == 1 ? 0 : 5, 0, 6, 7};
    const bosc_dbscan_opts o = {.size = sizeof o, .dim = 2, .metric = BOSC_CLUSTER_COSINE};
    int64_t labels[N] = {9, 9, 9, 9};
    CHECK_STATUS(r->ctx, bosc_ranks_dbscan_compute(r->ctx, r->comm, points, N, 0, 1, 1, &o, labels, NULL, NULL),
                 BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(r->ctx), "row 6 ") != NULL);
    CHECK_EQ(labels[0], 9);
}

static void directions(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, no_direction, NULL); }

static const struct suite_case suite_cases_ranks_dbscan_args[] = {
    {"alone", alone, NULL},
    {"one of three ranks", one_of_three, NULL},
    {"no direction", directions, NULL},
};
SUITE(ranks_dbscan_args);
