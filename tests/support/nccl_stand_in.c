/* Stand-in for libnccl.so.2, for ranks as threads with emulated devices: the functions that the library loads,
 * with NCCL's semantics. Calls are queued. Messages move when the stream reaches them, in the order of the calls
 * between
 * two ranks. A group is complete when all of its messages have been received. A receive without a matching send waits
 * until its communicator is aborted. Communicators are non-blocking: creation and finalisation complete once all ranks
 * have called them.
 *
 * STAND_IN_VERSION: the reported version. STAND_IN_FAILS: number of exchanges before all later ones fail. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#pragma GCC diagnostic ignored "-Wmissing-prototypes" /* they are in nccl.h, which is not needed */
#define EXPORT __attribute__((visibility("default")))

#ifndef STAND_IN_VERSION
#define STAND_IN_VERSION 22809
#endif

enum { SUCCESS = 0, INVALID_ARGUMENT = 4, INVALID_USAGE = 5, REMOTE_ERROR = 6, IN_PROGRESS = 7 };
enum { MOST_RANKS = 64, MOST_CALLS = 2 * MOST_RANKS }; /* chosen; a send and a receive per rank */

typedef struct {
    char bytes[128];
} unique_id;

struct config {
    size_t size;
    unsigned magic, version;
    int blocking;
};

/* Defined by the program: the thread's device; and a queue entry whose attempt is repeated, when the stream is
 * waited for, until it returns nonzero. */
extern int emulated_device(void);
extern void emulated_queue_attempt(void *stream, int (*advance_batch)(void *), void *user);

/* A message that its sender's stream has reached. */
struct message {
    const char *data;
    size_t bytes;
    struct batch *from;
    struct message *next;
};

struct group {
    unique_id id;
    int rank_count, joined, left, ended; /* ended: number of ranks that finalised, or left without that */
    struct message *first[MOST_RANKS][MOST_RANKS], *last[MOST_RANKS][MOST_RANKS]; /* from, to */
    struct group *next;
};

struct ncclComm {
    struct group *group;
    int rank, device, aborted, finalized, error;
    int references; /* by the caller and by batches */
    int exchanges;
};

struct call {
    int is_send, peer;
    char *data;
    size_t bytes;
    int done;
};

