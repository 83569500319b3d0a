/* The steps of cell graphs on CUDA. */
#include "core/cuda/steps.cuh"
#include "cellgraph/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "cellgraph/steps.def"
#undef BI_STEP

extern "C" const bi_cell_steps bi_cell_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "cellgraph/steps.def"
#undef BI_STEP
};
