/* Bad arguments of Euclidean trees over ranks: alone, and on one rank of several. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "support/ranks.h"

enum { N = 4 };

static void check_opts(bosc_ctx *ctx, bosc_comm *comm, const float *points, int64_t *pairs)
{
    const bosc_emst_opts bad[] = {
        {sizeof bad[0], BOSC_U32, 2, 64},     {sizeof bad[0], (bosc_dtype)99, 2, 64},
        {sizeof bad[0], BOSC_F32, 0, 64},     {sizeof bad[0], BOSC_F32, -1, 64},
        {sizeof bad[0], BOSC_F32, 1025, 64},  {sizeof bad[0], BOSC_F32, 2, 8},
        {sizeof bad[0], BOSC_F32, 2, 16},     {7, BOSC_F32, 2, 64},
        {sizeof bad[0] + 8, BOSC_F32, 2, 64},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, 0, &bad[i], pairs, NULL, NULL), "opts");
}

static void check_arrays(bosc_ctx *ctx, bosc_comm *comm, const float *points, int64_t *pairs, float *dist2)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 2, 64};
    const void *odd = (const char *)points + 1;
    CHECK_EQ(bosc_ranks_emst_compute(NULL, comm, points, N, 0, &o, pairs, dist2, NULL), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, NULL, points, N, 0, &o, pairs, dist2, NULL), "comm");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, NULL, N, 0, &o, pairs, dist2, NULL), "points");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, odd, N, 0, &o, pairs, dist2, NULL), "points");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, -1, 0, &o, pairs, dist2, NULL), "n");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, 1, &o, pairs, dist2, NULL), "stride");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, -2, &o, pairs, dist2, NULL), "stride");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, 0, &o, NULL, dist2, NULL), "pairs");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, 0, &o, (char *)pairs + 4, dist2, NULL), "pairs");
    CHECK_ARG(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, 0, &o, pairs, (char *)dist2 + 2, NULL), "dist2");
}

static void alone(bosc_ctx *ctx)
{
    float points[2 * N] = {0, 1, 2, 3, 4, 5, 6, NAN}, dist2[N] = {9, 9, 9, 9};
    int64_t pairs[2 * N], count = 5;
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 2, 64};
    bosc_comm *comm;
    memset(pairs, 0x55, sizeof pairs);
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    check_opts(ctx, comm, points, pairs);
    check_arrays(ctx, comm, points, pairs, dist2);
    CHECK_STATUS(ctx, bosc_ranks_emst_compute(ctx, comm, points, N, 0, &o, pairs, dist2, &count), BOSC_ERR_DATA);
    for (int i = 0; i < 2 * N; i++) CHECK(pairs[i] == 0x5555555555555555 && dist2[i / 2] == 9);
    CHECK_EQ(count, 5);
    CHECK_OK(ctx, bosc_ranks_emst_compute(ctx, comm, points, 3, 0, &o, pairs, dist2, &count));
    CHECK(count == 2 && pairs[0] == 0 && pairs[1] == 1 && dist2[0] == 8 && dist2[2] == 9);
    CHECK_OK(ctx, bosc_ranks_emst_compute(ctx, comm, NULL, 0, 0, &o, NULL, NULL, &count));
    CHECK_EQ(count, 0);
    CHECK_ARG(ctx, bosc_ranks_emst_compute_mutual(ctx, comm, points, 3, 0, &o, 0, pairs, dist2, NULL), "min_samples");
    CHECK_ARG(ctx, bosc_ranks_emst_compute_mutual(ctx, comm, points, 3, 0, &o, 4, pairs, dist2, NULL), "min_samples");
    CHECK_OK(ctx, bosc_ranks_emst_compute_mutual(ctx, comm, points, 3, 0, &o, 3, pairs, dist2, &count));
    CHECK(count == 2 && dist2[0] == 32 && dist2[1] == 32);
    bosc_comm_free(comm);
}

/* ---- core distances ---- */

