/* Communicators by NCCL. What is queued is watched by polling, never waited for: if the time is over, or NCCL tells of
 * an error, its communicator is aborted, which ends what the others' absence has left on the device. */
#include "comm/nccl.h"

#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "comm/device.h"
#include "core/call.h"

enum {
    STAGE = 17 << 16,  /* bytes by which host memory goes, if they are enough for a message of each rank */
    LEAST_PIECE = 256, /* bytes */
    SPINS = 2000,      /* polls before the thread sleeps between them */
    NAP = 50000,       /* nanoseconds */
    DRAIN = 10         /* seconds that a communicator has to leave the device: aborted, or with the others */
};

struct nccl_end {
    struct bi_memory host;
    struct bi_nccl nccl;
    const struct bi_comm_device *device;
    int32_t device_number;
    bi_nccl_comm comm;
    bool given, aborted; /* the caller's; NCCL's is gone */
    size_t piece;        /* bytes of each rank that the stage has room for */
    struct bi_comm_room room;
};

/* A wait that has begun. */
struct wait {
    double end;
    int64_t polls;
};

static struct wait begin_wait(const bosc_comm *comm) { return (struct wait){bi_now() + comm->timeout, 0}; }

/* Whether there is time left; lets others run. */
static bool wait_on(struct wait *w)
{
    const struct timespec nap = {.tv_nsec = NAP};
    if (bi_now() > w->end) return false;
    if (w->polls++ < SPINS)
        (void)sched_yield();
    else
        (void)nanosleep(&nap, NULL);
    return true;
}

/* ---- a rank is lost ---- */

static void abort_end(struct nccl_end *e)
{
    struct wait w = {bi_now() + DRAIN, 0};
    bool failed = false;
    if (e->aborted) return;
    e->aborted = true;
    (void)e->nccl.CommAbort(e->comm);
    if (e->device->mark(&e->room)) /* what is queued must not write to memory that is the caller's again */
        while (!e->device->done(&e->room, &failed) && wait_on(&w)) continue;
}

static bosc_status lose(bosc_ctx *ctx, bosc_comm *comm, const char *why)
{
    abort_end(comm->state);
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: rank %d of %d: %s", (int)comm->rank, (int)comm->rank_count, why);
}

static bosc_status lose_in_time(bosc_ctx *ctx, bosc_comm *comm)
{
    return lose(ctx, comm, "a rank did not come within the time-out");
}

/* ---- waits ---- */

/* What a call of NCCL has come to, which may go on after it has returned. */
static bosc_status settle(bosc_ctx *ctx, bosc_comm *comm, int result, struct wait *w)
{
    const struct nccl_end *e = comm->state;
    while (result == BI_NCCL_IN_PROGRESS) {
        if (!wait_on(w)) return lose_in_time(ctx, comm);
        const int asked = e->nccl.CommGetAsyncError(e->comm, &result);
        if (asked != BI_NCCL_SUCCESS) result = asked;
    }
    return result == BI_NCCL_SUCCESS ? BOSC_OK : lose(ctx, comm, e->nccl.GetErrorString(result));
}

/* Until all that is queued is done. */
static bosc_status drain(bosc_ctx *ctx, bosc_comm *comm, struct wait *w)
{
    struct nccl_end *e = comm->state;
    bool failed = !e->device->mark(&e->room);
    while (!failed && !e->device->done(&e->room, &failed)) {
        int result = BI_NCCL_SUCCESS;
        const int asked = e->nccl.CommGetAsyncError(e->comm, &result);
        if (asked != BI_NCCL_SUCCESS) result = asked;
        if (result != BI_NCCL_SUCCESS && result != BI_NCCL_IN_PROGRESS)
            return lose(ctx, comm, e->nccl.GetErrorString(result));
        if (!wait_on(w)) return lose_in_time(ctx, comm);
    }
    return failed ? lose(ctx, comm, "the device failed in an exchange") : BOSC_OK;
}

/* ---- exchanges ---- */

