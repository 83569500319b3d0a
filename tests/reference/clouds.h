/* Plain batches of clouds: every query measures all points of its cloud, every sample all points left. */
#ifndef TESTS_REFERENCE_CLOUDS_H
#define TESTS_REFERENCE_CLOUDS_H

#include "reference/kdtree.h"

/* Lists the k nearest rows in [begin, end) of a query within r2, but for row `skipped` (-1: none), by (distance, row);
 * padded with -1 and infinity. Returns the number of rows within r2. */
int64_t reference_clouds_knn(const struct reference_points *p, int64_t begin, int64_t end, const void *query, int64_t k,
                             double r2, int64_t skipped, int64_t *ids, double *dist2);

/* Lists `count` farthest point samples of the rows in [begin, end) from row `start` on; padded with -1. */
void reference_clouds_sample(const struct reference_points *p, int64_t begin, int64_t end, int64_t start, int64_t count,
                             int64_t *ids);

#endif
