/* The table of cluster steps. Each backend defines one. */
#ifndef BI_CLUSTER_CLUSTER_H
#define BI_CLUSTER_CLUSTER_H

#include <boscage/cluster.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cluster_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

struct bi_cluster_ops {
    const struct bi_cluster_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
