/* The steps of hash tables on the CPU. */
#include "core/steps.h"
#include "hash/steps/steps.h"

#define BI_STEP BI_STEP_CPU
#include "hash/steps/steps.def"
#undef BI_STEP

const struct bi_hash_steps bi_hash_steps_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "hash/steps/steps.def"
#undef BI_STEP
};
