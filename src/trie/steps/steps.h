/* The steps of tries: what happens to item i, for the CPU and the device. */
#ifndef BI_TRIE_STEPS_STEPS_H
#define BI_TRIE_STEPS_STEPS_H

#include "trie/steps/change.h"
#include "trie/steps/nodes.h"
#include "trie/steps/query.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_trie_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "trie/steps/steps.def"
#undef BI_STEP
};

#ifdef __cplusplus
}
#endif
#endif
