/* The steps of geometric hashing on the CPU. */
#include "core/steps.h"
#include "geometric/steps.h"

#define BI_STEP BI_STEP_CPU
#include "geometric/steps.def"
#undef BI_STEP

const struct bi_geo_steps bi_geo_steps_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "geometric/steps.def"
#undef BI_STEP
};
