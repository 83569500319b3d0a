/* CUDA's table of planners. */
#define BI_STEP_ROOM planner

#include "core/cuda/steps.cuh"
#include "planner/steps/steps.h"

#define STEP_LIST "planner/steps/steps.def"
#define STEP_TABLE static const bi_planner_steps steps
#include "core/step_table.inc"

extern "C" const bi_planner_ops bi_planner_ops_cuda = {&steps};
