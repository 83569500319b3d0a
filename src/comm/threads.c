/* Communicators whose ranks are threads of one process, and the communicator of one rank. In an exchange each rank
 * copies its data from the memory of the others. Barriers order the hosts; events order the work that they queued. */
#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "base/clock.h"
#include "base/threads.h"
#include "comm/comm.h"
#include "comm/device.h"

enum {
    MAX_RANKS = BI_MAX_THREADS, /* ranks are threads */
    SMALL = BI_COMM_MESSAGE     /* bytes of a block that is copied twice to save a barrier; not measured */
};

/* Seconds that a rank at a barrier spins before it sleeps: several times a barrier whose ranks spin, some 2.5 us.
 * Waking a sleeping thread takes 5 to 50 us. Estimates. */
#define SPIN_SECONDS 1e-4

/* Data that a rank exposes to the others during an exchange. */
struct exposed {
    const void *data;
    const int64_t *offsets;
    int32_t device; /* of `data`, or BI_COMM_HOST */
    /* Copies of small blocks for even and odd exchanges. They stay valid during the next exchange, which saves the
     * second barrier. */
    char small[2][SMALL];
    /* Events for even and odd orders of queued work (publish_queued), for the same reason; is_queued[i]: event i stands
     * for queued work. The group frees the events, since other ranks may still read them. */
    struct bi_comm_event events[2];
    bool is_queued[2];
    const struct bi_comm_device *device_ops; /* that frees the events */
};

struct group {
    struct bi_memory host;
    pthread_mutex_t lock;
    pthread_cond_t all_here;
    int32_t rank_count, ends; /* ends: not freed yet */
    int32_t arrived;          /* ranks at the barrier */
    bool spins;               /* there is a processor for each rank. Threads of their loops are not counted */
    uint64_t round;           /* barriers passed; written under the lock, read by spinning ranks without it */
    bool broken;              /* the same */
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
    strncpy(g->reason, reason, sizeof g->reason - 1);
    __atomic_store_n(&g->broken, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&g->all_here);
}

static bool has_passed(const struct group *g, uint64_t round)
{
    return __atomic_load_n(&g->round, __ATOMIC_ACQUIRE) != round;
}

static bool is_broken(const struct group *g) { return __atomic_load_n(&g->broken, __ATOMIC_ACQUIRE); }

/* Spins until the other ranks reach the barrier of this round. False: some have not, and this rank should sleep. */
static bool spin_for_others(const struct group *g, uint64_t round)
{
    if (!g->spins) return false;
    const double end = bi_now() + SPIN_SECONDS;
    do {
        for (int i = 0; i < BI_PAUSES_PER_CLOCK; i++) {
            if (has_passed(g, round) || is_broken(g)) return true;
            bi_pause();
        }
    } while (bi_now() < end);
    return false;
}

/* Sleeps until the other ranks reach the barrier of this round. */
static void sleep_for_others(struct group *g, uint64_t round, double timeout)
{
    const struct timespec deadline = time_after(timeout);
    pthread_mutex_lock(&g->lock);
    while (g->round == round && !g->broken)
        if (pthread_cond_timedwait(&g->all_here, &g->lock, &deadline) == ETIMEDOUT && g->round == round)
            break_group(g, "a rank did not come within the time-out");
    pthread_mutex_unlock(&g->lock);
}

/* Returns when all ranks have called it; their earlier writes are then visible, by the mutex or the round. A broken
 * group stays broken: all further barriers fail. comm->timeout: seconds, after the spin. */
static bosc_status barrier(bosc_ctx *ctx, bosc_comm *comm)
{
    struct group *g = comm->state;
    /* 1. Arrive. The last rank begins the next round. */
    pthread_mutex_lock(&g->lock);
    const uint64_t round = g->round;
    if (g->ends < g->rank_count) break_group(g, "a rank has freed its end");
    const bool waits = !g->broken && ++g->arrived < g->rank_count;
    if (!g->broken && !waits) {
        g->arrived = 0;
        __atomic_store_n(&g->round, round + 1, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&g->all_here);
    }
    pthread_mutex_unlock(&g->lock);
    /* 2. Wait for the others. */
    if (waits && !spin_for_others(g, round)) sleep_for_others(g, round, comm->timeout);
    if (has_passed(g, round)) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_COMM, "comm: rank %d of %d: %s", (int)comm->rank, (int)comm->rank_count, g->reason);
}

/* ---- the order of queued work ----
 *
 * An order is a publish_queued, a barrier and an await_queued. A rank records an event behind the work that it has
 * queued and exposes it; behind the next barrier every rank queues waits for the events of the others. No host waits.
 * An event is recorded again only in the order after the next one, which all ranks begin when they have queued these
 * waits. */

static bosc_status publish_queued(bosc_ctx *ctx, bosc_comm *comm)
{
    struct group *g = comm->state;
    struct exposed *own = &g->exposed[comm->rank];
    const int which = (int)(comm->orders++ & 1); /* equal on all ranks, as the number of exchanges is */
    const struct bi_comm_device *device = bi_comm_device_of(ctx);
    own->is_queued[which] = false;
    if (!device || g->rank_count == 1) return BOSC_OK;
    own->device_ops = device;
    const bosc_status status = device->record_queued(ctx, &own->events[which]);
    own->is_queued[which] = status == BOSC_OK;
    if (status != BOSC_OK) (void)ctx->backend->sync(ctx); /* nothing is queued any more */
    return status;
}

/* After a failure this rank's own work is done, since the caller may release its memory. The work of others on this
 * rank's arrays may go on. */
