/* The steps of geometric hashing: what happens to item i, for the CPU and the device. */
#ifndef BI_GEOMETRIC_STEPS_STEPS_H
#define BI_GEOMETRIC_STEPS_STEPS_H

#include "geometric/steps/bases.h"
#include "geometric/steps/voting.h"

struct bi_geometric_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "geometric/steps/steps.def"
#undef BI_STEP
};

#endif
