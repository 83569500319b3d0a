/* The room of structures over ranks: its table of operations. */
#ifndef BI_RANKS_RANKS_H
#define BI_RANKS_RANKS_H

#include "comm/comm.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_ranks_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of steps that each backend provides. */
struct bi_ranks_ops {
    const struct bi_ranks_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