static bosc_status await_queued(bosc_ctx *ctx, bosc_comm *comm)
{
    const struct group *g = comm->state;
    const int which = (int)((comm->orders - 1) & 1);
    const struct bi_comm_device *device = bi_comm_device_of(ctx);
    bosc_status status = BOSC_OK;
    for (int32_t r = 0; device && r < g->rank_count; r++)
        if (r != comm->rank && g->exposed[r].is_queued[which])
            BI_IF_OK(status, device->await_event(ctx, &g->exposed[r].events[which]));
    if (status != BOSC_OK) (void)ctx->backend->sync(ctx);
    return status;
}

/* Refuses ranks of different backends: one of the CPU waits for no event. All ranks fail alike. */
static bosc_status check_one_backend(bosc_ctx *ctx, const struct group *g)
{
    for (int32_t r = 1; r < g->rank_count; r++)
        if ((g->exposed[r].device == BI_COMM_HOST) != (g->exposed[0].device == BI_COMM_HOST))
            return bi_fail(ctx, BOSC_ERR_ARG, "ctx: rank %d and rank 0 are of different backends", (int)r);
    return BOSC_OK;
}

/* ---- exchanges ---- */

static bosc_status all_gather_small(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received)
{
    struct group *g = comm->state;
    /* Equal on all ranks: they take part in the same exchanges, which comm.c counts. */
    const int which = (int)(comm->exchanges & 1);
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

/* on_host: both are host memory. Else the backend copies; a device queues the copy. */
static bosc_status copy_from(bosc_ctx *ctx, bool on_host, void *to, const void *from, int64_t bytes)
{
    if (bytes == 0) return BOSC_OK;
    if (!on_host) return ctx->backend->copy(ctx, to, from, (size_t)bytes);
    memcpy(to, from, (size_t)bytes);
    return BOSC_OK;
}

/* Copies the blocks for this rank from all ranks. Starts with its own and goes around, so that ranks do not all read
 * from the same one. */
static bosc_status copy_blocks(bosc_ctx *ctx, bosc_comm *comm, bool on_host, void *received,
                               const int64_t *received_offsets)
{
    const struct group *g = comm->state;
    for (int32_t i = 0; i < g->rank_count; i++) {
        const int32_t r = (int32_t)(((int64_t)comm->rank + i) % g->rank_count);
        const struct exposed *from = &g->exposed[r];
        const int64_t begin = from->offsets[comm->rank], end = from->offsets[comm->rank + 1];
        if (end == begin) continue;
        if (!on_host) (void)bi_comm_open_peer(ctx, comm, from->device);
        BI_TRY(copy_from(ctx, on_host, (char *)received + received_offsets[r], (const char *)from->data + begin,
                         end - begin));
    }
    return BOSC_OK;
}

static bosc_status all_to_all_of_host(bosc_ctx *ctx, bosc_comm *comm, const void *sent, const int64_t *sent_offsets,
                                      void *received, const int64_t *received_offsets)
{
    struct group *g = comm->state;
    g->exposed[comm->rank].data = sent;
    g->exposed[comm->rank].offsets = sent_offsets;
    BI_TRY(barrier(ctx, comm)); /* all ranks have exposed their data */
    const bosc_status copied = copy_blocks(ctx, comm, true, received, received_offsets);
    BI_TRY(barrier(ctx, comm)); /* all copies are done: senders may reuse their memory */
    return copied;
}

/* A rank that fails still takes part: the others wait at the barriers. */
static bosc_status all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets)
{
    struct group *g = comm->state;
    if (on_host) return all_to_all_of_host(ctx, comm, sent, sent_offsets, received, received_offsets);
    /* 1. Expose the data, whose writes may be queued only. */
    bosc_status status = publish_queued(ctx, comm);
    struct exposed *own = &g->exposed[comm->rank];
    own->data = sent;
    own->offsets = sent_offsets;
    own->device = bi_comm_device_of(ctx) ? ctx->memory.device : BI_COMM_HOST;
    BI_TRY(barrier(ctx, comm));
    /* 2. Copy behind those writes. */
    BI_IF_OK(status, check_one_backend(ctx, g));
    BI_IF_OK(status, await_queued(ctx, comm));
    BI_IF_OK(status, copy_blocks(ctx, comm, false, received, received_offsets));
    /* 3. Later work of all ranks follows the copies: senders may reuse their memory. */
    const bosc_status published = publish_queued(ctx, comm), passed = barrier(ctx, comm);
    if (passed != BOSC_OK) { /* a rank is lost, and the caller may release the memory of the queued copies */
        (void)ctx->backend->sync(ctx);
        return passed;
    }
    const bosc_status awaited = await_queued(ctx, comm);
    BI_IF_OK(status, published);
    return status != BOSC_OK ? status : awaited;
}

/* ---- ends ---- */

static void free_group(struct group *g)
{
    for (int32_t r = 0; r < g->rank_count; r++)
        for (int i = 0; g->exposed[r].device_ops && i < 2; i++)
            g->exposed[r].device_ops->free_event(&g->exposed[r].events[i]);
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

static const struct bi_transport transport = {all_gather, all_to_all, release_end, NULL, publish_queued, await_queued};

static bosc_status create_group(bosc_ctx *ctx, int32_t rank_count, struct group **group)
{
    pthread_condattr_t monotonic;
    struct group *g = bi_host_alloc(ctx, group_bytes(rank_count));
    if (!g) return BOSC_ERR_NOMEM;
    memset(g, 0, group_bytes(rank_count));
    g->host = ctx->host;
    g->rank_count = rank_count;
    g->spins = rank_count <= bi_threads_that_spin();
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
