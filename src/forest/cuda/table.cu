/* The table of spanning forests on CUDA. */
#define BI_STEP_ROOM forest

#include "core/cuda/steps.cuh"
#include "forest/forest.h"
#include "forest/steps/steps.h"

#define STEP_LIST "forest/steps/steps.def"
#define STEP_TABLE static const bi_forest_steps steps
#include "core/step_table.inc"

extern "C" const bi_forest_ops bi_forest_ops_cuda = {&steps,
                                                     bi_msf_cuda_admits,
                                                     bi_msf_cuda,
                                                     bi_msf_cuda_entries,
                                                     bi_components_cuda,
                                                     bi_components_cuda_entries,
                                                     bi_components_cuda_entries_single_block};
