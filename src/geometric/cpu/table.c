/* The CPU's table of geometric hashing. */
#include "core/steps.h"
#include "geometric/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "geometric/steps/steps.def"
#undef BI_STEP

static const struct bi_geometric_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "geometric/steps/steps.def"
#undef BI_STEP
};

const struct bi_geometric_ops bi_geometric_ops_cpu = {.steps = &cpu_steps};
