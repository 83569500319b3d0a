/* CUDA's steps of structures over ranks. */
#define BI_STEP_ROOM dist

#include "core/cuda/steps.cuh"
#include "ranks/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "ranks/steps/steps.def"
#undef BI_STEP

static const bi_ranks_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "ranks/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_ranks_ops bi_ranks_ops_cuda = {&cuda_steps};