/* A context of another device cannot come to the exchange: to the others this rank is lost. */
static bosc_status check_device(bosc_ctx *ctx, bosc_comm *comm)
{
    char why[64];
    const struct nccl_end *e = comm->state;
    if (bi_comm_device_of(ctx) == e->device && ctx->memory.device == e->device_number) return BOSC_OK;
    snprintf(why, sizeof why, "ctx is not of device %d, of which the communicator is", (int)e->device_number);
    return lose(ctx, comm, why);
}

static bosc_status gather_piece(bosc_ctx *ctx, bosc_comm *comm, const char *sent, size_t bytes, struct wait *w)
{
    struct nccl_end *e = comm->state;
    const size_t all = bytes * (size_t)comm->rank_count;
    char *own = (char *)e->room.staging + all;
    memcpy((char *)e->room.pinned + all, sent, bytes);
    if (!e->device->copy(&e->room, own, (char *)e->room.pinned + all, bytes))
        return lose(ctx, comm, "the device failed in an exchange");
    const int result = e->nccl.AllGather(own, e->room.staging, bytes, BI_NCCL_INT8, e->comm, e->room.stream);
    BI_TRY(settle(ctx, comm, result, w));
    if (!e->device->copy(&e->room, e->room.pinned, e->room.staging, all))
        return lose(ctx, comm, "the device failed in an exchange");
    return drain(ctx, comm, w);
}

static bosc_status all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    const struct nccl_end *e = comm->state;
    struct wait w = begin_wait(comm);
    BI_TRY(check_device(ctx, comm));
    for (size_t at = 0; at < bytes; at += e->piece) {
        const size_t piece = bytes - at < e->piece ? bytes - at : e->piece;
        BI_TRY(gather_piece(ctx, comm, (const char *)sent + at, piece, &w));
        for (int32_t r = 0; r < comm->rank_count; r++)
            memcpy((char *)received + (size_t)r * bytes + at, (const char *)e->room.pinned + (size_t)r * piece, piece);
    }
    return BOSC_OK;
}

/* The first failure of the calls of a group; calls may go on after they have returned. */
static void note(int *failure, int result)
{
    if (*failure == BI_NCCL_SUCCESS && result != BI_NCCL_IN_PROGRESS) *failure = result;
}

/* Messages of device memory to all ranks and from them, as one group. */
static int send_and_receive(const bosc_comm *comm, const char *sent, const int64_t *sent_offsets, char *received,
                            const int64_t *received_offsets)
{
    const struct nccl_end *e = comm->state;
    int failure = e->nccl.GroupStart();
    for (int32_t r = 0; r < comm->rank_count; r++) {
        const size_t out = (size_t)(sent_offsets[r + 1] - sent_offsets[r]),
                     in = (size_t)(received_offsets[r + 1] - received_offsets[r]);
        if (r == comm->rank) continue;
        if (out) note(&failure, e->nccl.Send(sent + sent_offsets[r], out, BI_NCCL_INT8, r, e->comm, e->room.stream));
        if (in)
            note(&failure, e->nccl.Recv(received + received_offsets[r], in, BI_NCCL_INT8, r, e->comm, e->room.stream));
    }
    const int result = e->nccl.GroupEnd();
    return failure == BI_NCCL_SUCCESS ? result : failure;
}

/* This rank's own message is a copy. */
static bosc_status exchange(bosc_ctx *ctx, bosc_comm *comm, const char *sent, const int64_t *sent_offsets,
                            char *received, const int64_t *received_offsets)
{
    struct nccl_end *e = comm->state;
    struct wait w = begin_wait(comm);
    const int32_t own = comm->rank;
    const size_t bytes = (size_t)(sent_offsets[own + 1] - sent_offsets[own]);
    if (bytes && !e->device->copy(&e->room, received + received_offsets[own], sent + sent_offsets[own], bytes))
        return lose(ctx, comm, "the device failed in an exchange");
    BI_TRY(settle(ctx, comm, send_and_receive(comm, sent, sent_offsets, received, received_offsets), &w));
    return drain(ctx, comm, &w);
}

