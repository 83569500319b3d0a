/* Communicators over NCCL. Queued work is polled, never waited for: on a time-out or an NCCL error the NCCL
 * communicator is aborted, which ends operations on the device that still wait for other ranks. NCCL is opened at run
 * time, so that programs without it need not have it installed. */
#include "comm/nccl.h"

#include <dlfcn.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "comm/device.h"
#include "core/call.h"

enum {
    STAGE = 17 << 16, /* bytes of the buffer of host memory: 64 KB for each of 16 ranks and the own block */
    MIN_CHUNK = 256,  /* bytes of a rank in it, at least */
    SPINS = 2000,     /* polls before the thread sleeps between them; not measured */
    NAP = 50000,      /* nanoseconds of such a sleep */
    DRAIN = 10        /* seconds to wait until an aborted or finalised communicator leaves the device; not measured */
};

/* ---- the library ---- */

static bosc_status load_function(bosc_ctx *ctx, void *library, const char *file, const char *name, void *function)
{
    void *symbol = dlsym(library, name);
    if (!symbol) return bi_fail(ctx, BOSC_ERR_BACKEND, "library: %s has no %s", file, name);
    memcpy(function, &symbol, sizeof symbol);
    return BOSC_OK;
}

static bosc_status load_functions(bosc_ctx *ctx, void *library, const char *file, struct bi_nccl *nccl)
{
    int version = 0;
#define BI_NCCL_LOAD(name, result_t, arguments) BI_TRY(load_function(ctx, library, file, "nccl" #name, &nccl->name));
    BI_NCCL_FUNCTIONS(BI_NCCL_LOAD)
#undef BI_NCCL_LOAD
    if (nccl->GetVersion(&version) == BI_NCCL_SUCCESS && version >= BI_NCCL_MIN_VERSION) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "library: %s is version %d of NCCL, older than %d", file, version,
                   (int)BI_NCCL_MIN_VERSION);
}

bosc_status bi_nccl_open(bosc_ctx *ctx, const char *given, struct bi_nccl *nccl)
{
    const char *file = given ? given : "libnccl.so.2";
    void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    if (!library) return bi_fail(ctx, BOSC_ERR_BACKEND, "library: NCCL cannot be opened: %s", dlerror());
    const bosc_status status = load_functions(ctx, library, file, nccl);
    if (status != BOSC_OK) (void)dlclose(library); /* on success it stays open: it may run threads of its own */
    return status;
}

/* ---- waits ---- */

struct nccl_end {
    struct bi_memory host;
    struct bi_nccl nccl;
    const struct bi_comm_device *device;
    int32_t device_number;
    bi_nccl_comm comm;
    bool given, aborted; /* owned by the caller; aborted, or never created */
    size_t chunk;        /* bytes of each rank that the stage holds */
    struct bi_comm_channel channel;
};

/* A wait with a deadline. */
struct wait {
    double deadline;
    int64_t polls;
};

static struct wait begin_wait(const bosc_comm *comm) { return (struct wait){bi_now() + comm->timeout, 0}; }

/* Yields or sleeps between two polls. False after the deadline. */
static bool wait_more(struct wait *w)
{
    const struct timespec nap = {.tv_nsec = NAP};
    if (bi_now() > w->deadline) return false;
    if (w->polls++ < SPINS)
        (void)sched_yield();
    else
        (void)nanosleep(&nap, NULL);
    return true;
}

static void abort_end(struct nccl_end *e)
{
    struct wait w = {bi_now() + DRAIN, 0};
    if (e->aborted) return;
    e->aborted = true;
    (void)e->nccl.CommAbort(e->comm);
    if (e->device->record(&e->channel)) /* queued work must not write to memory after it returns to the caller */
        while (e->device->poll(&e->channel) == BI_COMM_PENDING && wait_more(&w)) continue;
}

static bosc_status fail_lost(bosc_ctx *ctx, bosc_comm *comm, const char *reason)
{
    abort_end(comm->state);
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: rank %d of %d: %s", (int)comm->rank, (int)comm->rank_count, reason);
}

static bosc_status fail_device(bosc_ctx *ctx, bosc_comm *comm)
{
    return fail_lost(ctx, comm, "the device failed in an exchange");
}

static bosc_status fail_timed_out(bosc_ctx *ctx, bosc_comm *comm)
{
    return fail_lost(ctx, comm, "a rank did not come within the time-out");
}

