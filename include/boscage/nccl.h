/* boscage/nccl.h - communicators that move data between CUDA devices by NCCL, on one machine or several.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_comm_create_nccl_over
 *
 *     if (rank == 0) bosc_nccl_make_id(ctx, NULL, &id);
 *     MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
 *     bosc_comm_create_nccl(ctx, &id, rank, rank_count, NULL, &comm);
 *
 * Boscage does not link NCCL: these functions open libnccl.so.2 (version 2.14 or later) when they are called, and it
 * stays open. They need a build with CUDA and CUDA contexts; each rank has a device of its own. Where NCCL or its
 * requirements are missing, they return BOSC_ERR_BACKEND with the reason.
 *
 * A rank that does not arrive within the time-out is lost, as with any communicator. NCCL's communicator is then
 * aborted, so nothing waits forever, not even on the device. A rank that arrives with a context of another device
 * counts as lost. bosc_comm_free waits for the other ranks to free their ends, at most the time-out and at most 10
 * seconds.
 * Source: NVIDIA, NCCL User Guide (Creating a Communicator, Fault Tolerance). */
#ifndef BOSCAGE_NCCL_H
#define BOSCAGE_NCCL_H

#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_nccl_opts {
    size_t size;
    double timeout;      /* as in bosc_comm_opts; also limits making the end, which may take NCCL seconds */
    const char *library; /* file of NCCL; NULL: libnccl.so.2, as the system's loader finds it */
} bosc_nccl_opts;

/* Identifies a communicator to be made: NCCL's ncclUniqueId. */
typedef struct bosc_nccl_id {
    char bytes[128];
} bosc_nccl_id;

/* Makes an id, on one rank. The caller sends it to the other ranks. An id serves one communicator.
 * opts: NULL means the defaults.
 * id: set on success.
 * Errors: BOSC_ERR_ARG; BOSC_ERR_BACKEND; BOSC_ERR_COMM with NCCL's reason. */
BOSC_API bosc_status bosc_nccl_make_id(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_id *id);

/* Makes this rank's end of a communicator. Collective: all ranks call with the same id.
 * ctx: of the rank's device. Later calls must use a context of this device.
 * rank: from 0.
 * rank_count: 1 or more, the same on all ranks.
 * opts: NULL means the defaults.
 * comm: set on success.
 * Errors: BOSC_ERR_ARG; BOSC_ERR_BACKEND; BOSC_ERR_NOMEM; BOSC_ERR_COMM if a rank does not arrive, or with NCCL's
 *     reason, such as two ranks on one device. If a rank fails, the others wait for the time-out.
 * Waits, at most `timeout`. */
BOSC_API bosc_status bosc_comm_create_nccl(bosc_ctx *ctx, const bosc_nccl_id *id, int32_t rank, int32_t rank_count,
                                           const bosc_nccl_opts *opts, bosc_comm **comm);

/* Makes this rank's end of a communicator with the ranks of another one, such as MPI's, which distributes the id.
 * Collective.
 * start: any communicator; it stays the caller's, and is not needed after the call.
 * opts: NULL means the defaults.
 * comm: set on success. On failure it is not set on any rank.
 * Errors: as bosc_comm_create_nccl, the same on all ranks. If NCCL refuses, BOSC_ERR_BACKEND; `start` stays usable.
 *     BOSC_ERR_COMM if a rank of `start` was lost.
 * Waits. */
BOSC_API bosc_status bosc_comm_create_nccl_over(bosc_ctx *ctx, bosc_comm *start, const bosc_nccl_opts *opts,
                                                bosc_comm **comm);

/* Makes this rank's end over an NCCL communicator of the caller's; rank and size are NCCL's. Not collective.
 * nccl_comm: an ncclComm_t of the device of ctx, made by the same libnccl.so.2. Do not use it during collective calls.
 *     Destroy it after the end is freed, unless a rank was lost (bosc_comm_info.broken): then it has been aborted. Make
 *     it non-blocking (ncclConfig_t.blocking = 0); otherwise NCCL waits without a time-out for a rank that is lost
 *     while it connects.
 * opts: NULL means the defaults.
 * comm: set on success.
 * Errors: BOSC_ERR_ARG, with NCCL's reason if it does not know the communicator; BOSC_ERR_BACKEND; BOSC_ERR_NOMEM. */
BOSC_API bosc_status bosc_comm_create_nccl_given(bosc_ctx *ctx, void *nccl_comm, const bosc_nccl_opts *opts,
                                                 bosc_comm **comm);

BOSC_END_DECLS
#endif
