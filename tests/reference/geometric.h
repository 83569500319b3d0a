/* Plain geometric hashing (Lamdan and Wolfson): compares every basis of the model with every basis of the scene, and
 * every point with every point. */
#ifndef TESTS_REFERENCE_GEOMETRIC_H
#define TESTS_REFERENCE_GEOMETRIC_H

#include <boscage/geometric.h>

/* Returns the number of bases of a model of n points (at most 64); 0: none is possible. */
int64_t reference_geometric_bases(const bosc_geometric_opts *opts, const double *model, int64_t n);

/* Searches for the model in a scene of m points (at most 64): ids (n; -1: none) and the match. */
void reference_geometric_find(const bosc_geometric_opts *opts, const double *model, int64_t n, const double *scene,
                              int64_t m, int64_t *ids, bosc_geometric_match *match);

#endif
