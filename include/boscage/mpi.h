/* boscage/mpi.h - ranks that are the processes of an MPI program. In libboscage_mpi, which is a library of its own.
 * SPDX-License-Identifier: Apache-2.0
 *
 *     bosc_comm_transport transport = {sizeof transport};
 *     int32_t rank, rank_count;
 *     bosc_mpi_transport(NULL, &transport, &rank, &rank_count);
 *     bosc_comm_create(ctx, &transport, rank, rank_count, NULL, &comm);
 *
 * Data moves by messages of point to point and by MPI_Iallgather, without blocking, so that a rank that does not come
 * is noticed: after BOSC_ERR_COMM, MPI may still hold arrays of the call, and the program should end (MPI_Abort). A
 * program that calls MPI from several threads at once asks for MPI_THREAD_MULTIPLE. */
#ifndef BOSCAGE_MPI_H
#define BOSCAGE_MPI_H

#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* Gives the transport of this process's rank in an MPI communicator.
 * mpi_comm: the address of an MPI_Comm, which is duplicated (all its processes must call); NULL: MPI_COMM_WORLD.
 * transport: filled; size is set before. It is freed with the bosc_comm that is made of it, before MPI_Finalize.
 * rank, rank_count: set on success.
 * Errors: BOSC_ERR_ARG, also where MPI is not initialized or has ended; BOSC_ERR_NOMEM; BOSC_ERR_COMM if MPI fails. */
BOSC_API bosc_status bosc_mpi_transport(const void *mpi_comm, bosc_comm_transport *transport, int32_t *rank,
                                        int32_t *rank_count);

/* Starts MPI, where the program has not (MPI_Init_thread), for programs that do not call it otherwise. */
BOSC_API bosc_status bosc_mpi_start(void);

/* Ends MPI, if bosc_mpi_start has started it and it has not ended. */
BOSC_API void bosc_mpi_stop(void);

BOSC_END_DECLS
#endif
