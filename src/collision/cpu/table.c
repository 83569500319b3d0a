/* The CPU's table of collisions. */
#include "core/steps.h"
#include "collision/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "collision/steps/steps.def"
#undef BI_STEP

static const struct bi_collision_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "collision/steps/steps.def"
#undef BI_STEP
};

const struct bi_collision_ops bi_collision_ops_cpu = {.steps = &cpu_steps};
