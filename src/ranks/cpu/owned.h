/* Moves of items between rows and the blocks of their owners, on the CPU (ranks/exchange/owned.h). */
#ifndef BI_RANKS_CPU_OWNED_H
#define BI_RANKS_CPU_OWNED_H

#include "ranks/exchange/owned.h"
#include "ranks/ranks.h"

/* Counts the items of each rank in every tile, into items->positions. items->n is at least 1. */
bosc_status bi_ranks_cpu_count_owned(bosc_ctx *ctx, const struct bi_ranks_owned *items);

/* Moves the items, at least 1. items->positions: the exclusive scan of the counts. All moves are done on return. */
bosc_status bi_ranks_cpu_move_owned(bosc_ctx *ctx, const struct bi_ranks_owned *items,
                                    const struct bi_ranks_owned_move *move);

#endif
