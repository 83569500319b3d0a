/* The table of graphs on CUDA. */
#define BI_STEP_ROOM graph

#include "core/cuda/steps.cuh"
#include "graph/graph.h"
#include "graph/steps/steps.h"

#define BI_STEP BI_STEP_CUDA
#include "graph/steps/steps.def"
#undef BI_STEP

static const bi_graph_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "graph/steps/steps.def"
#undef BI_STEP
};

extern "C" const bi_graph_ops bi_graph_ops_cuda = {&steps, NULL};
