/* Plain k-d trees: sort by (superkey, id), split at the median, recurse; searches measure every point. */
#ifndef TESTS_REFERENCE_KDTREE_H
#define TESTS_REFERENCE_KDTREE_H

#include <stdbool.h>

#include <boscage/kdtree.h>

/* Points are rows of dim elements, `stride` apart. */
struct reference_points {
    bosc_dtype dtype;
    int32_t dim;
    int64_t n, stride;
    const void *data;
};

/* Sets order[i] to the row of the i-th node in order. */
void reference_kdtree(const struct reference_points *p, int64_t *order);

/* Lists the first row of each distinct point, ascending; returns their number. */
int64_t reference_unique(const struct reference_points *p, int64_t *rows);

/* True if two rows are equal points. */
int reference_equal(const struct reference_points *p, int64_t a, int64_t b);

/* Returns the squared distance of row i to a query, by the rules of bosc_kdtree_knn. */
double reference_dist2(const struct reference_points *p, int64_t i, const void *query);

/* Minkowski distance with periods (NULL: none). */
struct reference_metric {
    double p;
    const double *periods;
};

/* Returns the measure that bosc_kdtree_query_opts compares: the squared distance for p = 2, else the distance. For p
 * other than 1, 2 and infinity it is rounded from long double. */
double reference_measure(const struct reference_points *p, int64_t i, const void *query,
                         const struct reference_metric *metric);
double reference_distance(const struct reference_metric *metric, double measure);

/* True if the distance of a measure is within a bound. */
bool reference_within(const struct reference_points *p, const struct reference_metric *metric, double measure,
                      double bound);

/* Returns the largest squared distance whose root is at most the radius; -1 if there is none. If `single`, both are
 * floats. */
double reference_square_limit(double radius, bool single);

/* Lists the k nearest rows within r2 (infinity: all), by (distance, row); padded with -1 and infinity. */
void reference_knn(const struct reference_points *p, const void *query, int64_t k, double r2, int64_t *ids,
                   double *dist2);

#endif