/* min_samples is of the points of all ranks, and equal on all. */
static void wrong_samples(struct rank *r)
{
    const float points[4] = {(float)r->rank, 1, 2, (float)r->rank};
    const bosc_emst_opts o = {sizeof o, BOSC_F32, 2, 64};
    int64_t pairs[4] = {9}, count = 9;
    CHECK_ARG(r->ctx, bosc_ranks_emst_compute_mutual(r->ctx, r->comm, points, 2, 0, &o, 7, pairs, NULL, &count),
              "min_samples: 7 is more than 6 points");
    CHECK_EQ(bosc_ranks_emst_compute_mutual(r->ctx, r->comm, points, 2, 0, &o, 2 + (r->rank == 1), pairs, NULL, &count),
             BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "min_samples: 3 is not the 2 of rank 0") != NULL);
    CHECK(count == 9 && pairs[0] == 9);
    CHECK_OK(r->ctx, bosc_ranks_emst_compute_mutual(r->ctx, r->comm, points, 2, 0, &o, 6, pairs, NULL, &count));
    CHECK_EQ(count, r->rank < 2 ? 2 : 1);
}

static void samples(bosc_ctx *ctx) { ranks_run(ctx, 3, 0, wrong_samples, NULL); }

/* ---- orders ---- */

static bosc_status compute_order(struct rank *r, const double *points, double p, int64_t min_samples, int64_t *pairs,
                                 double *lengths)
{
    const bosc_emst_opts o = {sizeof o, BOSC_F64, 2, 64};
    return bosc_ranks_emst_compute_minkowski(r->ctx, r->comm, points, 2, 0, &o, p, min_samples, pairs, lengths, NULL);
}

/* On one rank of several, and on one alone. */
static void wrong_orders(struct rank *r)
{
    const double bad[] = {0, 0.5, -1, NAN, -INFINITY};
    double points[4] = {(double)r->rank, 1, 2, (double)r->rank}, lengths[3] = {9, 9, 9};
    int64_t pairs[4] = {9};
    const bool last = r->rank == r->rank_count - 1;
    char row[64];
    /* 1. Arguments, each by its name. */
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_EQ(compute_order(r, points, last ? bad[i] : 3, 0, pairs, lengths), BOSC_ERR_ARG);
        CHECK(strstr(bosc_ctx_message(r->ctx), "p: ") && strstr(bosc_ctx_message(r->ctx), " is less than 1"));
    }
    CHECK_ARG(r->ctx, compute_order(r, points, 3, 2 * r->rank_count + 1, pairs, lengths), "min_samples");
    CHECK_EQ(compute_order(r, points, 3, -1, pairs, lengths), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "min_samples: -1 is less than 1") != NULL);
    CHECK_EQ(compute_order(r, NULL, 3, 0, pairs, lengths), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "points: NULL") != NULL);
    CHECK_EQ(compute_order(r, points, 3, 0, NULL, lengths), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "pairs: NULL") != NULL);
    CHECK_EQ(compute_order(r, points, 3, 0, pairs, (double *)(void *)((char *)lengths + 4)), BOSC_ERR_ARG);
    CHECK(strstr(bosc_ctx_message(r->ctx), "lengths: not aligned") != NULL);
    if (r->rank_count > 1) {
        CHECK_EQ(compute_order(r, points, last ? 3 : (double)INFINITY, 0, pairs, lengths), BOSC_ERR_ARG);
        CHECK(strstr(bosc_ctx_message(r->ctx), "p: 3 is not the inf of rank 0") != NULL);
    }
    /* 2. Points: an infinite coordinate, named by its row over all ranks; distances that no double holds. */
    if (last) points[3] = INFINITY;
    snprintf(row, sizeof row, "row %d has an infinite coordinate", 2 * (int)r->rank_count - 1);
    CHECK_STATUS(r->ctx, compute_order(r, points, 1, 1, pairs, lengths), BOSC_ERR_LIMIT);
    CHECK(strstr(bosc_ctx_message(r->ctx), row) != NULL);
    for (int64_t samples = 0; samples < 3; samples += 2) {
        for (int i = 0; i < 4; i++) points[i] = i % 2 ? 0 : (i ? -1.7e308 : 1.7e308);
        CHECK_STATUS(r->ctx, compute_order(r, points, 1, samples, pairs, lengths), BOSC_ERR_LIMIT);
        CHECK(strstr(bosc_ctx_message(r->ctx), "points: ") != NULL);
    }
    CHECK(pairs[0] == 9 && lengths[0] == 9);
    /* 3. Squares out of range are of no concern. */
    for (int i = 0; i < 4; i++) points[i] = 0x1p700 * (2 * (double)r->rank + (i > 1));
    CHECK_OK(r->ctx, compute_order(r, points, INFINITY, 0, pairs, lengths));
    CHECK(pairs[0] == 2 * r->rank && pairs[1] == 2 * r->rank + 1 && lengths[0] == 0x1p700);
}

