/* boscage/nccl.h - communicators whose data goes between CUDA devices by NCCL, on one machine or several.
 * SPDX-License-Identifier: Apache-2.0
 *
 *     if (rank == 0) bosc_nccl_make_id(ctx, NULL, &id);
 *     MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
 *     bosc_comm_create_nccl(ctx, &id, rank, rank_count, NULL, &comm);
 *
 * Boscage does not link NCCL: these functions open it when they are called (libnccl.so.2, version 2.14 or later), and
 * it stays open. They are of builds with CUDA and of contexts of it; ranks have a device each. Where NCCL, or what it
 * needs, is not there, they return BOSC_ERR_BACKEND with the reason. Source: NVIDIA, NCCL User Guide (Creating a
 * Communicator, Fault Tolerance).
 *
 * A rank that does not come within the time-out is lost, as with any communicator: NCCL's is aborted then, so that
 * nothing waits forever, not even on the device. To the others a rank that comes with a context of another device is
 * lost too. bosc_comm_free waits for the others to free their ends, at most the time-out, and at most 10 seconds. */
#ifndef BOSCAGE_NCCL_H
#define BOSCAGE_NCCL_H

#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_nccl_opts {
    size_t size;
    double timeout;      /* as of bosc_comm_opts; for the making of the end too, which may take NCCL seconds */
    const char *library; /* file of NCCL; NULL: libnccl.so.2, where the system's loader finds it */
} bosc_nccl_opts;

/* Names a communicator that is to be made: NCCL's ncclUniqueId. */
typedef struct bosc_nccl_id {
    char bytes[128];
} bosc_nccl_id;

/* Makes an id, on one rank. The caller sends it to the others. An id serves one communicator.
 * opts: NULL: all defaults. id: set on success.
 * Errors: BOSC_ERR_ARG; BOSC_ERR_BACKEND; BOSC_ERR_COMM with NCCL's reason. */
BOSC_API bosc_status bosc_nccl_make_id(bosc_ctx *ctx, const bosc_nccl_opts *opts, bosc_nccl_id *id);

/* Makes this rank's end of a communicator. Collective: all ranks call with the same id. Waits, at most `timeout`.
 * ctx: of the rank's device. Later calls give a context of this device.
 * rank: from 0. rank_count: 1 or more, the same on all ranks.
 * opts: NULL: all defaults. comm: set on success.
 * Errors: BOSC_ERR_ARG; BOSC_ERR_BACKEND; BOSC_ERR_NOMEM; BOSC_ERR_COMM if a rank does not come, or with NCCL's reason,
 * such as two ranks on one device. If a rank fails the others wait until the time is over. */
BOSC_API bosc_status bosc_comm_create_nccl(bosc_ctx *ctx, const bosc_nccl_id *id, int32_t rank, int32_t rank_count,
                                           const bosc_nccl_opts *opts, bosc_comm **comm);

/* The same for the ranks of another communicator, such as MPI's, which brings the id to them. Collective. Waits.
 * start: any communicator; it stays the caller's, and is not needed after the call.
 * Errors: as bosc_comm_create_nccl, the same on all ranks, but that what NCCL refuses is BOSC_ERR_BACKEND, after which
 * `start` can be used on; BOSC_ERR_COMM means that a rank of `start` was lost. On a failure *comm is not set on any
 * rank. */
BOSC_API bosc_status bosc_comm_create_nccl_over(bosc_ctx *ctx, bosc_comm *start, const bosc_nccl_opts *opts,
                                                bosc_comm **comm);

/* Makes this rank's end of a communicator of the caller's, whose rank and size it has.
 * nccl_comm: an ncclComm_t of the device of ctx, made by the same libnccl.so.2. The caller does not use it during
 * collective calls, and destroys it after the end is freed, unless a rank was lost (bosc_comm_info.broken): then it has
 * been aborted.
 * It should have been made without blocking (ncclConfig_t.blocking = 0): else a rank that is lost while NCCL connects
 * to it is waited for in NCCL, without a time-out.
 * opts: NULL: all defaults. comm: set on success.
 * Errors: BOSC_ERR_ARG, with NCCL's reason where it does not know the communicator; BOSC_ERR_BACKEND; BOSC_ERR_NOMEM.
 * Not collective; does not wait. */
BOSC_API bosc_status bosc_comm_create_nccl_given(bosc_ctx *ctx, void *nccl_comm, const bosc_nccl_opts *opts,
                                                 bosc_comm **comm);

BOSC_END_DECLS
#endif
