/* CUDA's operations of structures over ranks. */
#define BI_STEP_ROOM ranks

#include "core/cuda/steps.cuh"
#include "ranks/cuda/box.cuh"
#include "ranks/cuda/filter.cuh"
#include "ranks/cuda/owned.cuh"
#include "ranks/cuda/splitter.cuh"
#include "ranks/steps/steps.h"

#define STEP_LIST "ranks/steps/steps.def"
#define STEP_TABLE static const bi_ranks_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_ranks_ops bi_ranks_ops_cuda = {&cuda_steps,
                                                   bi_ranks_cuda_count_owned,
                                                   bi_ranks_cuda_move_owned,
                                                   bi_ranks_cuda_find_splitter,
                                                   bi_ranks_cuda_filter_points,
                                                   bi_ranks_cuda_find_box,
                                                   true,
                                                   false,
                                                   nullptr,
                                                   nullptr};