/* The result of the calls that NCCL has accepted: BI_NCCL_IN_PROGRESS, BI_NCCL_SUCCESS or an error. */
static int async_result(const struct nccl_end *e)
{
    int result = BI_NCCL_SUCCESS;
    const int error = e->nccl.CommGetAsyncError(e->comm, &result);
    return error == BI_NCCL_SUCCESS ? result : error;
}

/* Waits for the result of a call of NCCL, which may continue after it has returned. */
static bosc_status await_nccl(bosc_ctx *ctx, bosc_comm *comm, int result, struct wait *w)
{
    const struct nccl_end *e = comm->state;
    for (; result == BI_NCCL_IN_PROGRESS; result = async_result(e))
        if (!wait_more(w)) return fail_timed_out(ctx, comm);
    return result == BI_NCCL_SUCCESS ? BOSC_OK : fail_lost(ctx, comm, e->nccl.GetErrorString(result));
}

/* Waits until all queued work is done. NCCL is polled too: after its error the work may never end. */
static bosc_status drain(bosc_ctx *ctx, bosc_comm *comm, struct wait *w)
{
    struct nccl_end *e = comm->state;
    if (!e->device->record(&e->channel)) return fail_device(ctx, comm);
    for (;;) {
        const enum bi_comm_work work = e->device->poll(&e->channel);
        if (work != BI_COMM_PENDING) return work == BI_COMM_DONE ? BOSC_OK : fail_device(ctx, comm);
        const int result = async_result(e);
        if (result != BI_NCCL_SUCCESS && result != BI_NCCL_IN_PROGRESS)
            return fail_lost(ctx, comm, e->nccl.GetErrorString(result));
        if (!wait_more(w)) return fail_timed_out(ctx, comm);
    }
}

/* ---- exchanges ---- */

/* A context of another device cannot take part in the exchange: for the other ranks this one is lost. */
static bosc_status check_device(bosc_ctx *ctx, bosc_comm *comm)
{
    char reason[64];
    const struct nccl_end *e = comm->state;
    if (bi_comm_device_of(ctx) == e->device && ctx->memory.device == e->device_number) return BOSC_OK;
    snprintf(reason, sizeof reason, "ctx is not of device %d, of which the communicator is", (int)e->device_number);
    return fail_lost(ctx, comm, reason);
}

/* All-gathers a chunk of every rank through the stage, into pinned memory. */
static bosc_status gather_chunk(bosc_ctx *ctx, bosc_comm *comm, const char *sent, size_t bytes, struct wait *w)
{
    struct nccl_end *e = comm->state;
    const size_t all = bytes * (size_t)comm->rank_count;
    char *own = (char *)e->channel.staging + all;
    memcpy((char *)e->channel.pinned + all, sent, bytes);
    if (!e->device->copy(&e->channel, own, (char *)e->channel.pinned + all, bytes)) return fail_device(ctx, comm);
    const int result = e->nccl.AllGather(own, e->channel.staging, bytes, BI_NCCL_INT8, e->comm, e->channel.stream);
    BI_TRY(await_nccl(ctx, comm, result, w));
    if (!e->device->copy(&e->channel, e->channel.pinned, e->channel.staging, all)) return fail_device(ctx, comm);
    return drain(ctx, comm, w);
}

static bosc_status all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    const struct nccl_end *e = comm->state;
    struct wait w = begin_wait(comm);
    BI_TRY(check_device(ctx, comm));
    for (size_t at = 0; at < bytes; at += e->chunk) {
        const size_t chunk = bytes - at < e->chunk ? bytes - at : e->chunk;
        BI_TRY(gather_chunk(ctx, comm, (const char *)sent + at, chunk, &w));
        for (int32_t r = 0; r < comm->rank_count; r++)
            memcpy((char *)received + (size_t)r * bytes + at, (const char *)e->channel.pinned + (size_t)r * chunk,
                   chunk);
    }
    return BOSC_OK;
}

/* Keeps the first failure of the calls of a group. */
static void keep_failure(int *failure, int result)
{
    if (*failure == BI_NCCL_SUCCESS && result != BI_NCCL_IN_PROGRESS) *failure = result;
}

