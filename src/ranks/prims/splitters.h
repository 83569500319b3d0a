/* Where sorted slices are cut so that each rank gets the items of its global ranks. */
#ifndef BI_RANKS_PRIMS_SPLITTERS_H
#define BI_RANKS_PRIMS_SPLITTERS_H

#include "ranks/exchange/slices.h"

/* Items cuts[r] to cuts[r + 1] - 1 of this rank's are those that rank r gets: in the order of all, of equal keys those
 * of lower ranks first, they are the items offsets[r] to offsets[r + 1] - 1.
 * sorted: (n) this rank's keys, ascending. cuts: (rank_count + 1), host. */
bosc_status bi_ranks_find_cuts(bosc_ctx *ctx, bosc_comm *comm, bosc_status local_status,
                               const struct bi_ranks_slices *slices, bosc_dtype dtype, const void *sorted, int64_t n,
                               int64_t *cuts);

#endif