/* Room for host memory of all ranks, or none of them goes on. */
static bosc_status grow_rooms(bosc_ctx *ctx, bosc_comm *comm, size_t bytes)
{
    struct nccl_end *e = comm->state;
    const bosc_status local_status = e->device->grow(ctx, &e->room, bytes);
    const int32_t code = (int32_t)local_status;
    const int32_t *codes = comm->gather;
    BI_TRY(all_gather(ctx, comm, &code, sizeof code, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (local_status == BOSC_OK && codes[r] != BOSC_OK)
            return bi_fail(ctx, (bosc_status)codes[r], "rank %d: comm: no memory for what comes from other ranks",
                           (int)r);
    return local_status;
}

/* Host memory goes by the stage, which holds what is sent and then what is received. */
static bosc_status exchange_host(bosc_ctx *ctx, bosc_comm *comm, const void *sent, const int64_t *sent_offsets,
                                 void *received, const int64_t *received_offsets)
{
    struct nccl_end *e = comm->state;
    const size_t out = (size_t)sent_offsets[comm->rank_count], in = (size_t)received_offsets[comm->rank_count];
    BI_TRY(grow_rooms(ctx, comm, out + in));
    if (out) memcpy(e->room.pinned, sent, out);
    if (!e->device->copy(&e->room, e->room.staging, e->room.pinned, out))
        return lose(ctx, comm, "the device failed in an exchange");
    char *came = (char *)e->room.staging + out, *fetched = (char *)e->room.pinned + out;
    BI_TRY(exchange(ctx, comm, e->room.staging, sent_offsets, came, received_offsets));
    if (!e->device->copy(&e->room, fetched, came, in)) return lose(ctx, comm, "the device failed in an exchange");
    struct wait w = begin_wait(comm);
    BI_TRY(drain(ctx, comm, &w));
    if (in) memcpy(received, fetched, in);
    return BOSC_OK;
}

static bosc_status all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    BI_TRY(check_device(ctx, comm));
    if (on_host) return exchange_host(ctx, comm, sent, sent_offsets, received, received_offsets);
    const bosc_status ready = ctx->backend->sync(ctx); /* what is queued makes what is sent */
    BI_TRY(exchange(ctx, comm, sent, sent_offsets, received, received_offsets));
    return ready;
}

/* ---- ends ---- */

static void free_end(struct nccl_end *e)
{
    const struct bi_memory host = e->host;
    e->device->close(e->device_number, &e->room);
    bi_memory_release(&host, e, sizeof *e);
}

/* Whether all ranks have come to the end of the communicator, so that it can be destroyed without waiting for them. */
static bool finalize(const bosc_comm *comm)
{
    const struct nccl_end *e = comm->state;
    struct wait w = {bi_now() + (comm->timeout < DRAIN ? comm->timeout : DRAIN), 0};
    int result = e->nccl.CommFinalize(e->comm);
    while (result == BI_NCCL_IN_PROGRESS && wait_on(&w))
        if (e->nccl.CommGetAsyncError(e->comm, &result) != BI_NCCL_SUCCESS) return false;
    return result == BI_NCCL_SUCCESS;
}

static void release(bosc_comm *comm)
{
    struct nccl_end *e = comm->state;
    if (comm->broken)
        abort_end(e);
    else if (!e->given && !e->aborted && finalize(comm))
        (void)e->nccl.CommDestroy(e->comm);
    else if (!e->given)
        abort_end(e);
    free_end(e);
}

static const struct bi_transport transport = {all_gather, all_to_all, release};

static bosc_status check_opts(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_nccl_opts", opts, full, sizeof *full));
    if (!(full->timeout >= 0 && full->timeout <= 1e9))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: timeout %g is not in 0 to 1e9 seconds", full->timeout);
    if (bi_comm_device_of(ctx)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "ctx: NCCL moves data of CUDA devices, and this context is not of one");
}

/* An end without a communicator of NCCL. */
static bosc_status make_end(bosc_ctx *ctx, const struct bi_nccl *nccl, int32_t rank, int32_t rank_count, double timeout,
                            bosc_comm **comm)
{
    const bosc_comm_opts opts = {.size = sizeof opts, .timeout = timeout};
    const size_t ranks = (size_t)rank_count,
                 piece = STAGE / (ranks + 1) > LEAST_PIECE ? STAGE / (ranks + 1) : LEAST_PIECE;
    struct nccl_end *e = bi_host_alloc(ctx, sizeof *e);
    if (!e) return BOSC_ERR_NOMEM;
    *e = (struct nccl_end){.host = ctx->host,
                           .nccl = *nccl,
                           .device = bi_comm_device_of(ctx),
                           .device_number = ctx->memory.device,
                           .piece = piece};
    bosc_status status = e->device->open(ctx, &e->room, piece * (ranks + 1));
    if (status != BOSC_OK) {
        bi_memory_release(&ctx->host, e, sizeof *e);
        return status;
    }
    status = bi_comm_make(ctx, rank, rank_count, &opts, &transport, comm);
    if (status == BOSC_OK)
        (*comm)->state = e;
    else
        free_end(e);
    return status;
}

/* Joins the ranks; the end is freed if they do not come. */
static bosc_status join(bosc_ctx *ctx, const bosc_nccl_id *id, bosc_comm *comm)
{
    struct nccl_end *e = comm->state;
    struct bi_nccl_config config = {sizeof config, (unsigned)BI_NCCL_MAGIC, BI_NCCL_LEAST_VERSION, 0};
    struct wait w = begin_wait(comm);
    const int result = e->nccl.CommInitRankConfig(&e->comm, comm->rank_count, *id, comm->rank, &config);
    e->aborted = e->comm == NULL;
    const bosc_status status = settle(ctx, comm, result, &w);
    if (status != BOSC_OK) bosc_comm_free(comm);
    return status;
}

static bosc_status check_ranks(bosc_ctx *ctx, const bosc_nccl_id *id, int32_t rank, int32_t rank_count,
                               bosc_comm **comm)
{
    if (!id) return bi_fail(ctx, BOSC_ERR_ARG, "id: NULL");
    if (rank_count < 1) return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %d is less than 1", (int)rank_count);
    if (rank < 0 || rank >= rank_count)
        return bi_fail(ctx, BOSC_ERR_ARG, "rank: %d is not in 0 to %d", (int)rank, (int)rank_count - 1);
    return comm ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
}

bosc_status bosc_comm_create_nccl(bosc_ctx *ctx, const bosc_nccl_id *id, int32_t rank, int32_t rank_count,
                                  const bosc_nccl_opts *opts, bosc_comm **comm)
{
    bosc_nccl_opts full;
    struct bi_nccl nccl;
    bosc_comm *fresh;
    BI_ENTER(ctx);
    BI_TRY(check_ranks(ctx, id, rank, rank_count, comm));
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(bi_nccl_open(ctx, full.library, &nccl));
    BI_TRY(make_end(ctx, &nccl, rank, rank_count, full.timeout, &fresh));
    BI_TRY(join(ctx, id, fresh));
    *comm = fresh;
    return BOSC_OK;
}

static bosc_status make_id(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_id *id)
{
    bosc_nccl_opts full;
    struct bi_nccl nccl;
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(bi_nccl_open(ctx, full.library, &nccl));
    const int result = nccl.GetUniqueId(id);
    if (result == BI_NCCL_SUCCESS) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: no id: %s", nccl.GetErrorString(result));
}

bosc_status bosc_nccl_make_id(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_id *id)
{
    bosc_nccl_id fresh;
    BI_ENTER(ctx);
    if (!id) return bi_fail(ctx, BOSC_ERR_ARG, "id: NULL");
    BI_TRY(make_id(ctx, opts, &fresh));
    *id = fresh;
    return BOSC_OK;
}

/* ---- over another communicator ---- */

/* A failure that is not of `start`, told by it. */
static bosc_status without_loss(bosc_ctx *ctx, bosc_status status)
{
    char why[BI_COMM_MESSAGE];
    if (status != BOSC_ERR_COMM) return status;
    memcpy(why, ctx->message, sizeof why - 1);
    why[sizeof why - 1] = 0;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "%s", why);
}

