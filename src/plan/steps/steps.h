/* The steps of motion planning: what happens to item i, for the CPU and the device. */
#ifndef BI_PLAN_STEPS_STEPS_H
#define BI_PLAN_STEPS_STEPS_H

#include "plan/steps/circles.h"
#include "plan/steps/logic.h"
#include "plan/steps/rows.h"
#include "plan/steps/signs.h"

struct bi_plan_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "plan/steps/steps.def"
#undef BI_STEP
};

#endif
