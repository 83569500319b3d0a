/* CUDA's table of collisions. */
#define BI_STEP_ROOM collision

#include "core/cuda/steps.cuh"
#include "collision/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "collision/steps/steps.def"
#undef BI_STEP

static const bi_collision_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "collision/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_collision_ops bi_collision_ops_cuda = {&cuda_steps};
