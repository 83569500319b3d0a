/* CUDA's table of clusters. */
#define BI_STEP_ROOM cluster

#include "cluster/cluster.h"
#include "core/cuda/steps.cuh"
#include "cluster/steps/steps.h"

#define STEP_LIST "cluster/steps/steps.def"
#define STEP_TABLE static const bi_cluster_steps steps
#include "core/step_table.inc"

extern "C" const bi_cluster_ops bi_cluster_ops_cuda = {&steps};
