/* CUDA's table of geometric hashing. */
#define BI_STEP_ROOM geometric

#include "core/cuda/steps.cuh"
#include "geometric/steps/steps.h"

#define STEP_LIST "geometric/steps/steps.def"
#define STEP_TABLE static const bi_geometric_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_geometric_ops bi_geometric_ops_cuda = {&cuda_steps};
