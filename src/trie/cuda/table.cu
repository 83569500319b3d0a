/* CUDA's table of tries. */
#define BI_STEP_ROOM trie

#include "core/cuda/steps.cuh"
#include "trie/cuda/trie.cuh"

#define BI_STEP BI_STEP_CUDA
#include "trie/steps/steps.def"
#undef BI_STEP

static const bi_trie_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "trie/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_trie_ops bi_trie_ops_cuda = {
    &steps, false, true, BI_TRIE_DICTIONARY_ROWS, BI_TRIE_WHOLE_ROWS, bi_trie_cuda_launch_pairs};
