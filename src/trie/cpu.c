/* The steps of tries on the CPU. */
#include "core/steps.h"
#include "trie/steps.h"

#define BI_STEP BI_STEP_CPU
#include "trie/steps.def"
#undef BI_STEP

const struct bi_trie_steps bi_trie_cpu = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "trie/steps.def"
#undef BI_STEP
};
