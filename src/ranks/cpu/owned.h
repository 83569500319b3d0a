/* Moves of items between rows and the blocks of their owners, on the CPU (ranks/exchange/owned.h). */
#ifndef BI_RANKS_CPU_OWNED_H
#define BI_RANKS_CPU_OWNED_H

#include "ranks/exchange/owned.h"
#include "ranks/ranks.h"

bosc_status bi_ranks_cpu_count_owned(bosc_ctx *ctx, const struct bi_ranks_owned *items);
bosc_status bi_ranks_cpu_move_owned(bosc_ctx *ctx, const struct bi_ranks_owned *items,
                                    const struct bi_ranks_owned_move *move);

#endif
