/* CUDA's table of collisions. */
#define BI_STEP_ROOM collision

#include "core/cuda/steps.cuh"
#include "collision/steps/steps.h"

#define STEP_LIST "collision/steps/steps.def"
#define STEP_TABLE static const bi_collision_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_collision_ops bi_collision_ops_cuda = {&cuda_steps};
