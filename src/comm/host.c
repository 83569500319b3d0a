/* Communicators over a transport of the caller, which moves host memory. Device memory is copied to the host and back,
 * unless the ranks are processes of one host, which map each other's device memory (comm/ipc.h): windows then lie
 * there. A rank waits for its own queued work before it exchanges, so no device waits for the work of a lost
 * process. */
#include <string.h>

#include "comm/ipc.h"

struct host_transport {
    struct bi_memory host;
    bosc_comm_transport caller;
};

static bosc_status check_transport_result(bosc_ctx *ctx, const bosc_comm *comm, int result)
{
    if (result == 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: rank %d of %d: the transport says %d: a rank was lost", (int)comm->rank,
                   (int)comm->rank_count, result);
}

static bosc_status all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    const bosc_comm_transport *t = &((struct host_transport *)comm->state)->caller;
    return check_transport_result(ctx, comm, t->all_gather(t->user, sent, bytes, received, comm->timeout));
}

static bosc_status exchange_host(bosc_ctx *ctx, bosc_comm *comm, const void *sent, const int64_t *sent_offsets,
                                 void *received, const int64_t *received_offsets)
{
    const bosc_comm_transport *t = &((struct host_transport *)comm->state)->caller;
    return check_transport_result(
        ctx, comm, t->all_to_all(t->user, sent, sent_offsets, received, received_offsets, comm->timeout));
}

static bosc_status copy_and_wait(bosc_ctx *ctx, bosc_status local_status, void *to, const void *from, size_t bytes)
{
    if (local_status != BOSC_OK || bytes == 0) return local_status;
    BI_TRY(ctx->backend->copy(ctx, to, from, bytes));
    return ctx->backend->sync(ctx);
}

static bosc_status all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    const size_t out = (size_t)sent_offsets[comm->rank_count], in = (size_t)received_offsets[comm->rank_count];
    bool is_done = false;
    if (!on_host) BI_TRY(bi_comm_find_sharing(ctx, comm));
    if (!on_host && comm->ipc) {
        const bosc_status exchanged =
            bi_ipc_all_to_all(ctx, comm, sent, sent_offsets, received, received_offsets, &is_done);
        if (is_done || exchanged != BOSC_OK) return exchanged;
    }
    const bool is_direct = on_host || ctx->memory.backend == ctx->host.backend; /* the CPU backend queues nothing */
    if (is_direct && !on_host && comm->ipc)
        BI_TRY(bi_comm_agree(ctx, comm, BOSC_OK)); /* as ranks of devices do below */
    if (is_direct) return exchange_host(ctx, comm, sent, sent_offsets, received, received_offsets);
    /* Copy the sent items to the host; all ranks must succeed before the exchange. */
    char *copy = bi_host_alloc(ctx, out + in);
    bosc_status local_status = copy || out + in == 0 ? BOSC_OK : BOSC_ERR_NOMEM;
    local_status = copy_and_wait(ctx, local_status, copy, sent, out);
    bosc_status status = bi_comm_agree(ctx, comm, local_status);
    if (status == BOSC_OK)
        status = exchange_host(ctx, comm, copy, sent_offsets, copy ? copy + out : NULL, received_offsets);
    if (status == BOSC_OK) status = copy_and_wait(ctx, BOSC_OK, received, copy ? copy + out : NULL, in);
    bi_memory_release(&ctx->host, copy, out + in);
    return status;
}

/* ---- ranks that share memory ---- */

static bosc_status find_sharing(bosc_ctx *ctx, bosc_comm *comm)
{
    if (comm->rank_count > 1) BI_TRY(bi_ipc_connect(ctx, comm, &comm->ipc));
    comm->sharing = comm->ipc ? BI_SHARES_HANDLES : BI_SHARES_NOTHING;
    return BOSC_OK;
}

static bosc_status publish_queued(bosc_ctx *ctx, bosc_comm *comm)
{
    (void)comm;
    return ctx->backend->sync(ctx);
}

/* The others have waited for their work before the exchange. */
static bosc_status await_queued(bosc_ctx *ctx, bosc_comm *comm)
{
    (void)ctx;
    (void)comm;
    return BOSC_OK;
}

/* ---- ends ---- */

static void release_transport(bosc_comm *comm)
{
    struct host_transport *state = comm->state;
    if (state->caller.release) state->caller.release(state->caller.user);
    bi_memory_release(&state->host, state, sizeof *state);
}

static const struct bi_transport transport = {all_gather,   all_to_all,     release_transport,
                                              find_sharing, publish_queued, await_queued};

static bosc_status check_transport(bosc_ctx *ctx, const bosc_comm_transport *t)
{
    if (!t) return bi_fail(ctx, BOSC_ERR_ARG, "transport: NULL");
    BI_TRY(bi_check_size(ctx, "transport", "bosc_comm_transport", t->size, sizeof *t));
    if (t->size < offsetof(bosc_comm_transport, release) || !t->all_gather || !t->all_to_all)
        return bi_fail(ctx, BOSC_ERR_ARG, "transport: all_gather or all_to_all is NULL");
    return BOSC_OK;
}

bosc_status bosc_comm_create(bosc_ctx *ctx, const bosc_comm_transport *given, int32_t rank, int32_t rank_count,
                             const bosc_comm_opts *opts, bosc_comm **comm)
{
    bosc_comm *fresh;
    BI_ENTER(ctx);
    BI_TRY(check_transport(ctx, given));
    BI_TRY(bi_comm_check_create(ctx, rank, rank_count, comm));
    struct host_transport *state;
    BI_TRY(BI_NEW(ctx, &state, .host = ctx->host));
    memcpy(&state->caller, given, given->size);
    bosc_status status = bi_comm_create_end(ctx, rank, rank_count, opts, &transport, &fresh);
    if (status != BOSC_OK) {
        bi_memory_release(&ctx->host, state, sizeof *state);
        return status;
    }
    fresh->state = state;
    *comm = fresh;
    return BOSC_OK;
}
