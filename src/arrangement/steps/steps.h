/* The steps of arrangements: what happens to item i, for the CPU and the device. */
#ifndef BI_ARRANGEMENT_STEPS_STEPS_H
#define BI_ARRANGEMENT_STEPS_STEPS_H

#include "arrangement/arrangement.h"
#include "arrangement/steps/flats.h"

struct bi_arrangement_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "arrangement/steps/steps.def"
#undef BI_STEP
};

#endif