static void orders(bosc_ctx *ctx)
{
    for (int32_t ranks = 1; ranks < 4; ranks += 2) ranks_run(ctx, ranks, 0, wrong_orders, NULL);
}

/* ---- one rank of several ---- */

enum mistake { NO_POINTS, NO_PAIRS, NEGATIVE, STRIDE, BAD_SIZE, DTYPE, DIM, ID_BITS, NOT_A_NUMBER, MISTAKES };

static const char *const said[MISTAKES] = {
    "points: NULL",
    "pairs: NULL",
    "n: -3 is less",
    "stride: ",
    "opts: size",
    "opts: dtype: ",
    "opts: dim: 1 is not the 2 of rank 0",
    "opts: id_bits: 32 is not the 64 of rank 0",
    "points: row ",
};

struct wrong {
    int32_t rank;
    enum mistake mistake;
};

/* Outputs stay as they were, and the communicator can be used on. */
static void mistaken(struct rank *r)
{
    const struct wrong *w = r->user;
    const bool wrong = r->rank == w->rank;
    const enum mistake m = wrong ? w->mistake : MISTAKES;
    float points[2 * N] = {0, 1, 2, 3, 4, m == NOT_A_NUMBER ? NAN : 5, 6, 7}, dist2[N] = {9};
    int64_t pairs[2 * N] = {9}, count = 9;
    const bosc_emst_opts o = {m == BAD_SIZE ? 3 : sizeof o, m == DTYPE ? BOSC_I32 : BOSC_F32, m == DIM ? 1 : 2,
                              m == ID_BITS ? 32 : 64};
    const bosc_status status =
        bosc_ranks_emst_compute(r->ctx, r->comm, m == NO_POINTS ? NULL : points, m == NEGATIVE ? -3 : N,
                                m == STRIDE ? 1 : 2, &o, m == NO_PAIRS ? NULL : pairs, dist2, &count);
    char row[40];
    CHECK_EQ(status, w->mistake == NOT_A_NUMBER ? BOSC_ERR_DATA : BOSC_ERR_ARG);
    if (w->rank > 0) ranks_check_message(r, w->rank, said[w->mistake]); /* rank 0's options are the reference */
    snprintf(row, sizeof row, "row %d holds a NaN", (int)w->rank * N + 2);
    if (w->mistake == NOT_A_NUMBER) CHECK(strstr(bosc_ctx_message(r->ctx), row) != NULL);
    CHECK(count == 9 && pairs[0] == 9 && pairs[1] == 0 && dist2[0] == 9);
    CHECK_OK(r->ctx, bosc_comm_barrier(r->ctx, r->comm));
}

static void one_of_three(bosc_ctx *ctx)
{
    for (struct wrong w = {0}; w.rank < 3; w.rank++)
        for (w.mistake = 0; w.mistake < MISTAKES; w.mistake++) ranks_run(ctx, 3, 0, mistaken, &w);
}

static const struct suite_case suite_cases_ranks_emst_args[] = {
    {"alone", alone, NULL},
    {"one of three ranks", one_of_three, NULL},
    {"samples", samples, NULL},
    {"orders", orders, NULL},
};
SUITE(ranks_emst_args);
