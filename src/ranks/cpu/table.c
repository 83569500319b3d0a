/* The CPU's steps of structures over ranks. */
#include "core/steps.h"
#include "ranks/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "ranks/steps/steps.def"
#undef BI_STEP

static const struct bi_ranks_steps cpu_steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "ranks/steps/steps.def"
#undef BI_STEP
};

const struct bi_ranks_ops bi_ranks_ops_cpu = {.steps = &cpu_steps};
