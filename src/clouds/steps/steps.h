/* The steps of batches of clouds: what happens to item i, for the CPU and the device. */
#ifndef BI_CLOUDS_STEPS_STEPS_H
#define BI_CLOUDS_STEPS_STEPS_H

#include "clouds/steps/build.h"
#include "clouds/steps/query.h"
#include "clouds/steps/sample.h"

struct bi_clouds_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "clouds/steps/steps.def"
#undef BI_STEP
};

#endif
