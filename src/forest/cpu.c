/* The steps of graphs and forests on the CPU. */
#include "core/steps.h"
#include "forest/steps.h"

#define BI_STEP BI_STEP_CPU
#include "forest/steps.def"
#undef BI_STEP

const struct bi_forest_steps bi_forest_steps_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "forest/steps.def"
#undef BI_STEP
};
