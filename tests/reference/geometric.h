/* Plain geometric hashing (Lamdan and Wolfson): every basis of the model against every basis of the scene, and every
 * point against every point. */
#ifndef TESTS_REFERENCE_GEOMETRIC_H
#define TESTS_REFERENCE_GEOMETRIC_H

#include <boscage/geometric.h>

/* The bases that a model of n points (at most 64) gets; 0: it makes none. */
int64_t reference_geometric_bases(const bosc_geometric_opts *opts, const double *model, int64_t n);

/* What a search for the model finds in a scene of m points (at most 64): ids (n, -1: none) and the match. */
void reference_geometric_find(const bosc_geometric_opts *opts, const double *model, int64_t n, const double *scene,
                              int64_t m, int64_t *ids, bosc_geometric_match *match);

#endif
