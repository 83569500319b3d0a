/* The steps of shortest paths: the work on item i, for the CPU and the device. */
#ifndef BI_PATHS_STEPS_STEPS_H
#define BI_PATHS_STEPS_STEPS_H

#include "core/call.h"
#include "paths/steps/distances.h"
#include "paths/steps/order.h"
#include "paths/steps/tree.h"
#include "paths/steps/verify.h"

struct bi_paths_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "paths/steps/steps.def"
#undef BI_STEP
};

#endif