bosc_status bosc_comm_create_nccl_over(bosc_ctx *ctx, bosc_comm *start, const bosc_nccl_opts *opts, bosc_comm **comm)
{
    bosc_comm *fresh = NULL;
    bosc_nccl_opts full;
    struct bi_nccl nccl;
    bosc_nccl_id id = {{0}};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, start));
    bosc_status local_status = comm ? check_opts(ctx, opts, &full) : bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
    if (local_status == BOSC_OK) local_status = bi_nccl_open(ctx, full.library, &nccl);
    if (local_status == BOSC_OK)
        local_status = make_end(ctx, &nccl, start->rank, start->rank_count, full.timeout, &fresh);
    if (local_status == BOSC_OK && start->rank == 0) local_status = without_loss(ctx, make_id(ctx, opts, &id));
    bosc_status status = bi_comm_agree(ctx, start, local_status);
    const size_t bytes = sizeof id * (size_t)start->rank_count;
    bosc_nccl_id *ids = status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (status == BOSC_OK) status = bi_comm_agree(ctx, start, ids ? BOSC_OK : BOSC_ERR_NOMEM);
    if (status == BOSC_OK) status = bi_comm_all_gather(ctx, start, &id, sizeof id, ids);
    if (status == BOSC_OK) {
        const double timeout =
            fresh->timeout; /* while they join, ranks that could not wait in `start` for the others */
        if (fresh->timeout > start->timeout / 2) fresh->timeout = start->timeout / 2;
        local_status = without_loss(ctx, join(ctx, ids, fresh));
        if (local_status == BOSC_OK)
            fresh->timeout = timeout;
        else
            fresh = NULL;
        status = bi_comm_agree(ctx, start, local_status);
    }
    bi_memory_release(&ctx->host, ids, bytes);
    if (status == BOSC_OK) {
        *comm = fresh;
    } else if (fresh) {
        struct nccl_end *e = fresh->state;
        e->aborted = e->comm == NULL; /* the ranks were not joined */
        fresh->broken = true;
        bosc_comm_free(fresh);
    }
    return status;
}

