/* The table of planets on the CPU. */
#include "core/steps.h"
#include "planet/steps/steps.h"

#define STEP_LIST "planet/steps/steps.def"
#define STEP_TABLE static const struct bi_planet_steps cpu_steps
#include "core/step_table.inc"

const struct bi_planet_ops bi_planet_ops_cpu = {.steps = &cpu_steps};
