/* A communicator of MPI processes; of one, where no mpirun starts it. */
#include <stdio.h>

#include <boscage/boscage.h>
#include <boscage/mpi.h>

int main(void)
{
    bosc_comm_transport transport = {.size = sizeof transport};
    bosc_ctx *ctx = NULL;
    bosc_comm *comm = NULL;
    int32_t rank = 0, rank_count = 0;
    bosc_status status = bosc_mpi_start();
    if (!status) status = bosc_mpi_transport(NULL, &transport, &rank, &rank_count);
    if (!status) status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_comm_create(ctx, &transport, rank, rank_count, NULL, &comm);
    if (!status) status = bosc_comm_barrier(ctx, comm);
    if (!status) printf("rank %d of %d\n", (int)rank, (int)rank_count);
    bosc_comm_free(comm);
    bosc_ctx_free(ctx);
    bosc_mpi_stop();
    return status;
}
