/* The table of pools of bisectors on the CPU. */
#include "core/steps.h"
#include "bisector/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "bisector/steps/steps.def"
#undef BI_STEP

static const struct bi_bisector_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "bisector/steps/steps.def"
#undef BI_STEP
};

const struct bi_bisector_ops bi_bisector_ops_cpu = {.steps = &cpu_steps};
