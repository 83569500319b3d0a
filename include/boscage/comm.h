/* boscage/comm.h - communicators: the ranks of one program, which hold slices of the same data and make the same calls.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A communicator joins `size` ranks, numbered from 0. Each rank has one end of it, a bosc_comm, and a context of its
 * own. Ranks are the threads of a process (bosc_comm_create_threads), the processes of an MPI program
 * (boscage/mpi.h, libboscage_mpi), contexts of CUDA devices between which NCCL moves data (boscage/nccl.h), or whatever
 * a transport of the caller's joins (bosc_comm_create).
 *
 * A collective call is made by all ranks, in the same order, each with its own context and end. It returns the same
 * status on every rank: if it fails on one, it fails on all, with the status and the message of the lowest rank that
 * failed ("rank 2: k: 0 is less than 1"), and the communicator can be used on. A rank that does not come within the
 * time-out is lost: then the call returns BOSC_ERR_COMM on the others, and so does every later one.
 *
 * One thread uses an end at a time. Sources: Message Passing Interface Forum, MPI: A Message-Passing Interface
 * Standard, version 4.0 (2021), whose words are used here. */
#ifndef BOSCAGE_COMM_H
#define BOSCAGE_COMM_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* One rank's end of a communicator. It may outlive the context that made it. */
typedef struct bosc_comm bosc_comm;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_comm_opts {
    size_t size;
    double timeout; /* seconds that a rank waits for another one in an exchange, finite; 0: 300. Ranks may come as much
                     * later than each other as their work differs */
} bosc_comm_opts;

/* Makes a communicator of one rank.
 * opts: NULL: all defaults. comm: set on success. */
BOSC_API bosc_status bosc_comm_create_self(bosc_ctx *ctx, const bosc_comm_opts *opts, bosc_comm **comm);

/* Makes a communicator whose ranks are threads of this process. Data goes from one rank's memory to the other's in one
 * copy, between devices too, so all contexts must be of one backend.
 * ctx: gives the memory of the ends, and is not kept: each rank calls with a context of its own.
 * rank_count: 1 to 4096.
 * opts: NULL: all defaults.
 * comms: (rank_count), host; set on success: comms[r] is the end of rank r, to be used and freed by the thread that is
 * rank r. */
BOSC_API bosc_status bosc_comm_create_threads(bosc_ctx *ctx, int32_t rank_count, const bosc_comm_opts *opts,
                                              bosc_comm **comms);

/* How a caller's own ranks reach each other. All ranks call the same function at the same time; memory is the host's,
 * and is the caller's again when the function returns. Each returns 0, or anything else if a rank was lost: the
 * communicator can then not be used any more. Set `size`. */
typedef struct bosc_comm_transport {
    size_t size;
    void *user;
    /* `bytes` bytes of every rank to every rank: those of rank r to received + r * bytes. */
    int (*all_gather)(void *user, const void *sent, size_t bytes, void *received, double timeout);
    /* Bytes sent_offsets[r] to sent_offsets[r + 1] - 1 of `sent` go to rank r; those that rank r sends here come to
     * received + received_offsets[r]. Both offsets: (ranks + 1). */
    int (*all_to_all)(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout);
    /* The end is freed; may be NULL. */
    void (*release)(void *user);
} bosc_comm_transport;

/* Makes this rank's end of a communicator that a transport of the caller's joins. Arrays of a device are copied through
 * host memory.
 * transport: copied. rank: from 0. rank_count: 1 or more, the same on all ranks.
 * opts: NULL: all defaults. comm: set on success; on a failure nothing of the transport is called. */
BOSC_API bosc_status bosc_comm_create(bosc_ctx *ctx, const bosc_comm_transport *transport, int32_t rank,
                                      int32_t rank_count, const bosc_comm_opts *opts, bosc_comm **comm);

/* Frees this rank's end; NULL is allowed. Ranks of threads that wait for it, or will, get BOSC_ERR_COMM; those of other
 * kinds when their time is over. */
BOSC_API void bosc_comm_free(bosc_comm *comm);

/* Waits until all ranks have called it. Collective. */
BOSC_API bosc_status bosc_comm_barrier(bosc_ctx *ctx, bosc_comm *comm);

typedef struct bosc_comm_info {
    size_t size;
    int32_t rank, rank_count;
    int64_t exchanges; /* times that all ranks met, since the end was made */
    int64_t bytes;     /* that this rank has sent to others */
    double seconds;    /* in exchanges, waiting for other ranks included */
    int32_t broken;    /* 1: a rank was lost, and the communicator cannot be used any more; else 0 */
    int32_t reserved;
} bosc_comm_info;

/* Describes this rank's end. Set info->size before the call. */
BOSC_API bosc_status bosc_comm_get_info(bosc_ctx *ctx, const bosc_comm *comm, bosc_comm_info *info);

BOSC_END_DECLS
#endif
