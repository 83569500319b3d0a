/* boscage/comm.h - communicators: the ranks of one program, which hold slices of the data and make the same calls.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_comm_create_threads
 *
 * A communicator joins `size` ranks, numbered from 0. Each rank has one end of it, a bosc_comm, and a context of its
 * own. Ranks are threads of a process (bosc_comm_create_threads), processes of an MPI program (boscage/mpi.h,
 * libboscage_mpi), contexts of CUDA devices joined by NCCL (boscage/nccl.h), or joined by a transport of the caller's
 * (bosc_comm_create).
 *
 * All ranks make a collective call, in the same order, each with its own context and end. It returns the same status on
 * every rank: the status and the message of the lowest rank that failed ("rank 2: k: 0 is less than 1"). The
 * communicator stays usable. A rank that does not arrive within the time-out is lost: the call, and every later one,
 * then returns BOSC_ERR_COMM on the other ranks.
 *
 * One thread uses an end at a time. Terms are those of Message Passing Interface Forum, MPI: A Message-Passing
 * Interface Standard, version 4.0 (2021). */
#ifndef BOSCAGE_COMM_H
#define BOSCAGE_COMM_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* One rank's end of a communicator. It may outlive the context that made it. */
typedef struct bosc_comm bosc_comm;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_comm_opts {
    size_t size;
    double timeout; /* seconds that a rank waits for another one in an exchange, finite; 0: 300. Set it above the
                     * difference in the ranks' work */
} bosc_comm_opts;

/* Makes a communicator of one rank.
 * opts: NULL means the defaults.
 * comm: set on success. */
BOSC_API bosc_status bosc_comm_create_self(bosc_ctx *ctx, const bosc_comm_opts *opts, bosc_comm **comm);

/* Makes a communicator whose ranks are threads of this process.
 * Data moves from one rank's memory to another's in one copy, also between devices, so all contexts must be of one
 * backend.
 * ctx: allocates the ends; not kept. Each rank later calls with a context of its own.
 * rank_count: 1 to 4096.
 * opts: NULL means the defaults.
 * comms (rank_count): host; set on success. The thread that is rank r uses and frees comms[r]. */
BOSC_API bosc_status bosc_comm_create_threads(bosc_ctx *ctx, int32_t rank_count, const bosc_comm_opts *opts,
                                              bosc_comm **comms);

/* Functions that move data between the caller's own ranks. Set `size`. All ranks call the same function at the same
 * time. Memory is host memory, and the caller's again when the function returns. Each returns 0, or another value if a
 * rank was lost; the communicator is then unusable. */
typedef struct bosc_comm_transport {
    size_t size;
    void *user;
    /* Sends `bytes` bytes of every rank to every rank; received + r * bytes has the bytes of rank r. */
    int (*all_gather)(void *user, const void *sent, size_t bytes, void *received, double timeout);
    /* Sends bytes sent_offsets[r] to sent_offsets[r + 1] - 1 of `sent` to rank r; bytes from rank r arrive at received
     * + received_offsets[r]. Both offsets: (ranks + 1). */
    int (*all_to_all)(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout);
    /* Called when the end is freed; may be NULL. */
    void (*release)(void *user);
} bosc_comm_transport;

/* Makes this rank's end of a communicator over a transport of the caller's.
 * Arrays of a device are copied through host memory, unless all ranks are processes of one host, each with a context of
 * a CUDA device: these map each other's device memory, if cudaMalloc made it and not an allocator of the caller's.
 * transport: copied.
 * rank: from 0.
 * rank_count: 1 or more, the same on all ranks.
 * opts: NULL means the defaults.
 * comm: set on success. On failure no function of the transport is called. */
BOSC_API bosc_status bosc_comm_create(bosc_ctx *ctx, const bosc_comm_transport *transport, int32_t rank,
                                      int32_t rank_count, const bosc_comm_opts *opts, bosc_comm **comm);

/* Frees this rank's end; NULL is allowed.
 * Waiting ranks in other threads get BOSC_ERR_COMM at once; ranks of other kinds get it after the time-out. */
BOSC_API void bosc_comm_free(bosc_comm *comm);

/* Waits until all ranks have called it.
 * Collective. */
BOSC_API bosc_status bosc_comm_barrier(bosc_ctx *ctx, bosc_comm *comm);

typedef struct bosc_comm_info {
    size_t size;
    int32_t rank, rank_count;
    int64_t exchanges; /* collective exchanges since the end was made */
    int64_t bytes;     /* sent by this rank to others */
    double seconds;    /* of this thread in exchanges, including waits for other ranks; devices may end them later */
    int32_t broken;    /* 1: a rank was lost, the communicator is unusable; else 0 */
    int32_t shared; /* 1: ranks access each other's memory. Known after bosc_comm_barrier or data in arrays; else 0 */
} bosc_comm_info;

/* Describes this rank's end. Set `size`. */
BOSC_API bosc_status bosc_comm_get_info(bosc_ctx *ctx, const bosc_comm *comm, bosc_comm_info *info);

BOSC_END_DECLS
#endif
