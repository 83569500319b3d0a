/* The table of spanning forests on CUDA. */
#define BI_STEP_ROOM forest

#include "core/cuda/steps.cuh"
#include "forest/forest.h"
#include "forest/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "forest/steps/steps.def"
#undef BI_STEP

static const bi_forest_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "forest/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_forest_ops bi_forest_ops_cuda = {&steps,
                                                     bi_msf_cuda,
                                                     bi_msf_cuda_entries,
                                                     bi_components_cuda,
                                                     bi_components_cuda_entries,
                                                     bi_components_cuda_entries_single_block};
