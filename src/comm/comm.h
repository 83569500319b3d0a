/* Communicators, and the exchanges of distributed structures.
 *
 * All ranks must take part in the same exchanges, even after one of them fails. So a rank that fails between two
 * exchanges does not return: it passes its status to the next one (`local_status`), which then fails on all ranks
 * alike:
 *
 *     bosc_status local_status = work(ctx, ...);
 *     BI_TRY(bi_comm_agree(ctx, comm, local_status));
 *
 * After a BI_TRY of one of these functions either all ranks continue or all return. */
#ifndef BI_COMM_COMM_H
#define BI_COMM_COMM_H

#include <boscage/comm.h>

#include "core/check.h"

/* Evaluates an expression, and `status` becomes its value, unless `status` is a failure already. With a status of this
 * rank alone (`local_status`) the expression must not exchange anything: all ranks take part in every exchange, after a
 * failure too (above). With a status on which all ranks have agreed it may: all ranks then skip it. */
#define BI_IF_OK(status, ...)                              \
    do {                                                   \
        if ((status) == BOSC_OK) (status) = (__VA_ARGS__); \
    } while (0)

#ifdef __cplusplus
extern "C" {
#endif

/* Moves data between ranks. BOSC_ERR_COMM from these means that a rank was lost; any other failure concerns this rank
 * alone, and the others continue. */
struct bi_transport {
    /* As bosc_comm_transport; host memory. */
    bosc_status (*all_gather)(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received);
    /* The same in the backend's memory, or in host memory if `on_host`. Device memory: the exchange is queued; work
     * that this rank queues later reads the received bytes, and may overwrite the sent ones. Host memory: done on
     * return. */
    bosc_status (*all_to_all)(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets);
    void (*release)(bosc_comm *comm);
    /* Finds out if ranks share memory, and sets comm->sharing. All ranks call it. NULL: they do if
     * publish_queued is not NULL. */
    bosc_status (*find_sharing)(bosc_ctx *ctx, bosc_comm *comm);
    /* Orders the work that ranks queue, where they share memory; else NULL. publish_queued comes before an exchange of
     * host memory and await_queued after it: this rank's further work then follows all work that any rank had queued
     * when it called publish_queued. Between threads neither waits. */
    bosc_status (*publish_queued)(bosc_ctx *ctx, bosc_comm *comm);
    bosc_status (*await_queued)(bosc_ctx *ctx, bosc_comm *comm);
};

/* Memory of other ranks that kernels access. ADDRESSES: all, by its addresses. HANDLES: memory of devices that has been
 * exported (comm/ipc.h); ranks are processes of one host. */
enum bi_sharing { BI_SHARING_UNKNOWN, BI_SHARES_NOTHING, BI_SHARES_ADDRESSES, BI_SHARES_HANDLES };

struct bi_ipc;

enum { BI_COMM_MESSAGE = 256 }; /* bytes of an error message that is sent to other ranks */

struct bosc_comm {
    const struct bi_transport *transport;
    struct bi_memory host; /* allocator of this struct */
    int32_t rank, rank_count;
    double timeout;
    void *state; /* the transport's */
    bool broken; /* a rank was lost */
    enum bi_sharing sharing;
    struct bi_ipc *ipc; /* of BI_SHARES_HANDLES; else NULL */
    void *gather;       /* host: rank_count x BI_COMM_MESSAGE bytes, of bi_comm_agree */
    int64_t *lists;     /* host: 5 (rank_count + 1), of bi_comm_count; the first 2 are transports' */
    int64_t exchanges, bytes;
    double seconds;
    uint64_t orders;     /* calls of publish_queued; its parity selects the event */
    bosc_status pending; /* a failure of this rank within its last exchange, which the next agreement reports */
    char pending_message[BI_COMM_MESSAGE];
    /* Bit d: device `peers_of`, that of this rank's context, can access the memory of device d (d < 64; others are
     * opened each time). */
    uint64_t open_peers;
    int32_t peers_of;
};

/* Creates this rank's end of a communicator. The caller sets the transport's state. */
bosc_status bi_comm_create_end(bosc_ctx *ctx, int32_t rank, int32_t rank_count, const bosc_comm_opts *opts,
                               const struct bi_transport *transport, bosc_comm **comm);

/* Checks the arguments with which this rank creates a communicator. */
bosc_status bi_comm_check_create(bosc_ctx *ctx, int32_t rank, int32_t rank_count, bosc_comm **comm);

/* Checks the time-out of a communicator's options, in seconds; 0: the default. */
bosc_status bi_comm_check_timeout(bosc_ctx *ctx, double timeout);

/* Checks that comm is not NULL: without one this rank cannot take part in an exchange. */
bosc_status bi_comm_check(bosc_ctx *ctx, const bosc_comm *comm);

/* Leaves a failure of this rank alone, and its message, to its next agreement, which all ranks reach. */
void bi_comm_defer(bosc_ctx *ctx, bosc_comm *comm, bosc_status status);

/* For exchanges that agree: local_status, or else the deferred failure, whose message becomes the context's. */
bosc_status bi_comm_take_deferred(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status);

/* Sends the message of rank `failed` to all ranks and returns its status. All ranks call it. */
bosc_status bi_comm_share_failure(bosc_ctx *ctx, bosc_comm *comm, int32_t failed, bosc_status status);

/* Combines the statuses of all ranks: BOSC_OK if all are, else on every rank the status and message of the lowest rank
 * that failed. */
bosc_status bi_comm_agree(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status);

/* The same, and BOSC_ERR_ARG on all ranks if the value of an argument differs from that of rank 0. */
bosc_status bi_comm_check_equal(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const char *argument,
                                int64_t value);

/* Gathers `bytes` bytes of every rank in rank order; host memory. */
bosc_status bi_comm_all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received);

