/* The operations on random arrays for CUDA. */
#define BI_STEP_ROOM random

#include "core/cuda/steps.cuh"
#include "random/random.h"

#define STEP_LIST "random/steps/steps.def"
#define STEP_TABLE static const bi_random_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_random_ops bi_random_ops_cuda = {&cuda_steps};
