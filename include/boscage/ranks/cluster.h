/* boscage/ranks/cluster.h - clusters of points over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_dbscan_compute */
#ifndef BOSCAGE_RANKS_CLUSTER_H
#define BOSCAGE_RANKS_CLUSTER_H

#include <boscage/cluster.h>
#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* Finds the clusters of the points of all ranks, as bosc_dbscan_compute does. Collective.
 * Labels, core flags and counts are those of one context for the points of all ranks.
 * points (n x dim): this rank's rows, `stride` elements apart (0: dim). n may be 0; less than 2^32 - 1 in all.
 * eps, min_samples: as in bosc_dbscan_compute; the same on all ranks.
 * opts: the same on all ranks. Weights are refused (BOSC_ERR_ARG): their sums would depend on the number of ranks.
 * labels (n): of label_bits, of this rank's rows.
 * core (n): of this rank's rows; may be NULL.
 * info: of the points of all ranks, the same on all; may be NULL. Set `size`.
 * Errors: as bosc_dbscan_compute, with rows over all ranks; BOSC_ERR_LIMIT if a rank's points and those of other ranks
 *     within eps of its box are 2^32 - 1 or more.
 * Cost: bosc_ranks_kdtree_build. A rank receives its halo, the h points of other ranks within eps of the boxes of its
 *     subtrees, with row + 12 bytes each, and clusters its own points and the halo as bosc_dbscan_compute does. Sets of
 *     core points with points in halos, o on all ranks, are joined by bosc_ranks_components_compute. Each row moves
 *     back with 12 bytes. Scratch: that of bosc_dbscan_compute for own points and halo, a copy of the coordinates, 40
 *     bytes a point, 40 for each point that is sent, and 30 o. One rank alone calls bosc_dbscan_compute.
 * Waits.
 * Source: Patwary et al., A New Scalable Parallel DBSCAN Algorithm Using the Disjoint-Set Data Structure (SC 2012). */
BOSC_API bosc_status bosc_ranks_dbscan_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                               int64_t stride, double eps, int64_t min_samples,
                                               const bosc_dbscan_opts *opts, void *labels, uint8_t *core,
                                               bosc_dbscan_info *info);

/* Finds the clusters of varying density of the points of all ranks, as bosc_hdbscan_compute does. Collective.
 * Labels, probabilities, outlier scores and counts are those of one context for the points of all ranks.
 * points (n x dim): this rank's rows, `stride` elements apart (0: dim). n may be 0; 2^31 at most in all.
 * opts: the same on all ranks.
 * labels (n): of label_bits, of this rank's rows.
 * probabilities (n), outlier_scores (n): of this rank's rows; may be NULL.
 * info: of the points of all ranks, the same on all; may be NULL. Set `size`.
 * Errors: as bosc_hdbscan_compute, with rows over all ranks; BOSC_ERR_LIMIT on several ranks under p 2 for points with
 *     squares out of range, which bosc_hdbscan_compute would multiply by a power of two.
 * Cost: bosc_ranks_emst_compute_mutual, under another p than 2 bosc_ranks_emst_compute_minkowski. Then every rank
 *     receives its edges, 12 bytes each (16 for other types than F32, other p, and directions). It makes the dendrogram
 *     and the selection of all points: about 200 bytes of scratch for each point of all ranks. One rank alone calls
 *     bosc_hdbscan_compute.
 * Waits. */
BOSC_API bosc_status bosc_ranks_hdbscan_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                                int64_t stride, const bosc_hdbscan_opts *opts, void *labels,
                                                double *probabilities, double *outlier_scores, bosc_hdbscan_info *info);

BOSC_END_DECLS
#endif
