/* Creates, frees and describes ends of communicators. */
#include <math.h>
#include <string.h>

#include "comm/comm.h"

enum { DEFAULT_TIMEOUT = 300 }; /* seconds (boscage/comm.h) */

static bosc_status check_opts(bosc_ctx *ctx, const bosc_comm_opts *opts, bosc_comm_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_comm_opts", opts, full, sizeof *full));
    if (!(full->timeout >= 0 && full->timeout <= 1e9))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: timeout %g is not in 0 to 1e9 seconds", full->timeout);
    if (full->timeout == 0) full->timeout = DEFAULT_TIMEOUT;
    return BOSC_OK;
}

/* Bytes of comm->gather and of comm->lists, which follows it. */
static size_t buffer_bytes(int32_t rank_count)
{
    return (size_t)rank_count * BI_COMM_MESSAGE + 5 * (size_t)(rank_count + 1) * sizeof(int64_t);
}

bosc_status bi_comm_create_end(bosc_ctx *ctx, int32_t rank, int32_t rank_count, const bosc_comm_opts *opts,
                               const struct bi_transport *transport, bosc_comm **comm)
{
    bosc_comm_opts full;
    BI_TRY(check_opts(ctx, opts, &full));
    bosc_comm *fresh = bi_host_alloc(ctx, sizeof *fresh);
    void *gather = fresh ? bi_host_alloc(ctx, buffer_bytes(rank_count)) : NULL;
    if (!gather) {
        bi_memory_release(&ctx->host, fresh, sizeof *fresh);
        return BOSC_ERR_NOMEM;
    }
    *fresh = (bosc_comm){.transport = transport,
                         .host = ctx->host,
                         .rank = rank,
                         .rank_count = rank_count,
                         .timeout = full.timeout,
                         .gather = gather,
                         .lists = (int64_t *)gather + (size_t)rank_count * (BI_COMM_MESSAGE / sizeof(int64_t))};
    *comm = fresh;
    return BOSC_OK;
}

void bosc_comm_free(bosc_comm *comm)
{
    if (!comm) return;
    BI_SAVE_CALLER(1);
    if (comm->transport->release) comm->transport->release(comm);
    const struct bi_memory host = comm->host;
    bi_memory_release(&host, comm->gather, buffer_bytes(comm->rank_count));
    bi_memory_release(&host, comm, sizeof *comm);
}

bosc_status bi_comm_check(bosc_ctx *ctx, const bosc_comm *comm)
{
    return comm ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
}

bosc_status bosc_comm_get_info(bosc_ctx *ctx, const bosc_comm *comm, bosc_comm_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, comm));
    if (!info) return bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    BI_TRY(bi_check_info(ctx, "info", "bosc_comm_info", info->size, sizeof *info));
    const bosc_comm_info full = {.rank = comm->rank,
                                 .rank_count = comm->rank_count,
                                 .exchanges = comm->exchanges,
                                 .bytes = comm->bytes,
                                 .seconds = comm->seconds,
                                 .broken = comm->broken};
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
