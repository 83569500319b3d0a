/* Where a model is in a scene, by trying all bases of the one on all of the other. */
#ifndef TESTS_REFERENCE_GEOMETRIC_MODELS_H
#define TESTS_REFERENCE_GEOMETRIC_MODELS_H

#include <boscage/geometric.h>

/* The match of most inliers, then least error, of a model of n points (at most 32) in a scene of m; ids (n, -1: none).
 * dim, kind and tolerance are of the options, none of them 0 but for the kind. `least`: matches of fewer inliers may be
 * overlooked. Nothing of how they are found is the library's: transforms come from pairs of frames, rotations from a
 * power of a matrix. */
void reference_geometric_place(const bosc_geometric_opts *opts, const double *model, int64_t n, const double *scene,
                               int64_t m, int64_t least, int64_t *ids, bosc_geometric_match *match);

#endif