/* Sends device memory to all other ranks and receives from them, as one group. */
static int send_and_receive(const bosc_comm *comm, const char *sent, const int64_t *sent_offsets, char *received,
                            const int64_t *received_offsets)
{
    const struct nccl_end *e = comm->state;
    int failure = e->nccl.GroupStart();
    for (int32_t r = 0; r < comm->rank_count; r++) {
        const size_t out = (size_t)(sent_offsets[r + 1] - sent_offsets[r]),
                     in = (size_t)(received_offsets[r + 1] - received_offsets[r]);
        if (r == comm->rank) continue;
        if (out)
            keep_failure(&failure,
                         e->nccl.Send(sent + sent_offsets[r], out, BI_NCCL_INT8, r, e->comm, e->channel.stream));
        if (in)
            keep_failure(&failure,
                         e->nccl.Recv(received + received_offsets[r], in, BI_NCCL_INT8, r, e->comm, e->channel.stream));
    }
    const int result = e->nccl.GroupEnd();
    return failure == BI_NCCL_SUCCESS ? result : failure;
}

/* Exchanges device memory; the block of this rank for itself is copied. */
static bosc_status exchange_device(bosc_ctx *ctx, bosc_comm *comm, const char *sent, const int64_t *sent_offsets,
                                   char *received, const int64_t *received_offsets)
{
    struct nccl_end *e = comm->state;
    struct wait w = begin_wait(comm);
    const int32_t own = comm->rank;
    const size_t bytes = (size_t)(sent_offsets[own + 1] - sent_offsets[own]);
    if (bytes && !e->device->copy(&e->channel, received + received_offsets[own], sent + sent_offsets[own], bytes))
        return fail_device(ctx, comm);
    BI_TRY(await_nccl(ctx, comm, send_and_receive(comm, sent, sent_offsets, received, received_offsets), &w));
    return drain(ctx, comm, &w);
}

/* Enlarges the buffers for host memory on all ranks; fails on all if it fails on one. */
static bosc_status grow_channels(bosc_ctx *ctx, bosc_comm *comm, size_t bytes)
{
    struct nccl_end *e = comm->state;
    const bosc_status local_status = e->device->grow(ctx, &e->channel, bytes);
    const int32_t code = (int32_t)local_status;
    const int32_t *codes = comm->gather;
    BI_TRY(all_gather(ctx, comm, &code, sizeof code, comm->gather));
    for (int32_t r = 0; r < comm->rank_count; r++)
        if (local_status == BOSC_OK && codes[r] != BOSC_OK)
            return bi_fail(ctx, (bosc_status)codes[r], "rank %d: comm: no memory for what comes from other ranks",
                           (int)r);
    return local_status;
}

/* Exchanges host memory through the buffers, which hold the sent data, then the received data. */
static bosc_status exchange_host(bosc_ctx *ctx, bosc_comm *comm, const void *sent, const int64_t *sent_offsets,
                                 void *received, const int64_t *received_offsets)
{
    struct nccl_end *e = comm->state;
    const size_t out = (size_t)sent_offsets[comm->rank_count], in = (size_t)received_offsets[comm->rank_count];
    BI_TRY(grow_channels(ctx, comm, out + in));
    if (out) memcpy(e->channel.pinned, sent, out);
    if (!e->device->copy(&e->channel, e->channel.staging, e->channel.pinned, out)) return fail_device(ctx, comm);
    char *received_staging = (char *)e->channel.staging + out, *received_pinned = (char *)e->channel.pinned + out;
    BI_TRY(exchange_device(ctx, comm, e->channel.staging, sent_offsets, received_staging, received_offsets));
    if (!e->device->copy(&e->channel, received_pinned, received_staging, in)) return fail_device(ctx, comm);
    struct wait w = begin_wait(comm);
    BI_TRY(drain(ctx, comm, &w));
    if (in) memcpy(received, received_pinned, in);
    return BOSC_OK;
}

static bosc_status all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    BI_TRY(check_device(ctx, comm));
    if (on_host) return exchange_host(ctx, comm, sent, sent_offsets, received, received_offsets);
    const bosc_status ready = ctx->backend->sync(ctx); /* queued work writes the sent data */
    BI_TRY(exchange_device(ctx, comm, sent, sent_offsets, received, received_offsets));
    return ready;
}

/* ---- ends ---- */

static void free_end(struct nccl_end *e)
{
    e->device->close(e->device_number, &e->channel);
    bi_memory_release(&e->host, e, sizeof *e);
}

