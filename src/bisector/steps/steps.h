/* The steps of pools of bisectors: what happens to item i, for the CPU and the device. */
#ifndef BI_BISECTOR_STEPS_STEPS_H
#define BI_BISECTOR_STEPS_STEPS_H

#include "bisector/steps/change.h"
#include "bisector/steps/connect.h"
#include "bisector/steps/node.h"

struct bi_bisector_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "bisector/steps/steps.def"
#undef BI_STEP
};

/* Runs a step over n items. */
#define BI_BISECTOR_STEP(ctx, name, n, args) (ctx->ops->bisector->steps->name((ctx), (n), (args)))

#endif
