/* The table of cluster steps. Each backend defines one. */
#ifndef BI_CLUSTER_CLUSTER_H
#define BI_CLUSTER_CLUSTER_H

#include <boscage/cluster.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

struct bi_cluster_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

struct bi_dbscan; /* steps/dbscan.h */

struct bi_cluster_ops {
    const struct bi_cluster_steps *steps;

    /* As the step dbscan_join_siblings, for the levels a->level down to `last` in one pass. NULL: the step, level by
     * level. */
    bosc_status (*join_siblings)(bosc_ctx *, const struct bi_dbscan *a, int32_t last);
};

#ifdef __cplusplus
}
#endif
#endif
