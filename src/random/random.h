/* The room of random arrays: its table of operations. */
#ifndef BI_RANDOM_RANDOM_H
#define BI_RANDOM_RANDOM_H

#include <boscage/random.h>

#include "core/call.h"
#include "random/steps/keys.h"
#include "random/steps/points.h"
#include "random/steps/relief.h"

struct bi_random_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "random/steps/steps.def"
#undef BI_STEP
};

/* The table of random arrays that each backend gives. */
struct bi_random_ops {
    const struct bi_random_steps *steps;
};

#endif