/* ---- the caller's ---- */

bosc_status bosc_comm_create_nccl_given(bosc_ctx *ctx, void *nccl_comm, const bosc_nccl_opts *opts, bosc_comm **comm)
{
    bosc_nccl_opts full;
    struct bi_nccl nccl;
    bosc_comm *fresh;
    int rank = -1, count = 0, device = -1;
    BI_ENTER(ctx);
    if (!nccl_comm) return bi_fail(ctx, BOSC_ERR_ARG, "nccl_comm: NULL");
    if (!comm) return bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(bi_nccl_open(ctx, full.library, &nccl));
    bi_nccl_comm given = nccl_comm;
    int result = nccl.CommCount(given, &count);
    if (result == BI_NCCL_SUCCESS) result = nccl.CommUserRank(given, &rank);
    if (result == BI_NCCL_SUCCESS) result = nccl.CommCuDevice(given, &device);
    if (result != BI_NCCL_SUCCESS)
        return bi_fail(ctx, BOSC_ERR_ARG, "nccl_comm: NCCL says: %s", nccl.GetErrorString(result));
    if (device != ctx->memory.device)
        return bi_fail(ctx, BOSC_ERR_ARG, "nccl_comm: it is of device %d, the context of %d", device,
                       (int)ctx->memory.device);
    BI_TRY(make_end(ctx, &nccl, rank, count, full.timeout, &fresh));
    struct nccl_end *e = fresh->state;
    e->comm = given;
    e->given = true;
    *comm = fresh;
    return BOSC_OK;
}
