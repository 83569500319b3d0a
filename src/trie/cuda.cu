/* The steps of tries on CUDA. */
#include "core/cuda/steps.cuh"
#include "trie/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "trie/steps.def"
#undef BI_STEP

extern "C" const bi_trie_steps bi_trie_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "trie/steps.def"
#undef BI_STEP
};
