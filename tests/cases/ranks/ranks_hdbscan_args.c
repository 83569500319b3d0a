/* Bad arguments of clusters of varying density over ranks: alone, and on one rank of several. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/ranks.h"

#include <boscage/ranks/cluster.h>

enum { N = 6 };

static bosc_status compute(bosc_ctx *ctx, bosc_comm *comm, const float *points, const bosc_hdbscan_opts *o,
                           int64_t *labels)
{
    return bosc_ranks_hdbscan_compute(ctx, comm, points, N, 0, o, labels, NULL, NULL, NULL);
}

static void check_opts(bosc_ctx *ctx, bosc_comm *comm, const float *points, int64_t *labels)
{
    const bosc_hdbscan_opts bad[] = {
        {.size = 7, .dim = 2},
        {.size = sizeof bad[0], .dim = 0},
        {.size = sizeof bad[0], .dim = 1025},
        {.size = sizeof bad[0], .dim = 2, .dtype = BOSC_U32},
        {.size = sizeof bad[0], .dim = 2, .label_bits = 16},
        {.size = sizeof bad[0], .dim = 2, .p = 0.5},
        {.size = sizeof bad[0], .dim = 2, .p = NAN},
        {.size = sizeof bad[0], .dim = 2, .p = 3, .metric = BOSC_CLUSTER_COSINE},
        {.size = sizeof bad[0], .dim = 2, .min_cluster_size = 1},
        {.size = sizeof bad[0], .dim = 2, .min_samples = -1},
        {.size = sizeof bad[0], .dim = 2, .min_samples = N + 1},
        {.size = sizeof bad[0], .dim = 2, .epsilon = -1},
        {.size = sizeof bad[0], .dim = 2, .metric = (bosc_cluster_metric)9},
        {.size = sizeof bad[0], .dim = 3, .metric = BOSC_CLUSTER_HAVERSINE},
    };
    CHECK_ARG(ctx, compute(ctx, comm, points, NULL, labels), "opts");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_ARG(ctx, compute(ctx, comm, points, &bad[i], labels), "opts");
}

static void alone(bosc_ctx *ctx)
{
    static const float fine[3 * N] = {0, 1, 0, 1.5f, 4, 5, 4, 6, 9, 9, 0, 2};
    const float bad[2 * N] = {0, 1, 0, 1.5f, 4, 5, 6, NAN};
    int64_t labels[N] = {9, 9, 9, 9, 9, 9};
    const bosc_hdbscan_opts o = {.size = sizeof o, .dim = 2, .min_cluster_size = 2};
    bosc_hdbscan_info info = {.size = sizeof info, .clusters = 77};
    bosc_comm *comm;
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    check_opts(ctx, comm, fine, labels);
    CHECK_EQ(bosc_ranks_hdbscan_compute(NULL, comm, fine, N, 0, &o, labels, NULL, NULL, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, compute(ctx, NULL, fine, &o, labels), "comm");
    CHECK_ARG(ctx, compute(ctx, comm, NULL, &o, labels), "points");
    CHECK_ARG(ctx, compute(ctx, comm, fine, &o, NULL), "labels");
    CHECK_STATUS(ctx, bosc_ranks_hdbscan_compute(ctx, comm, bad, N, 0, &o, labels, NULL, NULL, &info), BOSC_ERR_DATA);
    for (int i = 0; i < N; i++) CHECK_EQ(labels[i], 9);
    CHECK_EQ(info.clusters, 77);
    CHECK_OK(ctx, bosc_ranks_hdbscan_compute(ctx, comm, fine, N, 0, &o, labels, NULL, NULL, &info));
    CHECK(info.clusters == 2 && labels[0] == 0 && labels[1] == 0 && labels[2] == 1 && labels[3] == 1);
    CHECK_OK(ctx, bosc_ranks_hdbscan_compute(ctx, comm, NULL, 0, 0, &o, NULL, NULL, NULL, &info));
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
    ORDER,
    ODD,
    DTYPE,
    DIM,
    METRIC,
    LABEL_BITS,
    SELECTION,
    SINGLE,
    SIZE,
    SAMPLES,
    LARGEST,
    EPSILON,
    NOT_A_NUMBER,
    MISTAKES
};

static const char *const said[MISTAKES] = {
    "points: NULL",
    "labels: NULL",
    "n: -3 is less",
    "stride: ",
    "opts: size",
    "opts: p: 1 is not the 2 of rank 0",
    "probabilities: ",
    "opts: dtype: ",
    "opts: dim: 1 is not the 2 of rank 0",
    "opts: metric: 2 is not the 0 of rank 0",
    "opts: label_bits: 32 is not the 64 of rank 0",
    "opts: selection: 1 is not the 0 of rank 0",
    "opts: allow_single_cluster: 1 is not the 0 of rank 0",
    "opts: min_cluster_size: 3 is not the 2 of rank 0",
    "opts: min_samples: 3 is not the 2 of rank 0",
    "opts: max_cluster_size: 9 is not the 0 of rank 0",
    "opts: epsilon: 0.5 is not the 0 of rank 0",
    "points: row ",
};

struct wrong {
    int32_t rank;
    enum mistake mistake;
};

static bosc_status call_with(struct rank *r, enum mistake m, int64_t *labels, double *probabilities,
                             bosc_hdbscan_info *info)
{
    const float points[2 * N] = {0, 1, 2, 3, 4, m == NOT_A_NUMBER ? NAN : 5, 6, 7, 1, 1, 9, 9};
    const bosc_hdbscan_opts o = {.size = m == BAD_SIZE ? 3 : sizeof o,
                                 .dtype = m == DTYPE ? BOSC_I32 : BOSC_F32,
                                 .dim = m == DIM ? 1 : 2,
                                 .label_bits = m == LABEL_BITS ? 32 : 64,
                                 .selection = m == SELECTION ? BOSC_HDBSCAN_LEAF : BOSC_HDBSCAN_EOM,
                                 .allow_single_cluster = m == SINGLE,
                                 .min_cluster_size = m == SIZE ? 3 : 2,
                                 .min_samples = m == SAMPLES ? 3 : 2,
                                 .max_cluster_size = m == LARGEST ? 9 : 0,
                                 .epsilon = m == EPSILON ? 0.5 : 0,
                                 .metric = m == METRIC ? BOSC_CLUSTER_COSINE : BOSC_CLUSTER_MINKOWSKI,
                                 .p = m == ORDER ? 1 : 0};
    return bosc_ranks_hdbscan_compute(r->ctx, r->comm, m == NO_POINTS ? NULL : points, m == NEGATIVE ? -3 : N,
                                      m == STRIDE ? 1 : 2, &o, m == NO_LABELS ? NULL : labels,
                                      m == ODD ? (double *)(void *)((char *)probabilities + 4) : probabilities, NULL,
                                      info);
}

/* Outputs stay as they were, and the communicator can be used on. */
static void mistaken(struct rank *r)
{
    const struct wrong *w = r->user;
    const bool wrong = r->rank == w->rank, is_data = w->mistake == NOT_A_NUMBER;
    int64_t labels[N] = {9, 9, 9, 9, 9, 9};
    double probabilities[N + 1] = {9};
    bosc_hdbscan_info info = {.size = sizeof info, .clusters = 77};
    const bosc_status status = call_with(r, wrong ? w->mistake : MISTAKES, labels, probabilities, &info);
    char row[40];
    CHECK_EQ(status, is_data ? BOSC_ERR_DATA : BOSC_ERR_ARG);
    snprintf(row, sizeof row, "row %d ", (int)w->rank * N + 2);
    if (is_data) CHECK(strstr(bosc_ctx_message(r->ctx), row) != NULL);
    if (w->rank > 0) ranks_check_message(r, w->rank, said[w->mistake]); /* rank 0's options are the reference */
    CHECK(info.clusters == 77 && probabilities[0] == 9);
    for (int i = 0; i < N; i++) CHECK_EQ(labels[i], 9);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
}

