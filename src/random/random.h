/* The room of random arrays: its table of operations. */
#ifndef BI_RANDOM_RANDOM_H
#define BI_RANDOM_RANDOM_H

#include <boscage/random.h>

#include "core/call.h"

struct bi_random_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of random arrays that each backend gives. */
struct bi_random_ops {
    const struct bi_random_steps *steps;
};

#endif
