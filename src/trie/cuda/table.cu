/* CUDA's table of tries. */
#define BI_STEP_ROOM trie

#include "core/cuda/steps.cuh"
#include "trie/steps/steps.h"

#define STEP_LIST "trie/steps/steps.def"
#define STEP_TABLE static const bi_trie_steps steps
#include "core/step_table.inc"

extern "C" const bi_trie_ops bi_trie_ops_cuda = {&steps,
                                                 false,
                                                 true,
                                                 BI_TRIE_DICTIONARY_ROWS,
                                                 BI_TRIE_WHOLE_ROWS,
                                                 bi_trie_cuda_launch_pairs,
                                                 bi_trie_cuda_launch_append};
