/* CUDA's table of neighbour lists. */
#define BI_STEP_ROOM neighborlist

#include "core/cuda/steps.cuh"
#include "neighborlist/cuda/search.cuh"
#include "neighborlist/cuda/systems.cuh"
#include "neighborlist/cuda/write.cuh"
#include "neighborlist/steps/steps.h"

#define STEP_LIST "neighborlist/steps/steps.def"
#define STEP_TABLE static const bi_neighborlist_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_neighborlist_ops bi_neighborlist_ops_cuda = {&cuda_steps,
                                                                 2,
                                                                 bi_neighborlist_cuda_count_rows,
                                                                 bi_neighborlist_cuda_fill_rows,
                                                                 BI_NEIGHBORLIST_SMALL_SYSTEM,
                                                                 bi_neighborlist_cuda_count_systems,
                                                                 bi_neighborlist_cuda_fill_systems,
                                                                 bi_neighborlist_cuda_write};
