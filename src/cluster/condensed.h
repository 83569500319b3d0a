/* The selection of clusters from a condensed tree, on the host. */
#ifndef BI_CLUSTER_CONDENSED_H
#define BI_CLUSTER_CONDENSED_H

#include "cluster/cluster.h"
#include "cluster/steps/hdbscan.h"

/* A condensed tree in host memory: `count` clusters, the root first, each after the one above it. */
struct bi_condensed {
    int64_t count, n;
    const uint32_t *above;
    const double *birth, *death, *size;
    double *stability;   /* of EOM: becomes that of the selected clusters in it */
    uint32_t *selected;  /* out: see struct bi_hdbscan; before the end the flag of each cluster */
    double *greatest;    /* out */
    double *below;       /* scratch: sums over the clusters split from each */
    uint8_t *marks;      /* scratch */
    double root_density; /* out */
};

/* Selects clusters by all options except min_cluster_size, which the tree already obeys. */
void bi_condensed_select(struct bi_condensed *tree, const bosc_hdbscan_opts *opts);

#endif