/* Finalises the communicator. True if all ranks did, so that it can be destroyed without waiting for them. */
static bool finalize(const bosc_comm *comm)
{
    const struct nccl_end *e = comm->state;
    struct wait w = {bi_now() + (comm->timeout < DRAIN ? comm->timeout : DRAIN), 0};
    int result = e->nccl.CommFinalize(e->comm);
    while (result == BI_NCCL_IN_PROGRESS && wait_more(&w)) result = async_result(e);
    return result == BI_NCCL_SUCCESS;
}

static void release_end(bosc_comm *comm)
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

static const struct bi_transport transport = {all_gather, all_to_all, release_end, NULL, NULL, NULL};

static bosc_status check_opts(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_nccl_opts", opts, full, sizeof *full));
    BI_TRY(bi_comm_check_timeout(ctx, full->timeout));
    if (bi_comm_device_of(ctx)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "ctx: NCCL moves data of CUDA devices, and this context is not of one");
}

/* Creates an end without an NCCL communicator. */
static bosc_status create_end(bosc_ctx *ctx, const struct bi_nccl *nccl, int32_t rank, int32_t rank_count,
                              double timeout, bosc_comm **comm)
{
    const bosc_comm_opts opts = {.size = sizeof opts, .timeout = timeout};
    const size_t ranks = (size_t)rank_count, chunk = STAGE / (ranks + 1) > MIN_CHUNK ? STAGE / (ranks + 1) : MIN_CHUNK;
    struct nccl_end *e;
    BI_TRY(BI_NEW(ctx, &e, .host = ctx->host, .nccl = *nccl, .device = bi_comm_device_of(ctx),
                  .device_number = ctx->memory.device, .chunk = chunk));
    bosc_status status = e->device->open(ctx, &e->channel, chunk * (ranks + 1));
    if (status != BOSC_OK) {
        bi_memory_release(&ctx->host, e, sizeof *e);
        return status;
    }
    status = bi_comm_create_end(ctx, rank, rank_count, &opts, &transport, comm);
    if (status == BOSC_OK)
        (*comm)->state = e;
    else
        free_end(e);
    return status;
}

/* Creates the NCCL communicator together with the other ranks. Frees the end on failure. */
static bosc_status connect_ranks(bosc_ctx *ctx, const bosc_nccl_id *id, bosc_comm *comm)
{
    struct nccl_end *e = comm->state;
    struct bi_nccl_config config = {sizeof config, (unsigned)BI_NCCL_MAGIC, BI_NCCL_MIN_VERSION, 0};
    struct wait w = begin_wait(comm);
    const int result = e->nccl.CommInitRankConfig(&e->comm, comm->rank_count, *id, comm->rank, &config);
    e->aborted = e->comm == NULL;
    const bosc_status status = await_nccl(ctx, comm, result, &w);
    if (status != BOSC_OK) bosc_comm_free(comm);
    return status;
}

bosc_status bosc_comm_create_nccl(bosc_ctx *ctx, const bosc_nccl_id *id, int32_t rank, int32_t rank_count,
                                  const bosc_nccl_opts *opts, bosc_comm **comm)
{
    bosc_nccl_opts full;
    struct bi_nccl nccl;
    bosc_comm *fresh;
    BI_ENTER(ctx);
    if (!id) return bi_fail(ctx, BOSC_ERR_ARG, "id: NULL");
    BI_TRY(bi_comm_check_create(ctx, rank, rank_count, comm));
    BI_TRY(check_opts(ctx, opts, &full));
    BI_TRY(bi_nccl_open(ctx, full.library, &nccl));
    BI_TRY(create_end(ctx, &nccl, rank, rank_count, full.timeout, &fresh));
    BI_TRY(connect_ranks(ctx, id, fresh));
    *comm = fresh;
    return BOSC_OK;
}

static bosc_status create_id(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_id *id)
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
    BI_TRY(create_id(ctx, opts, &fresh));
    *id = fresh;
    return BOSC_OK;
}

/* ---- over another communicator ---- */

