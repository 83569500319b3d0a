/* The MPI transport: a rank is a process. Exchanges use only non-blocking calls, so that every wait has a time-out.
 * Also starts and stops MPI for programs that do not. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include <boscage/mpi.h>

enum { TAG = 1 };
static const int64_t CHUNK = (int64_t)1 << 30; /* bytes of a message: MPI's counts are int */
static const size_t SMALL = (size_t)1 << 16;   /* bytes a rank up to which MPI_Iallgather gathers; not measured */
enum { SPINS = 2000, NAP = 50000 };            /* polls before the thread sleeps, as in comm/nccl.c; nanoseconds */

/* This process's end of an MPI communicator. */
struct mpi_end {
    MPI_Comm comm; /* a duplicate, owned by the transport */
    int rank, rank_count;
};

/* Results of the transport's functions: 0 or the kind of the failure. */
enum { DONE = 0, FAILED = 1, TIMED_OUT = 2, OUT_OF_MEMORY = 3 };

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits for all requests, at most until `deadline`. Polls without pause at first, as most messages arrive soon. */
static int await_requests(int count, MPI_Request *requests, double deadline)
{
    const struct timespec pause = {.tv_nsec = NAP};
    for (int64_t poll = 0;; poll++) {
        int done = 0;
        if (MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) return FAILED;
        if (done) return DONE;
        if (poll < SPINS) continue;
        if (now() > deadline) return TIMED_OUT;
        nanosleep(&pause, NULL);
    }
}

/* ---- messages ---- */

struct requests {
    MPI_Request *list;
    int count, receives; /* the first `receives` requests receive */
};

static int64_t count_chunks(int64_t bytes) { return (bytes + CHUNK - 1) / CHUNK; }

/* Number of messages of an exchange, without those of this rank to itself. */
static int64_t count_messages(const struct mpi_end *e, const int64_t *offsets)
{
    int64_t count = 0;
    for (int r = 0; r < e->rank_count; r++)
        if (r != e->rank) count += count_chunks(offsets[r + 1] - offsets[r]);
    return count;
}

/* Posts sends or receives of one block to or from another rank, in chunks. */
static int post_block(const struct mpi_end *e, struct requests *q, bool receive, int other, char *block, int64_t bytes)
{
    for (int64_t at = 0; at < bytes; at += CHUNK) {
        const int count = (int)(bytes - at < CHUNK ? bytes - at : CHUNK);
        MPI_Request *request = &q->list[q->count++];
        *request = MPI_REQUEST_NULL; /* stays if the call fails */
        const int failed = receive ? MPI_Irecv(block + at, count, MPI_BYTE, other, TAG, e->comm, request)
                                   : MPI_Isend(block + at, count, MPI_BYTE, other, TAG, e->comm, request);
        if (failed != MPI_SUCCESS) return FAILED;
    }
    return DONE;
}

/* Posts all sends or receives. Each rank begins with its neighbour, so that ranks do not all send to the same one. */
static int post_blocks(const struct mpi_end *e, struct requests *q, bool receive, char *base, const int64_t *offsets)
{
    for (int i = 1; i < e->rank_count; i++) {
        const int r = receive ? (e->rank + e->rank_count - i) % e->rank_count : (e->rank + i) % e->rank_count;
        if (post_block(e, q, receive, r, base + offsets[r], offsets[r + 1] - offsets[r]) != DONE) return FAILED;
    }
    return DONE;
}

/* Cancels pending receives: they must not write to memory after it returns to the caller. */
static void cancel_requests(struct requests *q)
{
    for (int i = 0; i < q->count; i++) {
        if (q->list[i] == MPI_REQUEST_NULL) continue;
        if (i < q->receives && MPI_Cancel(&q->list[i]) == MPI_SUCCESS)
            MPI_Wait(&q->list[i], MPI_STATUS_IGNORE);
        else
            MPI_Request_free(&q->list[i]);
    }
}

static int all_to_all(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout)
{
    struct mpi_end *e = user;
    struct requests q = {0};
    const int64_t count = count_messages(e, sent_offsets) + count_messages(e, received_offsets);
    const int64_t own = sent_offsets[e->rank + 1] - sent_offsets[e->rank];
    if (own)
        memcpy((char *)received + received_offsets[e->rank], (const char *)sent + sent_offsets[e->rank], (size_t)own);
    if (count == 0) return DONE;
    if (count > INT_MAX || !(q.list = malloc((size_t)count * sizeof *q.list))) return OUT_OF_MEMORY;
    int result = post_blocks(e, &q, true, received, received_offsets);
    q.receives = q.count;
    if (result == DONE) result = post_blocks(e, &q, false, (char *)(uintptr_t)sent, sent_offsets);
    if (result == DONE) result = await_requests(q.count, q.list, now() + timeout);
    if (result != DONE) cancel_requests(&q);
    free(q.list);
    return result;
}

