/* The room of distributed structures: its table of operations. */
#ifndef BI_RANKS_RANKS_H
#define BI_RANKS_RANKS_H

#include "comm/comm.h"
#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_ranks_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of distributed structures that each backend gives. */
struct bi_ranks_ops {
    const struct bi_ranks_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
