/* Centers and validity of clusters of labelled points, over all pairs. */
#ifndef TESTS_REFERENCE_LABELLED_H
#define TESTS_REFERENCE_LABELLED_H

#include <stdbool.h>
#include <stdint.h>

/* Rows of doubles with labels: less than 0 for noise. */
struct reference_labelled {
    int64_t n, clusters;
    int32_t dim;
    const double *x; /* (n, dim) */
    const int64_t *labels;
    const double *weights; /* NULL: 1 */
};

/* Writes the centers: the arrays of bosc_cluster_compute_centers. */
void reference_centers(const struct reference_labelled *p, double *centroids, int64_t *medoids);

/* Writes the scores of bosc_cluster_compute_validity. Returns the index. */
double reference_validity(const struct reference_labelled *p, bool raw, double *scores);

#endif
