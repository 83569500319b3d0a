/* The table of planets on CUDA. */
#define BI_STEP_ROOM planet

#include "core/cuda/steps.cuh"
#include "planet/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "planet/steps/steps.def"
#undef BI_STEP

static const bi_planet_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "planet/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_planet_ops bi_planet_ops_cuda = {&cuda_steps};
