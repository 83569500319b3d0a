/* This process's end of an MPI communicator. */
#ifndef BI_MPI_MPI_H
#define BI_MPI_MPI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

struct mpi_end {
    MPI_Comm comm; /* a duplicate, owned by the transport */
    int rank, rank_count;
};

/* Functions of bosc_comm_transport; `user` is a struct mpi_end. They return 1 if MPI fails, 2 after the time-out, 3 if
 * out of memory. */
int bi_mpi_all_gather(void *user, const void *sent, size_t bytes, void *received, double timeout);
int bi_mpi_all_to_all(void *user, const void *sent, const int64_t *sent_offsets, void *received,
                      const int64_t *received_offsets, double timeout);

#endif