/* Turns BOSC_ERR_COMM into BOSC_ERR_BACKEND, so that `start`, which has lost no rank, can report it. */
static bosc_status as_backend_failure(bosc_ctx *ctx, bosc_status status)
{
    char reason[BI_COMM_MESSAGE];
    if (status != BOSC_ERR_COMM) return status;
    memcpy(reason, ctx->message, sizeof reason - 1);
    reason[sizeof reason - 1] = 0;
    return bi_fail(ctx, BOSC_ERR_BACKEND, "%s", reason);
}

/* After the check of `start`, a failure of one rank is agreed on through `start`, so that all ranks return the same.
 * The check only refuses NULL. create_end() leaves `fresh` NULL on failure, and connect_ranks() frees it. */
bosc_status bosc_comm_create_nccl_over(bosc_ctx *ctx, bosc_comm *start, const bosc_nccl_opts *opts, bosc_comm **comm)
{
    bosc_comm *fresh = NULL;
    bosc_nccl_opts full;
    struct bi_nccl nccl;
    bosc_nccl_id id = {{0}};
    BI_ENTER(ctx);
    BI_TRY(bi_comm_check(ctx, start));
    /* 1. Open NCCL on every rank; rank 0 creates the id. */
    bosc_status local_status = comm ? check_opts(ctx, opts, &full) : bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
    if (local_status == BOSC_OK) local_status = bi_nccl_open(ctx, full.library, &nccl);
    if (local_status == BOSC_OK)
        local_status = create_end(ctx, &nccl, start->rank, start->rank_count, full.timeout, &fresh);
    if (local_status == BOSC_OK && start->rank == 0) local_status = as_backend_failure(ctx, create_id(ctx, opts, &id));
    bosc_status status = bi_comm_agree(ctx, start, local_status);
    /* 2. Send the id to all ranks. */
    const size_t bytes = sizeof id * (size_t)start->rank_count;
    bosc_nccl_id *ids = status == BOSC_OK ? bi_host_alloc(ctx, bytes) : NULL;
    if (status == BOSC_OK) status = bi_comm_agree(ctx, start, ids ? BOSC_OK : BOSC_ERR_NOMEM);
    if (status == BOSC_OK) status = bi_comm_all_gather(ctx, start, &id, sizeof id, ids);
    if (status == BOSC_OK) {
        /* 3. Connect. The time-out is at most half of that of `start`, where ranks that failed wait for the others. */
        const double timeout = fresh->timeout;
        if (fresh->timeout > start->timeout / 2) fresh->timeout = start->timeout / 2;
        local_status = as_backend_failure(ctx, connect_ranks(ctx, ids, fresh));
        if (local_status == BOSC_OK)
            fresh->timeout = timeout;
        else
            fresh = NULL;
        status = bi_comm_agree(ctx, start, local_status);
    }
    /* 4. Return the communicator, or free it on all ranks. `fresh` remains if another rank failed, or if this rank's
     * id, `ids` or `start` failed. bosc_comm_free() aborts a broken communicator without the other ranks. */
    bi_memory_release(&ctx->host, ids, bytes);
    if (status == BOSC_OK) {
        *comm = fresh;
    } else if (fresh) {
        struct nccl_end *e = fresh->state;
        e->aborted = e->comm == NULL; /* the ranks were not connected */
        fresh->broken = true;
        bosc_comm_free(fresh);
    }
    return status;
}

/* ---- the caller's ---- */

/* Exchanges nothing with other ranks. NCCL's communicator stays the caller's: freeing the end leaves it, but an
 * exchange that loses a rank aborts it. */
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
    /* NCCL knows the ranks; the communicator must be of the context's device. */
    bi_nccl_comm given = nccl_comm;
    int result = nccl.CommCount(given, &count);
    if (result == BI_NCCL_SUCCESS) result = nccl.CommUserRank(given, &rank);
    if (result == BI_NCCL_SUCCESS) result = nccl.CommCuDevice(given, &device);
    if (result != BI_NCCL_SUCCESS)
        return bi_fail(ctx, BOSC_ERR_ARG, "nccl_comm: NCCL says: %s", nccl.GetErrorString(result));
    if (device != ctx->memory.device)
        return bi_fail(ctx, BOSC_ERR_ARG, "nccl_comm: it is of device %d, the context of %d", device,
                       (int)ctx->memory.device);
    BI_TRY(create_end(ctx, &nccl, rank, count, full.timeout, &fresh));
    struct nccl_end *e = fresh->state;
    e->comm = given;
    e->given = true;
    *comm = fresh;
    return BOSC_OK;
}
