/* Common start of calls over ranks: the arguments that must be equal on all ranks, and the position of each rank's
 * slice (its input) among all items.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_EXCHANGE_SLICES_H
#define BI_RANKS_EXCHANGE_SLICES_H

#include "ranks/ranks.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_ranks_argument {
    const char *name;
    int64_t value;
};

/* Returns BOSC_ERR_ARG on all ranks if one of up to 32 arguments differs from rank 0's. */
bosc_status bi_ranks_check_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                const struct bi_ranks_argument *arguments, int32_t count);

/* Returns BOSC_ERR_ARG on all ranks if a number differs from rank 0's. */
bosc_status bi_ranks_check_same_number(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, const char *name,
                                       double value);

/* Rank r's slice: the items offsets[r] to offsets[r + 1] - 1. */
struct bi_ranks_slices {
    int32_t rank, rank_count;
    int64_t *offsets; /* (rank_count + 1), host */
    int64_t *counts;  /* (rank_count), host: zeros, for the caller's use */
    int64_t total;
};

/* Gathers the sizes n of all slices. bi_ranks_slices_end ends it, after a failure too. */
bosc_status bi_ranks_slices_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t n,
                                  struct bi_ranks_slices *slices);
void bi_ranks_slices_end(bosc_ctx *ctx, struct bi_ranks_slices *slices);

#ifdef __cplusplus
}
#endif
#endif
