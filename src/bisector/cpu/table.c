/* The table of pools of bisectors on the CPU. */
#include "core/steps.h"
#include "bisector/steps/steps.h"

#define STEP_LIST "bisector/steps/steps.def"
#define STEP_TABLE static const struct bi_bisector_steps cpu_steps
#include "core/step_table.inc"

const struct bi_bisector_ops bi_bisector_ops_cpu = {.steps = &cpu_steps};
