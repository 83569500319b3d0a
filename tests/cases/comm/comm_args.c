/* Bad arguments of communicators. */
#include <math.h>
#include <string.h>

#include "support/suite.h"

static int no_gather(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    (void)user, (void)sent, (void)bytes, (void)received, (void)timeout;
    return 1;
}

static int no_exchange(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                       const int64_t *received_offsets, double timeout)
{
    (void)user, (void)sent, (void)sent_offsets, (void)received, (void)received_offsets, (void)timeout;
    return 1;
}

static void case_create(bosc_ctx *ctx)
{
    bosc_comm *comm = NULL, *comms[2] = {NULL, NULL};
    bosc_comm_opts opts = {.size = sizeof opts};
    const double bad[] = {-1, NAN, INFINITY, 1e300};
    CHECK_EQ(bosc_comm_create_self(NULL, NULL, &comm), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_comm_create_self(ctx, NULL, NULL), "comm");
    CHECK_ARG(ctx, bosc_comm_create_threads(ctx, 2, NULL, NULL), "comms");
    CHECK_ARG(ctx, bosc_comm_create_threads(ctx, 0, NULL, comms), "rank_count");
    CHECK_ARG(ctx, bosc_comm_create_threads(ctx, 4097, NULL, comms), "rank_count");
    for (int i = 0; i < 4; i++) {
        opts.timeout = bad[i];
        CHECK_ARG(ctx, bosc_comm_create_threads(ctx, 2, &opts, comms), "opts");
        CHECK_ARG(ctx, bosc_comm_create_self(ctx, &opts, &comm), "opts");
    }
    opts.size = 3;
    CHECK_ARG(ctx, bosc_comm_create_self(ctx, &opts, &comm), "opts");
    CHECK(!comm && !comms[0] && !comms[1]);
}

static void case_transport(bosc_ctx *ctx)
{
    bosc_comm *comm = NULL;
    bosc_comm_transport t = {sizeof t, NULL, no_gather, no_exchange, NULL};
    CHECK_ARG(ctx, bosc_comm_create(ctx, NULL, 0, 1, NULL, &comm), "transport");
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, -1, 1, NULL, &comm), "rank");
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, 1, 1, NULL, &comm), "rank");
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, 0, 0, NULL, &comm), "rank_count");
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, 0, 1, NULL, NULL), "comm");
    t.all_gather = NULL;
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, 0, 1, NULL, &comm), "transport");
    t = (bosc_comm_transport){sizeof t, NULL, no_gather, NULL, NULL};
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, 0, 1, NULL, &comm), "transport");
    t.size = sizeof t + 64;
    CHECK_ARG(ctx, bosc_comm_create(ctx, &t, 0, 1, NULL, &comm), "transport");
    CHECK(!comm);
}

static void case_use(bosc_ctx *ctx)
{
    bosc_comm *comm;
    bosc_comm_info info = {.size = sizeof info};
    CHECK_OK(ctx, bosc_comm_create_self(ctx, NULL, &comm));
    CHECK_EQ(bosc_comm_barrier(NULL, comm), BOSC_ERR_ARG);
    CHECK_ARG(ctx, bosc_comm_barrier(ctx, NULL), "comm");
    CHECK_ARG(ctx, bosc_comm_get_info(ctx, NULL, &info), "comm");
    CHECK_ARG(ctx, bosc_comm_get_info(ctx, comm, NULL), "info");
    info.size = 1;
    CHECK_ARG(ctx, bosc_comm_get_info(ctx, comm, &info), "info");
    info.size = sizeof info;
    CHECK_OK(ctx, bosc_comm_get_info(ctx, comm, &info));
    CHECK_EQ(info.rank, 0);
    CHECK_EQ(info.rank_count, 1);
    bosc_comm_free(comm);
    bosc_comm_free(NULL);
}

static const struct suite_case suite_cases_comm_args[] = {
    {"create", case_create, NULL},
    {"transport", case_transport, NULL},
    {"use", case_use, NULL},
};
SUITE(comm_args);
