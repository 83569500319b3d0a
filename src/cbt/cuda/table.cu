/* The table of concurrent binary trees on CUDA. */
#define BI_STEP_ROOM cbt

#include "core/cuda/steps.cuh"
#include "cbt/cuda/cbt.cuh"

#define STEP_LIST "cbt/steps/steps.def"
#define STEP_TABLE static const bi_cbt_steps steps
#include "core/step_table.inc"

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
