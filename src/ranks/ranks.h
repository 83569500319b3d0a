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

/* Evaluates an expression, and `status` becomes its value, unless `status` is a failure already. With a status of this
 * rank alone (`local_status`) the expression must not exchange anything: all ranks take part in every exchange, after a
 * failure too (comm/comm.h). With a status on which all ranks have agreed it may: all ranks then skip it. */
#define BI_IF_OK(status, ...)                              \
    do {                                                   \
        if ((status) == BOSC_OK) (status) = (__VA_ARGS__); \
    } while (0)

#ifdef __cplusplus
}
#endif
#endif
