/* Calls that rank 0 makes for all ranks, with the threads of all. */
#include "ranks/exchange/pool.h"

#include "base/threads.h"

bosc_status bi_ranks_can_pool(bosc_ctx *ctx, bosc_comm *comm, bool own, bool *can_pool)
{
    *can_pool = own;
    if (!own) return BOSC_OK;
    BI_TRY(bi_comm_find_sharing(ctx, comm));
    *can_pool = comm->sharing == BI_SHARES_ADDRESSES;
    return BOSC_OK;
}

/* Finds the answer with `threads` threads. */
static bosc_status answer_with(bosc_ctx *ctx, int64_t threads, const struct bi_ranks_pooled_call *call)
{
    const int32_t own = ctx->threads, own_max = ctx->max_threads;
    ctx->threads = threads < BI_MAX_THREADS ? (int32_t)threads : BI_MAX_THREADS;
    ctx->max_threads = ctx->threads; /* public calls within this one set `threads` from it */
    const bosc_status status = call->answer(ctx, call->user);
    ctx->threads = own;
    ctx->max_threads = own_max;
    return status;
}

bosc_status bi_ranks_pool(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                          const struct bi_ranks_pooled_call *call)
{
    const struct bi_exchange x = {.rank_count = comm->rank_count, .blocks = (char **)call->all};
    struct bi_windows windows = {
        .access = BI_WINDOW_READ_WHOLE, .count = 1, .of = {{.item_size = 1, .items = call->shared}}};
    int64_t threads = ctx->threads;
    BI_TRY(bi_comm_sum(ctx, comm, local_status, &threads, 1));
    BI_TRY(bi_exchange_open_windows(ctx, comm, &local_status, &x, &windows));
    /* 1. Rank 0 finds the answer; the others wait for it. 2. Each copies its share. Then rank 0 may release it. */
    if (comm->rank == 0) BI_IF_OK(local_status, answer_with(ctx, threads, call));
    local_status = bi_comm_agree(ctx, comm, local_status);
    BI_IF_OK(local_status, call->copy(ctx, call->user));
    return bi_exchange_close_windows(ctx, comm, local_status, &x, &windows);
}
