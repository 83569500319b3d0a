/* Moves of items between rows and the blocks of their owners, on CUDA (ranks/exchange/owned.h). */
#ifndef BI_RANKS_CUDA_OWNED_CUH
#define BI_RANKS_CUDA_OWNED_CUH

#include "ranks/exchange/owned.h"
#include "ranks/ranks.h"

/* Queues the counts of the items of each rank in every tile, into items->positions. items->n is at least 1. Returns
 * BOSC_ERR_LIMIT for more than 4,096 ranks. */
bosc_status bi_ranks_cuda_count_owned(bosc_ctx *ctx, const bi_ranks_owned *items);

/* Queues the moves of items, after their counts. items->positions: the exclusive scan of the counts. The caller may
 * change the lists of blocks after the call. */
bosc_status bi_ranks_cuda_move_owned(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_owned_move *move);

#endif
