/* The CPU's table of clusters. */
#include "cluster/cluster.h"
#include "cluster/steps/steps.h"
#include "core/steps.h"

#define STEP_LIST "cluster/steps/steps.def"
#define STEP_TABLE static const struct bi_cluster_steps steps
#include "core/step_table.inc"

const struct bi_cluster_ops bi_cluster_ops_cpu = {.steps = &steps};
