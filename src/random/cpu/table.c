/* The operations on random arrays for the CPU. */
#include "core/steps.h"
#include "random/random.h"

#define STEP_LIST "random/steps/steps.def"
#define STEP_TABLE static const struct bi_random_steps cpu_steps
#include "core/step_table.inc"

const struct bi_random_ops bi_random_ops_cpu = {.steps = &cpu_steps};
