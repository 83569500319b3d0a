/* Moves of items between rows and the blocks of their owners, on CUDA (ranks/exchange/owned.h). */
#ifndef BI_RANKS_CUDA_OWNED_CUH
#define BI_RANKS_CUDA_OWNED_CUH

#include "ranks/exchange/owned.h"
#include "ranks/ranks.h"

bosc_status bi_ranks_cuda_count_owned(bosc_ctx *ctx, const bi_ranks_owned *items);
bosc_status bi_ranks_cuda_move_owned(bosc_ctx *ctx, const bi_ranks_owned *items, const bi_ranks_owned_move *move);

#endif
