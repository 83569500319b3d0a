/* Creates and frees the MPI transport; starts and stops MPI for callers who do not. */
#include <stdlib.h>

#include <boscage/mpi.h>

#include "mpi/mpi.h"

static bool started; /* MPI was initialised by bosc_mpi_start */

static bool is_running(void)
{
    int initialized = 0, finalized = 0;
    return MPI_Initialized(&initialized) == MPI_SUCCESS && initialized && MPI_Finalized(&finalized) == MPI_SUCCESS &&
           !finalized;
}

bosc_status bosc_mpi_start(void)
{
    int initialized = 0, given;
    if (MPI_Initialized(&initialized) != MPI_SUCCESS) return BOSC_ERR_COMM;
    if (initialized) return is_running() ? BOSC_OK : BOSC_ERR_ARG;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &given) != MPI_SUCCESS) return BOSC_ERR_COMM;
    started = true;
    return BOSC_OK;
}

void bosc_mpi_stop(void)
{
    if (started && is_running()) MPI_Finalize();
    started = false;
}

static void release_end(void *user)
{
    struct mpi_end *e = user;
    if (is_running()) MPI_Comm_free(&e->comm);
    free(e);
}

static int open_end(MPI_Comm from, struct mpi_end *e)
{
    if (MPI_Comm_dup(from, &e->comm) != MPI_SUCCESS) return 1;
    if (MPI_Comm_set_errhandler(e->comm, MPI_ERRORS_RETURN) == MPI_SUCCESS &&
        MPI_Comm_rank(e->comm, &e->rank) == MPI_SUCCESS && MPI_Comm_size(e->comm, &e->rank_count) == MPI_SUCCESS)
        return 0;
    MPI_Comm_free(&e->comm);
    return 1;
}

bosc_status bosc_mpi_transport(const void *mpi_comm, bosc_comm_transport *transport, int32_t *rank, int32_t *rank_count)
{
    if (!transport || transport->size != sizeof *transport || !rank || !rank_count || !is_running())
        return BOSC_ERR_ARG;
    struct mpi_end *e = malloc(sizeof *e);
    if (!e) return BOSC_ERR_NOMEM;
    if (open_end(mpi_comm ? *(const MPI_Comm *)mpi_comm : MPI_COMM_WORLD, e) != 0) {
        free(e);
        return BOSC_ERR_COMM;
    }
    *transport = (bosc_comm_transport){sizeof *transport, e, bi_mpi_all_gather, bi_mpi_all_to_all, release_end};
    *rank = e->rank;
    *rank_count = e->rank_count;
    return BOSC_OK;
}
