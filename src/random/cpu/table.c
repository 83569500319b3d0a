/* The operations on random arrays for the CPU. */
#include "core/steps.h"
#include "random/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "random/steps/steps.def"
#undef BI_STEP

static const struct bi_random_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "random/steps/steps.def"
#undef BI_STEP
};

const struct bi_random_ops bi_random_ops_cpu = {.steps = &cpu_steps};
