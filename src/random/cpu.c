/* The steps of random arrays on the CPU. */
#include "core/steps.h"
#include "random/random.h"
#include "random/steps.h"

#define BI_STEP BI_STEP_CPU
#include "random/steps.def"
#undef BI_STEP

const struct bi_random_steps bi_random_steps_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "random/steps.def"
#undef BI_STEP
};
