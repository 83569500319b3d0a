/* The table of graphs on CUDA. */
#define BI_STEP_ROOM graph

#include "core/cuda/steps.cuh"
#include "graph/graph.h"

#define STEP_LIST "graph/steps/steps.def"
#define STEP_TABLE static const bi_graph_steps steps
#include "core/step_table.inc"

extern "C" const bi_graph_ops bi_graph_ops_cuda = {&steps, NULL, NULL, NULL};
