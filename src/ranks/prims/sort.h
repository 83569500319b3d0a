/* Splitters of sorted slices, so that each rank receives the items of its global positions. */
#ifndef BI_RANKS_PRIMS_SORT_H
#define BI_RANKS_PRIMS_SORT_H

#include "ranks/exchange/slices.h"

/* Finds this rank's splitters: its items splitters[r] to splitters[r + 1] - 1 go to rank r. In the order of all keys,
 * equal ones by rank, rank r receives items slices->offsets[r] to slices->offsets[r + 1] - 1.
 * sorted: (n), this rank's keys, ascending. splitters: (rank_count + 1), host. */
bosc_status bi_ranks_find_splitters(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                                    const struct bi_ranks_slices *slices, bosc_dtype dtype, const void *sorted,
                                    int64_t n, int64_t *splitters);

#endif
