/* The table of pools of bisectors on CUDA. */
#define BI_STEP_ROOM bisector

#include "core/cuda/steps.cuh"
#include "bisector/cuda/update.cuh"
#include "bisector/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "bisector/steps/steps.def"
#undef BI_STEP

static const bi_bisector_steps cuda_steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "bisector/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_bisector_ops bi_bisector_ops_cuda = {&cuda_steps, BI_BISECTOR_EXCHANGE_BYTES,
                                                         bi_bisector_cuda_update, BI_BISECTOR_UPDATE_MAX_LEAVES};
