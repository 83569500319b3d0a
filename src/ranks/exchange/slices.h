/* What the calls of distributed primitives begin with: the arguments that all ranks must share, and where each rank's
 * slice lies among all items. */
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

/* BOSC_ERR_ARG on all ranks if one of up to 32 arguments is not that of rank 0. */
bosc_status bi_ranks_same(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                          const struct bi_ranks_argument *arguments, int32_t count);

/* Rank r has the items offsets[r] to offsets[r + 1] - 1. */
struct bi_ranks_slices {
    int32_t rank, rank_count;
    int64_t *offsets; /* (rank_count + 1), host */
    int64_t *counts;  /* (rank_count), host: zeros, for the use of the call */
    int64_t total;
};

/* Ended by bi_ranks_slices_end, on a failure too. */
bosc_status bi_ranks_slices_begin(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status, int64_t n,
                                  struct bi_ranks_slices *slices);
void bi_ranks_slices_end(bosc_ctx *ctx, struct bi_ranks_slices *slices);

#ifdef __cplusplus
}
#endif
#endif
