/* Shared by the drivers of clusters over ranks: a rank's points and halo, and the sets of core points.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_CLUSTER_CLUSTER_H
#define BI_RANKS_CLUSTER_CLUSTER_H

#include "cluster/dbscan.h"
#include "ranks/kdtree/search.h"

/* A rank's state. Arrays are scratch. Rows are the own points in the order of their ids, then the halo. */
struct bi_ranks_dbscan {
    bosc_ctx *ctx;
    bosc_comm *comm;
    const struct bi_ranks_steps *steps;
    const struct bi_core_ops *core_ops;
    const bosc_ranks_kdtree *tree; /* of all points */
    struct bi_dbscan_call call;    /* eps: in the coordinates of the tree */
    int64_t n;                     /* rows of this rank's slice */
    int64_t own, rows;             /* own points; with the halo */
    bool ordinary;                 /* the magnitude of the points of all ranks is */
    void *points;                  /* (rows x dim) */
    uint32_t *ids;                 /* (rows) */
    struct bi_ranks_scatter halo;  /* of own points to the halos of other ranks; received items are this rank's halo */
    bosc_kdtree *near;             /* of the rows; NULL without any */
    struct bi_dbscan nodes;        /* of it */
    uint32_t *core;                /* (rows): 1 for core points */
    uint32_t *sets;                /* (rows): the smallest core row of the set; BI_RANKS_NO_SET: not core */
    uint32_t *numbers;             /* (rows + 1): the number of the cluster, at the smallest core rows of sets */
    int64_t *row_begins;           /* (ranks + 1), host: the first id of each slice */
    int64_t *set_begins;           /* (ranks + 1), host: a buffer of bi_ranks_dbscan_number */
};

/* *owners = the ranks whose ranges hold the n keys. begins: (ranks + 1), host: the first key of each range; it lasts
 * until queued work is done. */
bosc_status bi_ranks_dbscan_find_owners(const struct bi_ranks_dbscan *s, const uint32_t *keys, int64_t n,
                                        const int64_t *begins, uint32_t **owners);

/* out[order[i]] = in[i] for n elements. */
bosc_status bi_ranks_dbscan_scatter(const struct bi_ranks_dbscan *s, const uint32_t *in, const uint32_t *order,
                                    int64_t n, uint32_t *out);

/* Numbers the clusters of all ranks by their smallest core ids. s->numbers: room for them; *clusters: how many. */
bosc_status bi_ranks_dbscan_number(struct bi_ranks_dbscan *s, bosc_status local_status, int64_t *clusters);

#endif