static void one_of_three(bosc_ctx *ctx)
{
    for (struct wrong w = {0}; w.rank < 3; w.rank++)
        for (w.mistake = 0; w.mistake < MISTAKES; w.mistake++) ranks_run(ctx, 3, 0, mistaken, &w);
}

/* A row without a direction is named by its number over all ranks; there are enough points for min_samples on all
 * ranks together only; squares out of range are refused. */
static void refuse(struct rank *r)
{
    const float points[2 * N] = {1, 1, 2, 3, r->rank == 1 ? 0 : 5, 0, 6, 7, 1, 3, 4, 2};
    float far[2 * N];
    bosc_hdbscan_opts o = {.size = sizeof o, .dim = 2, .metric = BOSC_CLUSTER_COSINE};
    int64_t labels[N] = {9, 9, 9, 9};
    CHECK_STATUS(r->ctx, compute(r->ctx, r->comm, points, &o, labels), BOSC_ERR_DATA);
    CHECK(strstr(bosc_ctx_message(r->ctx), "row 8 ") != NULL);
    o.metric = BOSC_CLUSTER_MINKOWSKI;
    o.min_samples = 3 * N + 1;
    CHECK_ARG(r->ctx, compute(r->ctx, r->comm, points, &o, labels), "opts: min_samples 19 is more than 18 points");
    for (int i = 0; i < 2 * N; i++) far[i] = points[i] * 0x1p100f;
    o.min_samples = 2;
    CHECK_STATUS(r->ctx, compute(r->ctx, r->comm, far, &o, labels), BOSC_ERR_LIMIT);
    CHECK_EQ(labels[0], 9);
    o.p = 1; /* of no squares */
    CHECK_OK(r->ctx, compute(r->ctx, r->comm, far, &o, labels));
    labels[0] = 9;
    if (r->rank == 2) far[5] = -(float)INFINITY;
    CHECK_STATUS(r->ctx, compute(r->ctx, r->comm, far, &o, labels), BOSC_ERR_LIMIT);
    CHECK(strstr(bosc_ctx_message(r->ctx), "row 14 has an infinite coordinate") != NULL);
    CHECK_EQ(labels[0], 9);
    o.p = 2;
    o.min_samples = 3 * N;
    CHECK_OK(r->ctx, compute(r->ctx, r->comm, points, &o, labels));
}

static void refused(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, refuse, NULL); }

static const struct suite_case suite_cases_ranks_hdbscan_args[] = {
    {"alone", alone, NULL},
    {"one of three ranks", one_of_three, NULL},
    {"refused", refused, NULL},
};
SUITE(ranks_hdbscan_args);
