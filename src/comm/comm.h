/* Inside an end of a communicator, and the exchanges that distributed structures are made of.
 *
 * All ranks must come to the same exchanges, whatever happens to one of them. So a rank that fails between two
 * exchanges does not return: it brings its status to the next one (`local_status`), which then fails on all ranks
 * alike:
 *
 *     bosc_status local_status = work(ctx, ...);
 *     BI_TRY(bi_comm_agree(ctx, comm, local_status));
 *
 * After a BI_TRY of these functions all ranks go on, or none. */
#ifndef BI_COMM_COMM_H
#define BI_COMM_COMM_H

#include <boscage/comm.h>

#include "core/check.h"

#ifdef __cplusplus
extern "C" {
#endif

/* How ranks reach each other. BOSC_ERR_COMM of these means that a rank was lost; any other failure is this rank's
 * alone, and the others go on. */
struct bi_transport {
    /* As bosc_comm_transport; host memory. */
    bosc_status (*all_gather)(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received);
    /* The same, in the backend's memory, or in host memory if `on_host`. Waits. */
    bosc_status (*all_to_all)(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                              const int64_t *sent_offsets, void *received, const int64_t *received_offsets);
    void (*release)(bosc_comm *comm);
};

struct bosc_comm {
    const struct bi_transport *transport;
    struct bi_memory host; /* whose memory this is */
    int32_t rank, rank_count;
    double timeout;
    void *state;    /* the transport's */
    bool broken;    /* a rank was lost */
    void *gather;   /* host: rank_count x BI_COMM_MESSAGE bytes, of bi_comm_agree */
    int64_t *lists; /* host: 5 (rank_count + 1), of bi_comm_count */
    int64_t exchanges, bytes;
    double seconds;
};

enum { BI_COMM_MESSAGE = 256 }; /* bytes of a message that goes to the other ranks */

/* A new end. Its transport's state is set by the caller. */
bosc_status bi_comm_make(bosc_ctx *ctx, int32_t rank, int32_t rank_count, const bosc_comm_opts *opts,
                         const struct bi_transport *transport, bosc_comm **comm);

/* ctx is there (BI_ENTER); the end must be, too: without one a rank cannot come to an exchange. */
bosc_status bi_comm_check(bosc_ctx *ctx, const bosc_comm *comm);

/* All ranks tell how they are: BOSC_OK if all are well, else on every rank the status and message of the lowest one
 * that is not. */
bosc_status bi_comm_agree(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status);

/* The same, and BOSC_ERR_ARG on all ranks if the value of an argument is not that of rank 0. */
bosc_status bi_comm_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const char *argument, int64_t value);

/* `bytes` bytes of every rank, host memory, by rank. */
bosc_status bi_comm_all_gather(bosc_ctx *ctx, bosc_comm *comm, const void *sent, size_t bytes, void *received);

/* As the transport's; sent_offsets and received_offsets in bytes. */
bosc_status bi_comm_all_to_all(bosc_ctx *ctx, bosc_comm *comm, bool on_host, const void *sent,
                               const int64_t *sent_offsets, void *received, const int64_t *received_offsets);

/* All ranks tell how they are, and each rank a number, as bi_comm_agree and an exchange. counts: (rank_count): for each
 * rank; not read unless `local_status` is BOSC_OK. received: (rank_count): of each rank; set if all are well. */
bosc_status bi_comm_count(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                          int64_t *received);

/* values[i] becomes the sum over the ranks, on every one of them; host memory. */
bosc_status bi_comm_sum(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t *values, int64_t n);

/* *before: the sum of `count` over the ranks below this one. *total: over all. Either may be NULL. */
bosc_status bi_comm_offset(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t count, int64_t *before,
                           int64_t *total);

/* Items on their way from all ranks to all ranks. Items for rank r are those from sent_offsets[r] on, in the backend's
 * memory; those that it sends here come to received_offsets[r]. */
struct bi_exchange {
    int32_t rank_count;
    int64_t *sent_offsets, *received_offsets; /* (rank_count + 1), host */
    int64_t *sent_at, *received_at;           /* the same in bytes, of the array that moves */
    int64_t sent, received;                   /* items */
};

/* Ranks tell each other how many items will come.
 * counts: (rank_count), host: for each rank. Ended by bi_exchange_end, on a failure too. */
bosc_status bi_exchange_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const int64_t *counts,
                              struct bi_exchange *x);

/* Moves an array of items, as often as there are arrays. `local_status` is that of taking memory for x->received items.
 * Waits. */
bosc_status bi_exchange_items(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                              size_t item_size, const void *items, void *received);

/* The same, but that a failure which is this rank's alone is told in the next exchange. *local_status: as
 * `local_status`, and then how
 * this rank is. */
bosc_status bi_exchange_move(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status, const struct bi_exchange *x,
                             size_t item_size, const void *items, void *received);

/* The way back: an item for each one that was received, to the rank and the place that it came from. */
bosc_status bi_exchange_answers(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const struct bi_exchange *x,
                                size_t item_size, const void *answers, void *received);

bosc_status bi_exchange_move_back(bosc_ctx *ctx, bosc_comm *comm, bosc_status *local_status,
                                  const struct bi_exchange *x, size_t item_size, const void *answers, void *received);

void bi_exchange_end(bosc_ctx *ctx, struct bi_exchange *x);

#ifdef __cplusplus
}
#endif
#endif
