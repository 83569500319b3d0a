/* The table of planets on the CPU. */
#include "core/steps.h"
#include "planet/cpu/kernels.h"

#define STEP_LIST "planet/steps/steps.def"
#define STEP_TABLE static const struct bi_planet_steps cpu_steps
#include "core/step_table.inc"

const struct bi_planet_ops bi_planet_ops_cpu = {.steps = &cpu_steps,
                                                .mark = bi_planet_cpu_mark,
                                                .derive = bi_planet_cpu_derive,
                                                .write_mesh = bi_planet_cpu_write_mesh};
