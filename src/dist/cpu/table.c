/* The CPU's table of distributed structures. */
#include "core/steps.h"
#include "dist/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "dist/steps/steps.def"
#undef BI_STEP

static const struct bi_dist_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "dist/steps/steps.def"
#undef BI_STEP
};

const struct bi_dist_ops bi_dist_ops_cpu = {.steps = &cpu_steps};
