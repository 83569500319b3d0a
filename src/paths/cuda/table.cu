/* CUDA's table of shortest paths. */
#define BI_STEP_ROOM paths

#include "core/cuda/steps.cuh"
#include "paths/paths.h"
#include "paths/steps/steps.h"

#define STEP_LIST "paths/steps/steps.def"
#define STEP_TABLE static constexpr bi_paths_steps steps
#include "core/step_table.inc"

extern "C" const bi_paths_ops bi_paths_ops_cuda = {&steps, false, bi_paths_cuda_search, nullptr,
                                                   bi_paths_cuda_search_bytes};
