/* Plain DBSCAN: lists all neighbours, and visits the points in the order of their rows. */
#ifndef TESTS_REFERENCE_CLUSTER_H
#define TESTS_REFERENCE_CLUSTER_H

#include "reference/kdtree.h"

/* Neighbours of each row, itself among them: ids[offsets[i]] to ids[offsets[i + 1] - 1]. */
struct reference_neighbours {
    int64_t n, *offsets, *ids;
};

/* Lists the neighbours by measuring all pairs. The caller frees offsets and ids. */
struct reference_neighbours reference_neighbours_of(const struct reference_points *p,
                                                    const struct reference_metric *metric, double eps);

/* Finds labels (n) and core flags (n), as scikit-learn does: by a depth-first search from each core row without a
 * label, in order. weights: NULL: all 1. Returns the number of clusters. */
int64_t reference_dbscan(const struct reference_neighbours *near, const double *weights, double min_samples,
                         int64_t *labels, uint8_t *core);

#endif