/* The calls of a group on one communicator. */
struct batch {
    struct ncclComm *comm;
    int count, posted, received; /* posted: its messages are visible; received: number of its messages received */
    struct call calls[MOST_CALLS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct group *groups;
static unsigned long long ids;

/* ---- communicators ---- */

/* Requires the lock. */
static void release_reference(struct ncclComm *comm)
{
    if (--comm->references == 0) free(comm);
}

/* Requires the lock. Frees the group with its last rank. */
static void leave_group(struct ncclComm *comm)
{
    struct group *g = comm->group, **at = &groups;
    if (++g->left < g->joined || g->joined < g->rank_count)
        return; /* an incomplete group stays, for ranks that still join */
    while (*at != g) at = &(*at)->next;
    *at = g->next;
    free(g);
    comm->group = NULL;
}

EXPORT int ncclGetVersion(int *version)
{
    *version = STAND_IN_VERSION;
    return SUCCESS;
}

EXPORT const char *ncclGetErrorString(int result)
{
    switch (result) {
    case INVALID_ARGUMENT: return "invalid argument";
    case INVALID_USAGE: return "invalid usage";
    case REMOTE_ERROR: return "remote process exited or there was a network error";
    default: return "some error";
    }
}

EXPORT int ncclGetUniqueId(unique_id *id)
{
    memset(id, 0, sizeof *id);
    pthread_mutex_lock(&lock);
    snprintf(id->bytes, sizeof id->bytes, "stand-in %llu", ids++);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

/* Requires the lock. Finds or creates the group of an id. */
static struct group *find_or_create_group(const unique_id *id, int rank_count)
{
    struct group *g = groups;
    while (g && memcmp(&g->id, id, sizeof *id) != 0) g = g->next;
    if (g) return g;
    g = calloc(1, sizeof *g);
    g->id = *id;
    g->rank_count = rank_count;
    g->next = groups;
    return groups = g;
}

EXPORT int ncclCommInitRankConfig(struct ncclComm **comm, int rank_count, unique_id id, int rank, struct config *config)
{
    *comm = NULL;
    if (config->magic != 0xcafebeef || config->version < 21400 || config->size < sizeof *config || config->blocking)
        return INVALID_ARGUMENT;
    if (rank_count < 1 || rank_count > MOST_RANKS || rank < 0 || rank >= rank_count) return INVALID_ARGUMENT;
    struct ncclComm *fresh = calloc(1, sizeof *fresh);
    pthread_mutex_lock(&lock);
    fresh->group = find_or_create_group(&id, rank_count);
    fresh->rank = rank;
    fresh->device = emulated_device();
    fresh->references = 1;
    fresh->group->joined++;
    pthread_mutex_unlock(&lock);
    *comm = fresh;
    return IN_PROGRESS;
}

EXPORT int ncclCommGetAsyncError(struct ncclComm *comm, int *result)
{
    pthread_mutex_lock(&lock);
    const struct group *g = comm->group;
    const int waits = g->joined < g->rank_count || (comm->finalized && g->ended < g->rank_count);
    *result = comm->error ? comm->error : waits ? IN_PROGRESS : SUCCESS;
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

static void discard_messages(const struct ncclComm *comm);

/* Ends a communicator, finalised or not. */
static int end_communicator(struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    comm->aborted = 1; /* its batches no longer use the group */
    discard_messages(comm);
    if (!comm->finalized) comm->group->ended++;
    leave_group(comm);
    release_reference(comm);
    pthread_mutex_unlock(&lock);
    return SUCCESS;
}

EXPORT int ncclCommFinalize(struct ncclComm *comm)
{
    pthread_mutex_lock(&lock);
    comm->finalized = 1;
    comm->group->ended++;
    pthread_mutex_unlock(&lock);
    return IN_PROGRESS;
}

EXPORT int ncclCommAbort(struct ncclComm *comm) { return end_communicator(comm); }
EXPORT int ncclCommDestroy(struct ncclComm *comm) { return end_communicator(comm); }

EXPORT int ncclCommCount(struct ncclComm *comm, int *count)
{
    *count = comm->group->rank_count;
    return SUCCESS;
}

EXPORT int ncclCommUserRank(struct ncclComm *comm, int *rank)
{
    *rank = comm->rank;
    return SUCCESS;
}

EXPORT int ncclCommCuDevice(struct ncclComm *comm, int *device)
{
    *device = comm->device;
    return SUCCESS;
}

/* ---- messages ---- */

/* Makes the batch's messages visible to the receivers, when its stream reaches it. */
static void post_messages(struct batch *b)
{
    struct group *g = b->comm->group;
    for (int i = 0; i < b->count; i++) {
        struct call *c = &b->calls[i];
        if (!c->is_send) continue;
        struct message *m = malloc(sizeof *m), **last = &g->last[b->comm->rank][c->peer];
        *m = (struct message){c->data, c->bytes, b, NULL};
        if (*last)
            (*last)->next = m;
        else
            g->first[b->comm->rank][c->peer] = m;
        *last = m;
    }
    b->posted = 1;
}

static void receive_message(struct batch *b, struct call *c)
{
    struct group *g = b->comm->group;
    struct message *m = g->first[c->peer][b->comm->rank];
    if (!m) return;
    if (m->bytes != c->bytes) b->comm->error = INVALID_USAGE;
    memcpy(c->data, m->data, m->bytes < c->bytes ? m->bytes : c->bytes);
    g->first[c->peer][b->comm->rank] = m->next;
    if (!m->next) g->last[c->peer][b->comm->rank] = NULL;
    m->from->received++;
    c->done = 1;
    free(m);
}

/* Discards the messages of a rank that leaves. */
static void discard_messages(const struct ncclComm *comm)
{
    struct group *g = comm->group;
    for (int peer = 0; peer < g->rank_count; peer++) {
        for (struct message *m = g->first[comm->rank][peer], *next; m; m = next) {
            next = m->next;
            free(m);
        }
        g->first[comm->rank][peer] = g->last[comm->rank][peer] = NULL;
    }
}

static int is_complete(const struct batch *b)
{
    int sends = 0;
    for (int i = 0; i < b->count; i++) {
        if (!b->calls[i].is_send && !b->calls[i].done) return 0;
        sends += b->calls[i].is_send;
    }
    return b->received == sends;
}

/* Advances a batch as far as possible. Returns 1 once it is complete or aborted. */
static int advance_batch(void *user)
{
    struct batch *b = user;
    pthread_mutex_lock(&lock);
    if (!b->comm->aborted) {
        if (!b->posted) post_messages(b);
        for (int i = 0; i < b->count; i++) {
            struct call *c = &b->calls[i];
            if (!c->is_send && !c->done) receive_message(b, c);
        }
    }
    const int done = b->comm->aborted || is_complete(b);
    if (done) {
        release_reference(b->comm);
        free(b);
    }
    pthread_mutex_unlock(&lock);
    return done;
}

/* ---- calls ---- */

static _Thread_local struct {
    int depth;
    struct batch *batch;
    void *stream;
} current_group;

static int queue_batch(struct batch *b, void *stream)
{
    pthread_mutex_lock(&lock);
#ifdef STAND_IN_FAILS
    if (b->comm->exchanges >= STAND_IN_FAILS) b->comm->error = REMOTE_ERROR;
#endif
    b->comm->exchanges++;
    b->comm->references++;
    pthread_mutex_unlock(&lock);
    emulated_queue_attempt(stream, advance_batch, b);
    return SUCCESS;
}

static struct batch *current_batch(struct ncclComm *comm, void *stream)
{
    if (!current_group.batch) {
        current_group.batch = calloc(1, sizeof *current_group.batch);
        current_group.batch->comm = comm;
        current_group.stream = stream;
    }
    return current_group.batch;
}

EXPORT int ncclGroupStart(void)
{
    current_group.depth++;
    return SUCCESS;
}

EXPORT int ncclGroupEnd(void)
{
    struct batch *b = current_group.batch;
    if (--current_group.depth > 0 || !b) return SUCCESS;
    current_group.batch = NULL;
    return queue_batch(b, current_group.stream);
}

static int add_call(struct ncclComm *comm, void *stream, struct call call)
{
    if (call.peer < 0 || call.peer >= comm->group->rank_count) return INVALID_ARGUMENT;
    (void)ncclGroupStart();
    struct batch *b = current_batch(comm, stream);
    b->calls[b->count++] = call;
    return ncclGroupEnd();
}

EXPORT int ncclSend(const void *data, size_t count, int type, int peer, struct ncclComm *comm, void *stream)
{
    return type ? INVALID_ARGUMENT : add_call(comm, stream, (struct call){1, peer, (char *)data, count, 0});
}

EXPORT int ncclRecv(void *data, size_t count, int type, int peer, struct ncclComm *comm, void *stream)
{
    return type ? INVALID_ARGUMENT : add_call(comm, stream, (struct call){0, peer, data, count, 0});
}

EXPORT int ncclAllGather(const void *data, void *received, size_t count, int type, struct ncclComm *comm, void *stream)
{
    if (type) return INVALID_ARGUMENT;
    (void)ncclGroupStart();
    for (int r = 0; r < comm->group->rank_count; r++) {
        (void)ncclSend(data, count, type, r, comm, stream); /* also to itself */
        (void)ncclRecv((char *)received + (size_t)r * count, count, type, r, comm, stream);
    }
    return ncclGroupEnd();
}
