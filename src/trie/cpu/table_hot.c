/* The CPU's table of tries, compiled for each level, as its steps count and search bits. */
#include "core/cpu/level.h"
#include "trie/steps/steps.h"

#define BI_STEP_COST 256 /* a query takes a microsecond */
#define BI_STEP_WEIGHT 16
#include "core/steps.h"

#define BI_STEP BI_STEP_CPU
#include "trie/steps/steps.def"
#undef BI_STEP

static const struct bi_trie_steps steps = {
#define BI_STEP(name, args_t) .name = cpu_step_##name,
#include "trie/steps/steps.def"
#undef BI_STEP
};

extern const struct bi_trie_ops BI_LEVEL_NAME(bi_trie_ops_cpu);
const struct bi_trie_ops BI_LEVEL_NAME(bi_trie_ops_cpu) = {
    .steps = &steps, .finds_in_groups = true, .dictionary_rows = INT64_MAX};
