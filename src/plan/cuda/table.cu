/* CUDA's table of motion planning. */
#define BI_STEP_ROOM plan

#include "core/cuda/steps.cuh"
#include "plan/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "plan/steps/steps.def"
#undef BI_STEP

static const bi_plan_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "plan/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_plan_ops bi_plan_ops_cuda = {&cuda_steps, nullptr};
