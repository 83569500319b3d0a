/* k-d trees the plain way: sort by (superkey, id), take the median, do the same on both sides; measure every point. */
#ifndef TESTS_REFERENCE_KDTREE_H
#define TESTS_REFERENCE_KDTREE_H

#include <boscage/kdtree.h>

/* Points are rows of dim elements, `stride` apart. */
struct reference_points {
    bosc_dtype dtype;
    int32_t dim;
    int64_t n, stride;
    const void *data;
};

/* order[i] = row of the i-th node in order. */
void reference_kdtree(const struct reference_points *p, int64_t *order);

/* Rows that are the first of their equals, ascending; returns their number. */
int64_t reference_unique(const struct reference_points *p, int64_t *rows);

/* Whether two rows are equal points. */
int reference_equal(const struct reference_points *p, int64_t a, int64_t b);

/* Squared distance of row i to a query, by the rules of bosc_kdtree_knn. */
double reference_dist2(const struct reference_points *p, int64_t i, const void *query);

/* Minkowski's distance, of periods (NULL: none). */
struct reference_metric {
    double p;
    const double *periods;
};

/* What bosc_kdtree_query_opts compares, of row i and a query: the squared distance for p = 2, else the distance. That
 * of p other than 1, 2 and infinity is rounded from long double. */
double reference_measure(const struct reference_points *p, int64_t i, const void *query,
                         const struct reference_metric *metric);
double reference_distance(const struct reference_metric *metric, double measure);

/* The k nearest rows within r2 (infinity for all), by (distance, row); -1 and infinity where there are none. */
void reference_knn(const struct reference_points *p, const void *query, int64_t k, double r2, int64_t *ids,
                   double *dist2);

#endif
