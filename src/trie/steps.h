/* The steps of tries: what happens to item i, for the CPU and the device. */
#ifndef BI_TRIE_STEPS_H
#define BI_TRIE_STEPS_H

#include "core/csr_steps.h"
#include "trie/build_steps.h"
#include "trie/change_steps.h"
#include "trie/node_steps.h"
#include "trie/query_steps.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_trie_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "trie/steps.def"
#undef BI_STEP
};

#ifdef BOSC_HAVE_CUDA
extern const struct bi_trie_steps bi_trie_steps_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
