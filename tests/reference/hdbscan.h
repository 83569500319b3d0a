/* HDBSCAN* over all pairs of points, and the condensed tree of a dendrogram row by row, as scikit-learn makes it. */
#ifndef TESTS_REFERENCE_HDBSCAN_H
#define TESTS_REFERENCE_HDBSCAN_H

#include <boscage/cluster.h>

/* Writes the dendrogram of n points under mutual reachability to z (n - 1, 4). d (n x n): squared distances. Edges are
 * ordered by (squared length, i, j). */
void reference_mutual_linkage(int64_t n, const double *d, int64_t min_samples, double *z);

/* Writes labels, probabilities and outlier scores (n each) of a dendrogram; opts are full. Returns the number of
 * clusters. */
int64_t reference_hdbscan(int64_t n, const double *z, const bosc_hdbscan_opts *opts, int64_t *labels,
                          double *probabilities, double *outlier_scores);

/* Writes the condensed tree: the arrays of bosc_hdbscan_condense. Returns the number of condensed clusters. */
int64_t reference_condense(int64_t n, const double *z, const bosc_hdbscan_opts *opts, int64_t *leaves,
                           double *densities, bosc_hdbscan_cluster *clusters);

/* Predicts one new point with squared distances d (n) to the points of a condensed tree of `count` clusters. core (n):
 * squared core distances. Returns the label. */
int64_t reference_predict(int64_t n, const double *d, const double *core, const int64_t *leaves,
                          const double *densities, const bosc_hdbscan_cluster *clusters, const bosc_hdbscan_opts *opts,
                          double *probability);

/* The point that such a point joins, and the squared length under mutual reachability. */
int64_t reference_nearest(int64_t n, const double *d, const double *core, int64_t min_samples, double *length);

/* Writes the rows of the exemplars of label k, ascending. Returns their number. */
int64_t reference_exemplars(int64_t n, const int64_t *leaves, const double *densities,
                            const bosc_hdbscan_cluster *clusters, int64_t count, int64_t k, int64_t *rows);

/* A point whose memberships are computed: it leaves (or joins) condensed cluster `leaf` at a density. */
struct reference_member {
    int64_t leaf;
    double density;
    int is_query; /* as membership_vector of hdbscan, else as all_points_membership_vectors */
};

/* Writes the memberships (labels). d2 (n): squared distances from the point. */
void reference_membership(int64_t n, const double *d2, const int64_t *leaves, const double *densities,
                          const bosc_hdbscan_cluster *clusters, int64_t count, int64_t labels,
                          struct reference_member point, double *to);

#endif
