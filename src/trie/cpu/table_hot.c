/* The CPU's table of tries, compiled for each level, as its steps count and search bits. */
#include "core/cpu/level.h"
#include "trie/steps/steps.h"

#define BI_STEP_COST 256 /* a query takes a microsecond */
#define BI_STEP_WEIGHT 16
#include "core/steps.h"

#define STEP_LIST "trie/steps/steps.def"
#define STEP_TABLE static const struct bi_trie_steps steps
#include "core/step_table.inc"

extern const struct bi_trie_ops BI_LEVEL_NAME(bi_trie_ops_cpu);
const struct bi_trie_ops BI_LEVEL_NAME(bi_trie_ops_cpu) = {
    .steps = &steps, .finds_in_groups = true, .dictionary_rows = INT64_MAX};