/* Replicates an array in the backend's memory: block r, items offsets[r] to offsets[r + 1] - 1, is rank r's, in place
 * on that rank, and then on all. offsets: (rank_count + 1), host, equal on all ranks. A rank sends to one other at a
 * time, as the blocks of an exchange do not overlap: so none is copied once for each rank. All ranks agree. */
bosc_status bi_comm_all_gather_blocks(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *offsets,
                                      size_t item_size, void *array);

/* As the transport's function; offsets are in bytes. */
bosc_status bi_comm_all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                               const int64_t *sent_offsets, void *received, const int64_t *received_offsets);

/* bi_comm_agree and an exchange of one number from every rank to every rank. counts: (rank_count), the number for each
 * rank; read only if `local_status` is BOSC_OK. received: (rank_count), the number from each rank; set on success. */
bosc_status bi_comm_count(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                          int64_t *received);

/* values[i] becomes its sum over all ranks, on every rank; host memory. */
bosc_status bi_comm_sum(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t *values, int64_t n);

/* *offset: the sum of `count` over lower ranks. *total: over all ranks. Either may be NULL. */
bosc_status bi_comm_offset(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t count, int64_t *offset,
                           int64_t *total);

/* Sets comm->sharing if it is unknown. All ranks call it. */
bosc_status bi_comm_find_sharing(bosc_ctx *ctx, bosc_comm *comm);

/* Lets this rank's device access the memory of another device, once. False: it cannot. */
bool bi_comm_open_peer(bosc_ctx *ctx, bosc_comm *comm, int32_t device);

/* A personalised exchange of items among all ranks. This rank sends items sent_offsets[r] to sent_offsets[r + 1] - 1 to
 * rank r and stores items from rank r at received_offsets[r]; arrays are in the backend's memory. */
struct bi_exchange {
    int32_t rank_count;
    int64_t *sent_offsets, *received_offsets; /* (rank_count + 1), host */
    int64_t *sent_bytes, *received_bytes;     /* the same in bytes, for the array that is sent */
    /* Where ranks share memory: (rank_count), host: in the received array of each rank, the position of the first item
     * from this one, and in its sent array that of the first item for this one. */
    int64_t *remote_offsets, *remote_sent_offsets;
    char **blocks;          /* (BI_MAX_WINDOWS, rank_count), of open windows */
    int64_t sent, received; /* items */
};

/* Exchanges the numbers of items. counts: (rank_count), host: items for each rank. The caller calls bi_exchange_end,
 * after a failure too. */
bosc_status bi_exchange_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                              struct bi_exchange *x);

/* Sends an array of items; may be called for several arrays. `local_status` covers the allocation of x->received
 * items. The items are there for further work of this rank's queue. */
bosc_status bi_exchange_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                              size_t item_size, const void *items, void *received);

/* The same, but a failure of this rank alone is reported by the next exchange: *local_status is read as `local_status`
 * and set to the status of this rank. */
bosc_status bi_exchange_items_deferred(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                       const struct bi_exchange *x, size_t item_size, const void *items,
                                       void *received);

/* Sends replies: one item for each received item, back to the rank and the index that it came from. */
bosc_status bi_exchange_replies(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                                size_t item_size, const void *replies, void *received);

bosc_status bi_exchange_replies_deferred(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                         const struct bi_exchange *x, size_t item_size, const void *replies,
                                         void *received);

void bi_exchange_end(bosc_ctx *ctx, struct bi_exchange *x);

/* ---- windows: arrays that the work of other ranks accesses where they lie ---- */

enum { BI_MAX_WINDOWS = 3 }; /* of one call: their addresses fit one small exchange */

/* WRITE: this rank writes items into the received arrays of the others. READ: it reads replies to its items from the
 * received arrays of the others. READ_SENT: it reads the items for it from their sent arrays. READ_WHOLE: it reads any
 * element of their arrays, of any lengths, only where ranks share memory; there are no copies. ANSWER: it reads
 * window 0 as for READ_SENT, and writes an answer to each of these items into the other windows: senders' arrays. */
enum bi_window_access { BI_WINDOW_WRITE, BI_WINDOW_READ, BI_WINDOW_READ_SENT, BI_WINDOW_READ_WHOLE, BI_WINDOW_ANSWER };

/* This rank's array of items, in the backend's memory, and its blocks in the arrays of all ranks: between open and
 * close, this rank accesses the items that it exchanges with rank r from blocks[r] on. */
struct bi_window {
    size_t item_size;
    void *items;
    char **blocks; /* (rank_count), host: set by open; the exchange's memory */
    char *copy;    /* scratch that has the blocks, where ranks share no memory */
};

struct bi_windows {
    enum bi_window_access access;
    int count;
    struct bi_window of[BI_MAX_WINDOWS];
    bool are_shared; /* set by open: the blocks lie in the arrays. Else the exchange sends or has received copies */
};

/* Opens windows on all ranks. For READ_WHOLE, x has the number of ranks and the memory of the blocks only.
 * *local_status is read, and covers the allocation of the arrays; then it is this rank's own, for close, which every
 * rank calls if open succeeded. If it is a failure, this rank leaves its blocks alone. The copies are scratch, which
 * the caller releases after close. Neither function waits for queued work. */
bosc_status bi_exchange_open_windows(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                     const struct bi_exchange *x, struct bi_windows *windows);

/* Ends the accesses. All ranks agree; further work of this rank follows all accesses to its arrays. */
bosc_status bi_exchange_close_windows(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                      const struct bi_exchange *x, const struct bi_windows *windows);

#ifdef __cplusplus
}
#endif
#endif
