/* CUDA's table of geometric hashing. */
#define BI_STEP_ROOM geometric

#include "core/cuda/steps.cuh"
#include "geometric/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "geometric/steps/steps.def"
#undef BI_STEP

static const bi_geometric_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "geometric/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_geometric_ops bi_geometric_ops_cuda = {&cuda_steps};
