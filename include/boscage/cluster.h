/* boscage/cluster.h - clusters of points: DBSCAN, friends of friends.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_dbscan_compute
 *
 * Labels are a function of the points: every backend and number of threads returns the same. */
#ifndef BOSCAGE_CLUSTER_H
#define BOSCAGE_CLUSTER_H

#include <boscage/kdtree.h>

BOSC_BEGIN_DECLS

typedef enum bosc_cluster_metric {
    BOSC_CLUSTER_MINKOWSKI = 0, /* of order p, as bosc_kdtree_query_opts */
    /* The angle between points of a sphere, in radians; a row is latitude and longitude in radians: dim is 2. */
    BOSC_CLUSTER_HAVERSINE = 1,
    BOSC_CLUSTER_COSINE = 2 /* 1 - the cosine of the angle between rows; no row is zero */
} bosc_cluster_metric;

/* --- DBSCAN ------------------------------------------------------------------------------------------------------- */

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_dbscan_opts {
    size_t size;
    bosc_dtype dtype; /* of the coordinates: F32 (default), F64, I32 or I64 */
    int32_t dim;      /* coordinates of a point: 1 to 1024; required with points */
    bosc_cluster_metric metric;
    int32_t label_bits;    /* of labels: 64 (int64_t, default) or 32 (int32_t) */
    double p;              /* of MINKOWSKI: 1 or more, INFINITY among them; 0: 2 */
    const double *periods; /* of MINKOWSKI: (dim) host, as in bosc_kdtree_query_opts; NULL: none */
    const double *weights; /* (weight_count) finite: a point counts as its weight; NULL: as 1 */
    int64_t weight_count;  /* n, with weights */
} bosc_dbscan_opts;

typedef struct bosc_dbscan_info {
    size_t size;
    int64_t clusters;
    int64_t core;   /* points */
    int64_t border; /* other points of clusters */
    int64_t noise;  /* points in no cluster */
} bosc_dbscan_info;

/* Finds the clusters of n points: points with dense neighbourhoods, and the points near them.
 * A point is core if at least min_samples points, itself among them, are within eps. Core points within eps of each
 * other are in one cluster. Another point within eps of core points is in the first of their clusters. Clusters are
 * numbered from 0 by their smallest core row, so labels equal scikit-learn's. With min_samples 1 the clusters are those
 * of friends of friends: the connected components of the points within eps of each other.
 * points (n x dim): rows `stride` elements apart (0: dim). n < 2^32 - 1.
 * eps: the largest distance between neighbours, 0 or more. Distances are those of bosc_kdtree_pairs. HAVERSINE and
 *     COSINE compare chords, in double: a pair whose distance is eps within a few roundings may be on either side.
 * min_samples: 1 or more; with weights, the least sum of weights, added in the order of the tree.
 * opts: required, as dim has no default.
 * labels (n): of label_bits; -1 for noise.
 * core (n): 1 for core points, else 0; may be NULL.
 * info: may be NULL. Set `size`.
 * Errors: BOSC_ERR_DATA with the row for a NaN, a weight that is not finite, a zero row under COSINE, and a point
 *     outside the periodic box; BOSC_ERR_LIMIT for n beyond the range of labels.
 * Cost: no neighbours are stored. O(n log n) work for well-spread points of few dimensions, at worst O(n^2); subtrees
 *     of one cluster are not searched for pairs. bosc_dbscan_bytes gives the memory. Each call builds a k-d tree.
 * Waits.
 * Source: Ester, Kriegel, Sander, Xu, A Density-Based Algorithm for Discovering Clusters (KDD 1996). */
BOSC_API bosc_status bosc_dbscan_compute(bosc_ctx *ctx, const void *points, int64_t n, int64_t stride, double eps,
                                         int64_t min_samples, const bosc_dbscan_opts *opts, void *labels, uint8_t *core,
                                         bosc_dbscan_info *info);

/* The same for the rows of a k-d tree.
 * opts: NULL means the defaults; dtype and dim are the tree's, metric is MINKOWSKI.
 * Errors: BOSC_ERR_ARG if duplicates are removed.
 * Cost: as bosc_dbscan_compute, without the tree. */
BOSC_API bosc_status bosc_dbscan_compute_tree(bosc_ctx *ctx, const bosc_kdtree *tree, double eps, int64_t min_samples,
                                              const bosc_dbscan_opts *opts, void *labels, uint8_t *core,
                                              bosc_dbscan_info *info);

/* Computes the most backend memory, in bytes, of bosc_dbscan_compute for n host points. Needs no device.
 * bytes: receives their number.
 * Cost: O(1). */
BOSC_API bosc_status bosc_dbscan_bytes(const bosc_ctx *ctx, const bosc_dbscan_opts *opts, int64_t n, int64_t *bytes);

BOSC_END_DECLS
#endif
