/* The steps of random arrays, for the CPU and the device. */
#ifndef BI_RANDOM_STEPS_STEPS_H
#define BI_RANDOM_STEPS_STEPS_H

#include "random/random.h"
#include "random/steps/points.h"
#include "random/steps/relief.h"

struct bi_random_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "random/steps/steps.def"
#undef BI_STEP
};

#endif
