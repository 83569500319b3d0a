/* Communicators whose ranks are threads of one process, and the communicator of one rank. In an exchange each rank
 * copies its data from the memory of the others, which wait at a barrier until it is done. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/threads.h"
#include "comm/comm.h"
#include "comm/device.h"

enum {
    MAX_RANKS = BI_MAX_THREADS, /* ranks are threads */
    SMALL = 64                  /* bytes of a block that is copied twice to save a barrier; not measured */
};

/* Data that a rank exposes to the others during an exchange. */
struct exposed {
    const void *data;
    const int64_t *offsets;
    int32_t device;
    /* Copies of small blocks for even and odd exchanges. They stay valid during the next exchange, which saves the
     * second barrier. */
    char small[2][SMALL];
};

struct group {
    struct bi_memory host;
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    int32_t rank_count, ends; /* ends: not freed yet */
    int32_t arrived;          /* ranks at the barrier */
    uint64_t round;           /* barriers passed */
    bool broken;
    char reason[96];
    struct exposed exposed[];
};

static size_t group_bytes(int32_t ranks) { return sizeof(struct group) + (size_t)ranks * sizeof(struct exposed); }

/* ---- the barrier ---- */

static struct timespec time_after(double seconds)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const double whole = (double)(int64_t)seconds;
    t.tv_sec += (time_t)whole;
    t.tv_nsec += (long)((seconds - whole) * 1e9);
    if (t.tv_nsec >= 1000000000) t.tv_sec++, t.tv_nsec -= 1000000000;
    return t;
}

/* Marks the group as broken and wakes all ranks. The lock is held. */
static void break_group(struct group *g, const char *reason)
{
    if (g->broken) return;
    g->broken = true;
    strncpy(g->reason, reason, sizeof g->reason - 1);
    pthread_cond_broadcast(&g->all_here);
}

/* Waits until the other ranks reach the barrier. The lock is held. */
static void await_others(struct group *g, double timeout)
{
    const uint64_t round = g->round;
    const struct timespec deadline = time_after(timeout);
    while (g->round == round && !g->broken)
        if (pthread_cond_timedwait(&g->all_here, &g->lock, &deadline) == ETIMEDOUT && g->round == round)
            break_group(g, "a rank did not come within the time-out");
}

/* Returns when all ranks have called it; their earlier writes are then visible, by the mutex. */
static bosc_status barrier(bosc_ctx *ctx, bosc_comm *comm)
{
    struct group *g = comm->state;
    pthread_mutex_lock(&g->lock);
    if (g->ends < g->rank_count) break_group(g, "a rank has freed its end");
    if (!g->broken && ++g->arrived == g->rank_count) {
        g->arrived = 0;
        g->round++;
        pthread_cond_broadcast(&g->all_here);
    } else if (!g->broken) {
        await_others(g, comm->timeout);
    }
    const bool broken = g->broken;
    pthread_mutex_unlock(&g->lock);
    if (!broken) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: rank %d of %d: %s", (int)comm->rank, (int)comm->rank_count, g->reason);
}

/* ---- exchanges ---- */

static bosc_status all_gather_small(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    struct group *g = comm->state;
    const int which = (int)(comm->exchanges & 1); /* equal on all ranks: they take part in the same exchanges */
    memcpy(g->exposed[comm->rank].small[which], sent, bytes);
    BI_TRY(barrier(ctx, comm));
    for (int32_t r = 0; r < g->rank_count; r++)
        memcpy((char *)received + (size_t)r * bytes, g->exposed[r].small[which], bytes);
    return BOSC_OK;
}

static bosc_status all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    struct group *g = comm->state;
    if (bytes <= SMALL) return all_gather_small(ctx, comm, sent, bytes, received);
    g->exposed[comm->rank].data = sent;
    BI_TRY(barrier(ctx, comm));
    for (int32_t r = 0; r < g->rank_count; r++) memcpy((char *)received + (size_t)r * bytes, g->exposed[r].data, bytes);
    return barrier(ctx, comm);
}

static bosc_status copy_from(bosc_ctx *ctx, bool on_host, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return BOSC_OK;
    if (!on_host) return ctx->backend->copy(ctx, to, from, (size_t)bytes);
    memcpy(to, from, (size_t)bytes);
    return BOSC_OK;
}

/* Copies the blocks for this rank from all ranks. Starts with its own and goes around, so that ranks do not all read
 * from the same one. */
