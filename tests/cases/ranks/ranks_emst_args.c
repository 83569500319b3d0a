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
};
SUITE(ranks_emst_args);
