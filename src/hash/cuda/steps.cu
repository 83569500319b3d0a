/* The steps of hash tables on CUDA. */
#define BI_STEP_ROOM hash

#include "core/cuda/steps.cuh"
#include "hash/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "hash/steps/steps.def"
#undef BI_STEP

extern "C" const bi_hash_steps bi_hash_steps_cuda = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "hash/steps/steps.def"
#undef BI_STEP
};
