/* boscage/mpi.h - communicators of the processes of an MPI program. In a library of its own, libboscage_mpi.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_mpi_transport
 *
 *     bosc_comm_transport transport = {sizeof transport};
 *     int32_t rank, rank_count;
 *     bosc_mpi_transport(NULL, &transport, &rank, &rank_count);
 *     bosc_comm_create(ctx, &transport, rank, rank_count, NULL, &comm);
 *
 * Data moves by non-blocking point-to-point messages and MPI_Iallgather, so a missing rank is noticed. After
 * BOSC_ERR_COMM, MPI may still hold arrays of the call, and the program should end (MPI_Abort). A program that calls
 * MPI from several threads at once needs MPI_THREAD_MULTIPLE. */
#ifndef BOSCAGE_MPI_H
#define BOSCAGE_MPI_H

#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* Makes the transport of this process's rank in an MPI communicator.
 * mpi_comm: the address of an MPI_Comm, which is duplicated (all its processes must call); NULL: MPI_COMM_WORLD.
 * transport: filled. Set `size`. The bosc_comm made of it frees it; free that before MPI_Finalize.
 * rank, rank_count: set on success.
 * Errors: BOSC_ERR_ARG, also where MPI is not initialized or has ended; BOSC_ERR_NOMEM; BOSC_ERR_COMM if MPI fails. */
BOSC_API bosc_status bosc_mpi_transport(const void *mpi_comm, bosc_comm_transport *transport, int32_t *rank,
                                        int32_t *rank_count);

/* Starts MPI (MPI_Init_thread) if it is not running, for programs that do not call it otherwise. */
BOSC_API bosc_status bosc_mpi_start(void);

/* Ends MPI if bosc_mpi_start started it and it has not ended. */
BOSC_API void bosc_mpi_stop(void);

BOSC_END_DECLS
#endif
