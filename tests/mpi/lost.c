/* lost killed|late: rank 1 is killed, or does not come. The other ranks get BOSC_ERR_COMM, print "reported" and end
 * with 3. In a program with the emulator the ranks have sorted before, so they have mapped the memory of rank 1. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <boscage/mpi.h>
#include <boscage/ranks/prims.h>

extern void emulated_share_memory(void) __attribute__((weak));

enum { KEYS = 1000 };

/* Sorts keys that all move to other ranks. */
static bosc_status sort(bosc_ctx *ctx, bosc_comm *comm, int32_t rank)
{
    uint64_t keys[KEYS];
    for (int i = 0; i < KEYS; i++) keys[i] = (uint64_t)(i * 10 - rank);
    return bosc_ranks_sort_keys(ctx, comm, BOSC_U64, keys, KEYS, keys);
}

int main(int argc, char **argv)
{
    const bool on_device = emulated_share_memory != NULL;
    const bosc_ctx_opts ctx_opts = {.size = sizeof ctx_opts,
                                    .backend = on_device ? BOSC_BACKEND_CUDA : BOSC_BACKEND_CPU};
    const bosc_comm_opts opts = {.size = sizeof opts, .timeout = 1};
    bosc_comm_transport transport = {.size = sizeof transport};
    bosc_comm *comm = NULL;
    bosc_ctx *ctx = NULL;
    int32_t rank, ranks;
    if (on_device) emulated_share_memory();
    if (argc != 2 || bosc_mpi_start() != BOSC_OK || bosc_ctx_create(&ctx_opts, &ctx) != BOSC_OK ||
        bosc_mpi_transport(NULL, &transport, &rank, &ranks) != BOSC_OK ||
        bosc_comm_create(ctx, &transport, rank, ranks, &opts, &comm) != BOSC_OK || sort(ctx, comm, rank) != BOSC_OK)
        return 2;
    if (rank == 1 && strcmp(argv[1], "killed") == 0) raise(SIGKILL);
    if (rank == 1) sleep(60);
    const bosc_status status = sort(ctx, comm, rank);
    if (status == BOSC_ERR_COMM) fprintf(stderr, "reported: %s\n", bosc_ctx_message(ctx));
    _exit(status == BOSC_ERR_COMM ? 3 : 4); /* MPI_Finalize would wait for rank 1 */
}
