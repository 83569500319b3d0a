/* The steps of planners: what happens to item i, for the CPU and the device. */
#ifndef BI_PLANNER_STEPS_STEPS_H
#define BI_PLANNER_STEPS_STEPS_H

#include "planner/steps/boxes.h"
#include "planner/steps/cells.h"

struct bi_planner_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "planner/steps/steps.def"
#undef BI_STEP
};

#endif
