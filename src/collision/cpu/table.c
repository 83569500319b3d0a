/* The CPU's table of collisions. */
#include "core/steps.h"
#include "collision/steps/steps.h"

#define STEP_LIST "collision/steps/steps.def"
#define STEP_TABLE static const struct bi_collision_steps cpu_steps
#include "core/step_table.inc"

const struct bi_collision_ops bi_collision_ops_cpu = {.steps = &cpu_steps};
