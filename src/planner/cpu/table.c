/* The CPU's table of planners. */
#define BI_STEP_COST BI_THREAD_ITEMS
#include "core/steps.h"
#include "planner/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "planner/steps/steps.def"
#undef BI_STEP

static const struct bi_planner_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "planner/steps/steps.def"
#undef BI_STEP
};

const struct bi_planner_ops bi_planner_ops_cpu = {.steps = &steps};
