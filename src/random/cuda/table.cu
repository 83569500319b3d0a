/* The operations on random arrays for CUDA. */
#define BI_STEP_ROOM random

#include "core/cuda/steps.cuh"
#include "random/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "random/steps/steps.def"
#undef BI_STEP

static const bi_random_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "random/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_random_ops bi_random_ops_cuda = {&cuda_steps};
