/* The steps of geometric hashing on CUDA. */
#include "core/cuda/steps.cuh"
#include "geometric/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "geometric/steps.def"
#undef BI_STEP

extern "C" const bi_geo_steps bi_geo_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "geometric/steps.def"
#undef BI_STEP
};
