/* The table of planets on the CPU. */
#include "core/steps.h"
#include "planet/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "planet/steps/steps.def"
#undef BI_STEP

static const struct bi_planet_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "planet/steps/steps.def"
#undef BI_STEP
};

const struct bi_planet_ops bi_planet_ops_cpu = {.steps = &cpu_steps};
