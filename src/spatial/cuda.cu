/* The steps of voxel grids on CUDA. */
#include "core/cuda/sort_rows.cuh"
#include "core/cuda/steps.cuh"
#include "spatial/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "spatial/steps.def"
#undef BI_STEP

extern "C" const bi_grid_steps bi_grid_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "spatial/steps.def"
#undef BI_STEP
    bi_cuda_sort_rows,
};
