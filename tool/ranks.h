/* Commands over several ranks: threads of this process (--ranks, --devices) or processes (mpirun). */
#ifndef TOOL_RANKS_H
#define TOOL_RANKS_H

#include "tool/tool.h"

/* The ranks of a job. A process has all of the input, or its rank's slice (struct rank_rows); every rank takes a slice,
 * and writes its answers to its slice of the whole output, which ranks_gather completes where ranks are processes. */
struct ranks {
    int32_t count;         /* 0: the command runs in the job's context alone */
    int32_t first, locals; /* those of this process */
    int32_t *devices;      /* (count), of --devices; else NULL */
    bosc_ctx **contexts;   /* (locals): the first is the job's */
    bosc_comm **comms;     /* (locals) */
    bosc_comm *start;      /* of processes whose data goes by NCCL: that of MPI, by which they were joined; else NULL */
    bosc_comm_transport transport;
};

/* One of them at work. */
struct rank {
    bosc_ctx *ctx;
    bosc_comm *comm;
    int32_t number, count;
    bosc_io_error *error; /* the reason of a failure that is not the context's; "" before */
};

/* What the options or mpirun ask for; in an open job. Says the number of ranks in the results. */
int ranks_open(struct job *job, struct ranks *ranks);
void ranks_close(struct ranks *ranks, int code); /* the code that the job ends with */

/* Runs `work` on all ranks at once; EXIT_DONE, or having said why not. */
typedef bosc_status (*rank_work)(const struct rank *rank, void *user);
int ranks_run(const struct ranks *ranks, rank_work work, void *user);

/* A rank's slice of n items: [begin, begin + the result). */
int64_t rank_slice(const struct rank *rank, int64_t n, int64_t *begin);

/* Brings the rows that the ranks have made together on the first process, one rank's after another's. Before, those of
 * rank r begin where its slice of n rows does.
 * counts: (ranks), how many rows each has made; set for this process's ranks before, for all after the call.
 * rows: (n) of `size` bytes. total: how many there are now. */
int ranks_gather(const struct ranks *ranks, int64_t n, int64_t *counts, void *rows, size_t size, int64_t *total);

/* What all ranks have, of which counts (ranks) has what those of this process have; begins: (ranks + 1), the sums of
 * those below. */
int ranks_sum_before(const struct ranks *ranks, int64_t *counts, int64_t *begins);

/* The same for rows that lie where they belong already, on their own process, behind those of the ranks below. */
int ranks_join(const struct ranks *ranks, int64_t *counts, void *rows, size_t size);

/* The same, for all processes. */
int ranks_share(const struct ranks *ranks, int64_t *counts, void *rows, size_t size);

/* ranks_gather for an array of which every rank has made its whole slice of rows. */
int ranks_gather_array(const struct ranks *ranks, bosc_array *array, size_t size);

/* A row of an array; NULL if it has no data. */
char *array_row(const bosc_array *array, int64_t row);

/* Rows of an input that this process has: all of them, or under mpirun, of a .npy file, those of its rank. */
struct rank_rows {
    bosc_array array;
    bosc_slice slice;     /* of the input */
    int64_t first, total; /* which one is row 0 of the array, and how many the input has */
};

/* Reads points as points_read does; or another array, in one context too. Cost: under mpirun only a slice of a .npy
 * file is read. */
int ranks_read_points(struct job *job, const struct ranks *ranks, const char *path, struct rank_rows *rows);
int ranks_read_npy(struct job *job, const struct ranks *ranks, const char *path, struct rank_rows *rows);
char *rank_row(const struct rank_rows *rows, int64_t row); /* as array_row, of the whole input */

/* Of n points from row `first` on, those that are their own neighbours within a radius; and of their neighbours those
 * with larger rows, as pairs, of which it returns the number: points are called first, first + 1, ... */
int64_t count_own_neighbours(const bosc_array *points, int64_t first, int64_t n, double radius);
int64_t keep_later_neighbours(int64_t first, int64_t n, const int64_t *offsets, const int64_t *ids, int64_t *pairs);

/* The ids of --verify as a graph with so many entries has them: of 64 bits, or of 32, one behind the other in place. */
int forest_ids_read(struct job *job, const struct ranks *ranks, int32_t id_bits, int64_t entries,
                    struct rank_rows *ids);

/* The weight of a forest, in the results. */
void report_weight(struct job *job, bosc_dtype weight, const bosc_msf_info *found);

/* ---- the commands that may run so ---- */

/* What --replicated lets a rank take for vertices that all have; 0: any amount. */
int replicated_bytes(const struct job *job, const struct ranks *ranks, int64_t *bytes);

int mst_over_ranks(struct job *job, const struct ranks *ranks);
int components_over_ranks(struct job *job, const struct ranks *ranks);
int emst_over_ranks(struct job *job, const struct ranks *ranks, struct spanning_tree *tree);
int knn_over_ranks(struct job *job, const struct ranks *ranks, int64_t k, double within); /* of --within */
int pairs_over_ranks(struct job *job, const struct ranks *ranks, double radius);
int rows_over_ranks(struct job *job, const struct ranks *ranks, double radius); /* radius; less than 0: box */
int build_over_ranks(struct job *job, const struct ranks *ranks, const bosc_kdtree_opts *opts);
int verify_over_ranks(struct job *job, const struct ranks *ranks);

/* A table's columns, and what is asked of it. */
struct table_work {
    struct rank_rows keys, values, queries;
    bosc_array out, found; /* values, out: none of a set */
    bosc_hash_opts opts;
    bosc_ranks_hash_info info;
};
int find_over_ranks(struct job *job, const struct ranks *ranks, struct table_work *w);
/* components: or else pairs. allowed: of each row, for components; NULL: all. */
int cellgraph_over_ranks(struct job *job, const struct ranks *ranks, const bosc_vectors *vectors,
                         const uint8_t *allowed, const bosc_cellgraph_opts *opts, bool components, bosc_array *out);
int unique_over_ranks(struct job *job, const struct ranks *ranks, const struct rank_rows *keys, bosc_array *ids,
                      bosc_array *unique);

#endif
