/* lost killed|late: rank 1 is killed, or does not come. The other ranks get BOSC_ERR_COMM, print "reported" and end
 * with 3. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <boscage/mpi.h>

int main(int argc, char **argv)
{
    const bosc_comm_opts opts = {.size = sizeof opts, .timeout = 1};
    bosc_comm_transport transport = {.size = sizeof transport};
    bosc_comm *comm = NULL;
    bosc_ctx *ctx = NULL;
    int32_t rank, ranks;
    if (argc != 2 || bosc_mpi_start() != BOSC_OK || bosc_ctx_create(NULL, &ctx) != BOSC_OK ||
        bosc_mpi_transport(NULL, &transport, &rank, &ranks) != BOSC_OK ||
        bosc_comm_create(ctx, &transport, rank, ranks, &opts, &comm) != BOSC_OK ||
        bosc_comm_barrier(ctx, comm) != BOSC_OK)
        return 2;
    if (rank == 1 && strcmp(argv[1], "killed") == 0) raise(SIGKILL);
    if (rank == 1) sleep(60);
    const bosc_status status = bosc_comm_barrier(ctx, comm);
    if (status == BOSC_ERR_COMM) fprintf(stderr, "reported: %s\n", bosc_ctx_message(ctx));
    _exit(status == BOSC_ERR_COMM ? 3 : 4); /* MPI_Finalize would wait for rank 1 */
}
