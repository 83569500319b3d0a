/* Jobs over several ranks: threads of this process (--ranks, --devices) or processes (mpirun). */
#ifndef TOOL_RANKS_H
#define TOOL_RANKS_H

#include "tool/tool.h"

/* The ranks of a job. Each rank works on a slice of the input and writes its slice of the output. A process of several
 * holds the whole input or its rank's slice (struct input_rows); ranks_gather_rows completes the output. */
struct ranks {
    int32_t count;             /* 0: no ranks; the command runs in the job's context */
    int32_t first, local;      /* first rank and number of ranks of this process */
    int32_t *devices;          /* (count) of --devices; otherwise NULL */
    bosc_ctx **contexts;       /* (local): the first is the job's */
    bosc_comm **comms;         /* (local) */
    bosc_comm *bootstrap_comm; /* with NCCL between processes: the MPI communicator that joined them; otherwise NULL */
    bosc_comm_transport transport;
    int64_t *counts; /* (count): rows that each rank found; its work sets those of this process, a gather the others */
    int64_t *begins; /* (count + 1): their exclusive sums, after ranks_sum_counts */
};

/* A rank at work. */
struct rank {
    bosc_ctx *ctx;
    bosc_comm *comm;
    int32_t number, count;
    int64_t *found;       /* rows that it found: its entry of the counts */
    bosc_io_error *error; /* reason of a failure outside the context; "" at first */
};

/* Opens the ranks that the options or mpirun request, in an open job, and reports their number in the results. */
int ranks_open(struct job *job, struct ranks *ranks);
void ranks_close(struct ranks *ranks, int code); /* code: exit code of the job */

/* Runs `work` on all ranks concurrently, as a stage of the job. Returns EXIT_DONE, or reports the error. */
typedef bosc_status (*rank_work)(const struct rank *rank, void *user);
int ranks_run(struct job *job, const struct ranks *ranks, const char *stage, rank_work work, void *user);

/* After a failed call of the library: an error of its argument `points` names the points' file instead. */
void rank_name_points(const struct rank *rank, bosc_status status, const char *path);

/* Compute the slice [begin, begin + result) of n items: of the rank at work, and of any rank. */
int64_t rank_slice(const struct rank *rank, int64_t n, int64_t *begin);
int64_t ranks_slice(const struct ranks *ranks, int32_t rank, int64_t n, int64_t *begin);

/* Allocates an element of `size` zero bytes for each rank, freed by free(). Reports a failure and returns NULL. */
void *ranks_alloc(const struct ranks *ranks, size_t size);

/* ---- gathers of rows of `size` bytes on the first process, in rank order without gaps ----
 *
 * They return an exit code, and report a lost process. */

/* Gathers the rows that the ranks found. Before the call those of rank r begin where its slice of n rows begins.
 * total: number of rows gathered. */
int ranks_gather_rows(const struct ranks *ranks, int64_t n, void *rows, size_t size, int64_t *total);

/* Exchanges the counts of all ranks, and computes their exclusive sums. */
int ranks_sum_counts(const struct ranks *ranks);

/* ranks_gather_rows for rows that already begin at the exclusive sum of the counts. */
int ranks_gather_in_place(const struct ranks *ranks, void *rows, size_t size);

/* Gather n rows, or an array, whose slices are complete; ranks_all_gather_slices on every process. */
int ranks_gather_slices(const struct ranks *ranks, int64_t n, void *rows, size_t size);
int ranks_all_gather_slices(const struct ranks *ranks, int64_t n, void *rows, size_t size);
int ranks_gather_array(const struct ranks *ranks, const bosc_array *array, size_t size);

/* Returns a row of an array; NULL if it has no data. */
char *array_row(const bosc_array *array, int64_t row);

/* The rows of an input that this process holds: all, or under mpirun the slice of its rank of a .npy file. */
struct input_rows {
    bosc_array array;
    bosc_slice slice;     /* of the input */
    int64_t first, total; /* row of the input that is row 0 of the array; number of rows of the input */
};

/* Read points, as points_read does, or an array. Also for jobs without ranks. */
int ranks_read_points(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows);
int ranks_read_npy(struct job *job, const struct ranks *ranks, const char *path, struct input_rows *rows);
char *input_row(const struct input_rows *rows, int64_t row); /* by its number in the whole input */

#endif