/* ---- gathering ---- */

/* Gathers through a private buffer, which leaks on purpose if that fails: a collective cannot be cancelled, and MPI may
 * write to the buffer later if a rank is lost. */
static int gather_small(struct mpi_end *e, const void *sent, size_t bytes, void *received, double timeout)
{
    const size_t all = bytes * (size_t)e->rank_count;
    char *buffer = malloc(bytes + all + 1); /* never of 0 bytes */
    MPI_Request request;
    if (!buffer) return OUT_OF_MEMORY;
    memcpy(buffer, sent, bytes);
    if (MPI_Iallgather(buffer, (int)bytes, MPI_BYTE, buffer + bytes, (int)bytes, MPI_BYTE, e->comm, &request) !=
        MPI_SUCCESS)
        return FAILED;
    const int result = await_requests(1, &request, now() + timeout);
    if (result != DONE) return result;
    memcpy(received, buffer + bytes, all);
    free(buffer);
    return DONE;
}

static int all_gather(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    struct mpi_end *e = user;
    if (bytes <= SMALL) return gather_small(e, sent, bytes, received, timeout);
    struct requests q = {0};
    const int64_t count = 2 * (int64_t)(e->rank_count - 1) * count_chunks((int64_t)bytes);
    memcpy((char *)received + (size_t)e->rank * bytes, sent, bytes);
    if (count == 0) return DONE;
    if (count > INT_MAX || !(q.list = malloc((size_t)count * sizeof *q.list))) return OUT_OF_MEMORY;
    /* Receive from every other rank, then send to every other rank. */
    int result = DONE;
    for (int i = 1; i < e->rank_count && result == DONE; i++) {
        const int r = (e->rank + e->rank_count - i) % e->rank_count;
        result = post_block(e, &q, true, r, (char *)received + (size_t)r * bytes, (int64_t)bytes);
    }
    q.receives = q.count;
    for (int i = 1; i < e->rank_count && result == DONE; i++)
        result = post_block(e, &q, false, (e->rank + i) % e->rank_count, (char *)(uintptr_t)sent, (int64_t)bytes);
    if (result == DONE) result = await_requests(q.count, q.list, now() + timeout);
    if (result != DONE) cancel_requests(&q);
    free(q.list);
    return result;
}

/* ---- ends ---- */

static bool started; /* MPI was initialised by bosc_mpi_start */

static bool is_running(void)
{
    int initialized = 0, finalized = 0;
    return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized && MPI_Finalized(&finalized) == MPI_SUCCESS &&
           !finalized;
}

bosc_status bosc_mpi_start(void)
{
    int initialized = 0, given;
    if (MPI_Initialized(&initialized) != MPI_SUCCESS) return BOSC_ERR_COMM;
    if (initialized) return is_running() ? BOSC_OK : BOSC_ERR_ARG;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) return BOSC_ERR_COMM;
    started = true;
    return BOSC_OK;
}

void bosc_mpi_stop(void)
{
    if (started && is_running()) MPI_Finalize();
    started = false;
}

static void release_end(void *user)
{
    struct mpi_end *e = user;
    if (is_running()) MPI_Comm_free(&e->comm);
    free(e);
}

/* Returns 0 on success. */
static int open_end(MPI_Comm from, struct mpi_end *e)
{
    if (MPI_Comm_dup(from, &e->comm) != MPI_SUCCESS) return 1;
    if (MPI_Comm_set_errhandler(e->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
        MPI_Comm_rank(e->comm, &e->rank) == MPI_SUCCESS && MPI_Comm_size(e->comm, &e->rank_count) == MPI_SUCCESS)
        return 0;
    MPI_Comm_free(&e->comm);
    return 1;
}

bosc_status bosc_mpi_transport(const void *mpi_comm, bosc_comm_transport *transport, int32_t *rank, int32_t *rank_count)
{
    if (!transport || transport->size != sizeof *transport || !rank || !rank_count || !is_running())
        return BOSC_ERR_ARG;
    struct mpi_end *e = malloc(sizeof *e);
    if (!e) return BOSC_ERR_NOMEM;
    if (open_end(mpi_comm ? *(const MPI_Comm *)mpi_comm : MPI_COMM_WORLD, e) != 0) {
        free(e);
        return BOSC_ERR_COMM;
    }
    *transport = (bosc_comm_transport){sizeof *transport, e, all_gather, all_to_all, release_end};
    *rank = e->rank;
    *rank_count = e->rank_count;
    return BOSC_OK;
}
