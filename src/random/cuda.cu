/* The steps of random arrays on CUDA. */
#include "core/cuda/steps.cuh"
#include "random/random.h"
#include "random/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "random/steps.def"
#undef BI_STEP

extern "C" const bi_random_steps bi_random_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "random/steps.def"
#undef BI_STEP
};
