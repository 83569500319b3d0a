/* The CPU's table of planners. */
#define BI_STEP_COST BI_THREAD_ITEMS
#include "core/steps.h"
#include "planner/steps/steps.h"

#define STEP_LIST "planner/steps/steps.def"
#define STEP_TABLE static const struct bi_planner_steps steps
#include "core/step_table.inc"

const struct bi_planner_ops bi_planner_ops_cpu = {.steps = &steps};
