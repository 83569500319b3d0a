/* CUDA's table of planners. */
#define BI_STEP_ROOM planner

#include "core/cuda/steps.cuh"
#include "planner/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "planner/steps/steps.def"
#undef BI_STEP

static const bi_planner_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "planner/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_planner_ops bi_planner_ops_cuda = {&steps};
