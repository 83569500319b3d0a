/* The steps of terrains on CUDA. */
#include "core/cuda/steps.cuh"
#include "cbt/terrain_steps.h"

#define BI_STEP BI_STEP_CUDA
#include "cbt/terrain_steps.def"
#undef BI_STEP

extern "C" const bi_terrain_steps bi_terrain_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "cbt/terrain_steps.def"
#undef BI_STEP
};
