/* The table of planets on CUDA. */
#define BI_STEP_ROOM planet

#include "core/cuda/steps.cuh"
#include "planet/steps/steps.h"

#define STEP_LIST "planet/steps/steps.def"
#define STEP_TABLE static const bi_planet_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_planet_ops bi_planet_ops_cuda = {&cuda_steps};
