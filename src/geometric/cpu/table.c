/* The CPU's table of geometric hashing. */
#include "core/steps.h"
#include "geometric/steps/steps.h"

#define STEP_LIST "geometric/steps/steps.def"
#define STEP_TABLE static const struct bi_geometric_steps cpu_steps
#include "core/step_table.inc"

const struct bi_geometric_ops bi_geometric_ops_cpu = {.steps = &cpu_steps};
