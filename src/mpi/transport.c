/* The MPI transport: only non-blocking calls, so that every wait has a time-out. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <boscage/mpi.h>

#include "mpi/mpi.h"

enum { TAG = 1 };
static const int64_t CHUNK = (int64_t)1 << 30; /* bytes of a message: MPI's counts are int */
static const size_t SMALL = (size_t)1 << 16;   /* bytes a rank up to which MPI_Iallgather gathers: chosen */
enum { SPINS = 2000, NAP = 50000 };            /* polls before the thread sleeps between them, nanoseconds: chosen */

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
        if (MPI_Testall(count, requests, &done, MPI_STATUSES_IGNORE) != MPI_SUCCESS) return 1;
        if (done) return 0;
        if (poll < SPINS) continue;
        if (now() > deadline) return 2;
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
        const int failed = receive ? MPI_Irecv(block + at, count, MPI_BYTE, other, TAG, e->comm, request)
                                   : MPI_Isend(block + at, count, MPI_BYTE, other, TAG, e->comm, request);
        if (failed != MPI_SUCCESS) return 1;
    }
    return 0;
}

/* Each rank begins with its neighbour, so that ranks do not all send to the same one. */
static int post_blocks(const struct mpi_end *e, struct requests *q, bool receive, char *base, const int64_t *offsets)
{
    for (int i = 1; i < e->rank_count; i++) {
        const int r = receive ? (e->rank + e->rank_count - i) % e->rank_count : (e->rank + i) % e->rank_count;
        if (post_block(e, q, receive, r, base + offsets[r], offsets[r + 1] - offsets[r]) != 0) return 1;
    }
    return 0;
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

int bi_mpi_all_to_all(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout)
{
    struct mpi_end *e = user;
    struct requests q = {0};
    const int64_t count = count_messages(e, sent_offsets) + count_messages(e, received_offsets);
    const int64_t own = sent_offsets[e->rank + 1] - sent_offsets[e->rank];
    if (own)
        memcpy((char *)received + received_offsets[e->rank], (const char *)sent + sent_offsets[e->rank], (size_t)own);
    if (count == 0) return 0;
    if (count > INT_MAX || !(q.list = malloc((size_t)count * sizeof *q.list))) return 3;
    int result = post_blocks(e, &q, true, received, received_offsets);
    q.receives = q.count;
    if (result == 0) result = post_blocks(e, &q, false, (char *)(uintptr_t)sent, sent_offsets);
    if (result == 0) result = await_requests(q.count, q.list, now() + timeout);
    if (result != 0) cancel_requests(&q);
    free(q.list);
    return result;
}

/* ---- gathering ---- */

/* Gathers through a private buffer: a collective cannot be cancelled, and MPI may write to it later if a rank is
 * lost. */
static int gather_small(struct mpi_end *e, const void *sent, size_t bytes, void *received, double timeout)
{
    const size_t all = bytes * (size_t)e->rank_count;
    char *buffer = malloc(bytes + all + 1);
    MPI_Request request;
    if (!buffer) return 3;
    memcpy(buffer, sent, bytes);
    if (MPI_Iallgather(buffer, (int)bytes, MPI_BYTE, buffer + bytes, (int)bytes, MPI_BYTE, e->comm, &request) !=
        MPI_SUCCESS)
        return 1;
    const int result = await_requests(1, &request, now() + timeout);
    if (result != 0) return result; /* the buffer leaks on purpose */
    memcpy(received, buffer + bytes, all);
    free(buffer);
    return 0;
}

int bi_mpi_all_gather(void *user, const void *sent, size_t bytes, void *received, double timeout)
{
    struct mpi_end *e = user;
    if (bytes <= SMALL) return gather_small(e, sent, bytes, received, timeout);
    struct requests q = {0};
    const int64_t count = 2 * (int64_t)(e->rank_count - 1) * count_chunks((int64_t)bytes);
    memcpy((char *)received + (size_t)e->rank * bytes, sent, bytes);
    if (count == 0) return 0;
    if (count > INT_MAX || !(q.list = malloc((size_t)count * sizeof *q.list))) return 3;
    /* Receive from every other rank, then send to every other rank. */
    int result = 0;
    for (int i = 1; i < e->rank_count && result == 0; i++) {
        const int r = (e->rank + e->rank_count - i) % e->rank_count;
        result = post_block(e, &q, true, r, (char *)received + (size_t)r * bytes, (int64_t)bytes);
    }
    q.receives = q.count;
    for (int i = 1; i < e->rank_count && result == 0; i++)
        result = post_block(e, &q, false, (e->rank + i) % e->rank_count, (char *)(uintptr_t)sent, (int64_t)bytes);
    if (result == 0) result = await_requests(q.count, q.list, now() + timeout);
    if (result != 0) cancel_requests(&q);
    free(q.list);
    return result;
}
