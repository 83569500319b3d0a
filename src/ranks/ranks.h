/* The room of structures over ranks: its table of operations. */
#ifndef BI_RANKS_RANKS_H
#define BI_RANKS_RANKS_H

#include "comm/comm.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_ranks_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

struct bi_ranks_owned;
struct bi_ranks_owned_move;

/* The table of operations that each backend provides. */
struct bi_ranks_ops {
    const struct bi_ranks_steps *steps;
    /* Sets the positions of n > 0 items to the tiles' counts (exchange/owned.h). */
    bosc_status (*count_owned)(bosc_ctx *ctx, const struct bi_ranks_owned *items);
    /* Moves n > 0 items between rows and blocks. */
    bosc_status (*move_owned)(bosc_ctx *ctx, const struct bi_ranks_owned *items,
                              const struct bi_ranks_owned_move *move);
};

#ifdef __cplusplus
}
#endif
#endif
