/* The steps of graphs and forests on CUDA. */
#include "core/cuda/steps.cuh"
#include "forest/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "forest/steps.def"
#undef BI_STEP

extern "C" const bi_forest_steps bi_forest_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "forest/steps.def"
#undef BI_STEP
};
