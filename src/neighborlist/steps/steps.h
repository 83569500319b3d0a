/* The steps of neighbour lists: what happens to item i, for the CPU and the device. */
#ifndef BI_NEIGHBORLIST_STEPS_STEPS_H
#define BI_NEIGHBORLIST_STEPS_STEPS_H

#include "neighborlist/steps/output.h"

struct bi_neighborlist_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "neighborlist/steps/steps.def"
#undef BI_STEP
};

#endif