static bosc_status copy_blocks(bosc_ctx *ctx, const bosc_comm *comm, bool on_host, void *received,
                               const int64_t *received_offsets)
{
    const struct group *g = comm->state;
    const struct bi_comm_device *device = bi_comm_device_of(ctx);
    bosc_status status = BOSC_OK;
    for (int32_t i = 0; i < g->rank_count && status == BOSC_OK; i++) {
        const int32_t r = (int32_t)(((int64_t)comm->rank + i) % g->rank_count);
        const struct exposed *from = &g->exposed[r];
        const int64_t begin = from->offsets[comm->rank], end = from->offsets[comm->rank + 1];
        if (end == begin) continue;
        if (!on_host && device) device->open_peer(ctx, from->device);
        status = copy_from(ctx, on_host, (char *)received + received_offsets[r], (const char *)from->data + begin,
                           end - begin);
    }
    if (status == BOSC_OK && !on_host) status = ctx->backend->sync(ctx);
    return status;
}

static bosc_status all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    struct group *g = comm->state;
    /* Queued work writes the sent data. If it failed, this rank still takes part: the others wait at the barriers. */
    bosc_status ready = on_host ? BOSC_OK : ctx->backend->sync(ctx);
    g->exposed[comm->rank].data = sent;
    g->exposed[comm->rank].offsets = sent_offsets;
    g->exposed[comm->rank].device = ctx->memory.device;
    BI_TRY(barrier(ctx, comm)); /* all ranks have exposed their data */
    bosc_status copied = copy_blocks(ctx, comm, on_host, received, received_offsets);
    BI_TRY(barrier(ctx, comm)); /* all copies are done: senders may reuse their memory */
    return ready != BOSC_OK ? ready : copied;
}

/* ---- ends ---- */

static void free_group(struct group *g)
{
    pthread_cond_destroy(&g->all_here);
    pthread_mutex_destroy(&g->lock);
    bi_memory_release(&g->host, g, group_bytes(g->rank_count));
}

static void release_end(bosc_comm *comm)
{
    struct group *g = comm->state;
    pthread_mutex_lock(&g->lock);
    const bool last = --g->ends == 0;
    if (g->arrived > 0) break_group(g, "a rank has freed its end"); /* ranks wait for this one at the barrier */
    pthread_mutex_unlock(&g->lock);
    if (last) free_group(g);
}

static const struct bi_transport transport = {all_gather, all_to_all, release_end};

static bosc_status create_group(bosc_ctx *ctx, int32_t rank_count, struct group **group)
{
    pthread_condattr_t monotonic;
    struct group *g = bi_host_alloc(ctx, group_bytes(rank_count));
    if (!g) return BOSC_ERR_NOMEM;
    memset(g, 0, group_bytes(rank_count));
    g->host = ctx->host;
    g->rank_count = rank_count;
    pthread_mutex_init(&g->lock, NULL); /* on Linux these initialisers do not fail */
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&g->all_here, &monotonic);
    pthread_condattr_destroy(&monotonic);
    *group = g;
    return BOSC_OK;
}

static bosc_status create_ends(bosc_ctx *ctx, struct group *g, const bosc_comm_opts *opts, bosc_comm **comms)
{
    const int32_t ranks = g->rank_count;
    bosc_comm **fresh = bi_host_alloc(ctx, (size_t)ranks * sizeof *fresh);
    bosc_status status = fresh ? BOSC_OK : BOSC_ERR_NOMEM;
    while (g->ends < ranks && status == BOSC_OK) {
        status = bi_comm_create_end(ctx, g->ends, ranks, opts, &transport, &fresh[g->ends]);
        if (status == BOSC_OK) fresh[g->ends++]->state = g;
    }
    if (status == BOSC_OK) {
        memcpy(comms, fresh, (size_t)ranks * sizeof *comms);
    } else if (g->ends == 0) {
        free_group(g);
    } else {
        for (int32_t r = 0, created = g->ends; r < created; r++)
            bosc_comm_free(fresh[r]); /* the last frees the group */
    }
    bi_memory_release(&ctx->host, fresh, (size_t)ranks * sizeof *fresh);
    return status;
}

bosc_status bosc_comm_create_threads(bosc_ctx *ctx, int32_t rank_count, const bosc_comm_opts *opts, bosc_comm **comms)
{
    struct group *g;
    BI_ENTER(ctx);
    if (rank_count < 1 || rank_count > MAX_RANKS)
        return bi_fail(ctx, BOSC_ERR_ARG, "rank_count: %d is not in 1 to %d", (int)rank_count, (int)MAX_RANKS);
    if (!comms) return bi_fail(ctx, BOSC_ERR_ARG, "comms: NULL");
    BI_TRY(create_group(ctx, rank_count, &g));
    return create_ends(ctx, g, opts, comms);
}

bosc_status bosc_comm_create_self(bosc_ctx *ctx, const bosc_comm_opts *opts, bosc_comm **comm)
{
    BI_ENTER(ctx);
    if (!comm) return bi_fail(ctx, BOSC_ERR_ARG, "comm: NULL");
    return bosc_comm_create_threads(ctx, 1, opts, comm);
}
