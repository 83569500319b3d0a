/* The table of concurrent binary trees on CUDA. */
#define BI_STEP_ROOM cbt

#include "core/cuda/steps.cuh"
#include "cbt/cuda/cbt.cuh"

#define BI_STEP BI_STEP_CUDA
#include "cbt/steps/steps.def"
#undef BI_STEP

static const bi_cbt_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "cbt/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_cbt_ops bi_cbt_ops_cuda = {&steps,
                                               nullptr,
                                               BI_CBT_EXCHANGE_BYTES,
                                               bi_cbt_cuda_change_scratch,
                                               bi_cbt_cuda_install_scratch,
                                               bi_cbt_cuda_decode,
                                               bi_cbt_cuda_change,
                                               bi_cbt_cuda_install,
                                               nullptr,
                                               nullptr,
                                               bi_cbt_cuda_reduce_heap};
