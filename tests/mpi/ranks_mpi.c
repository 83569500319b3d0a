/* support/ranks.h with a process for each rank: a case whose number of ranks is that of the processes runs on all of
 * them; other cases are left out. */
#include "support/ranks.h"

#include <boscage/mpi.h>

bool ranks_share_memory(void) { return false; }

int32_t ranks_count(uint64_t trial, int i)
{
    static const int32_t counts[] = {1, 2, 3, 4, 8};
    (void)trial;
    return i < 5 ? counts[i] : 0;
}

bool ranks_notice_leaving(bosc_ctx *like)
{
    (void)like;
    return false;
}

void ranks_run(bosc_ctx *like, int32_t rank_count, double timeout, rank_fn function, void *user)
{
    struct rank r = {.user = user};
    bosc_ctx_opts opts = suite_opts_like(like);
    const bosc_comm_opts comm_opts = {.size = sizeof comm_opts, .timeout = timeout};
    bosc_comm_transport transport = {.size = sizeof transport};
    CHECK_EQ(bosc_mpi_transport(NULL, &transport, &r.rank, &r.rank_count), BOSC_OK);
    r.ctx = suite_open(&opts);
    CHECK_OK(r.ctx, bosc_comm_create(r.ctx, &transport, r.rank, r.rank_count, &comm_opts, &r.comm));
    if (rank_count == r.rank_count) function(&r);
    bosc_comm_free(r.comm);
    bosc_ctx_free(r.ctx);
}
