/* CUDA's table of arrangements. */
#define BI_STEP_ROOM arrangement

#include "core/cuda/steps.cuh"
#include "arrangement/steps/steps.h"

#define STEP_LIST "arrangement/steps/steps.def"
#define STEP_TABLE static const bi_arrangement_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_arrangement_ops bi_arrangement_ops_cuda = {&cuda_steps};
