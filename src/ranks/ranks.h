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

/* Runs the next step of this rank, unless an earlier one failed: `status` becomes the step's. A rank that fails goes on
 * to the next exchange (comm/comm.h). */
#define BI_IF_OK(status, ...)                              \
    do {                                                   \
        if ((status) == BOSC_OK) (status) = (__VA_ARGS__); \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
