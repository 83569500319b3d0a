/* CUDA's table of distributed structures. */
#define BI_STEP_ROOM dist

#include "core/cuda/steps.cuh"
#include "dist/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "dist/steps/steps.def"
#undef BI_STEP

static const bi_dist_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "dist/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_dist_ops bi_dist_ops_cuda = {&cuda_steps};
