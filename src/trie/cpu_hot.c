/* The steps of tries on the CPU, compiled for each level, since they are counts and searches of bits. */
#include "core/cpu/level.h"
#include "trie/steps.h"

#define BI_STEP_ITEMS 64 /* a query takes a microsecond */
#include "core/steps.h"

#define BI_STEP BI_STEP_CPU
#include "trie/steps.def"
#undef BI_STEP

extern const struct bi_trie_steps BI_LEVEL_NAME(bi_trie_steps_cpu);
const struct bi_trie_steps BI_LEVEL_NAME(bi_trie_steps_cpu) = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "trie/steps.def"
#undef BI_STEP
};
