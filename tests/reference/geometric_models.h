/* Plain search for a model in a scene: tries all bases of the model on all of the scene. */
#ifndef TESTS_REFERENCE_GEOMETRIC_MODELS_H
#define TESTS_REFERENCE_GEOMETRIC_MODELS_H

#include <boscage/geometric.h>

/* Finds the match with most inliers, then least error, of a model of n points (at most 32) in a scene of m; ids (n;
 * -1: none). Uses dim, kind and tolerance of the options; dim and tolerance are not 0. least: matches with fewer
 * inliers may be missed. The method is independent of the library: transforms from pairs of frames, rotations from a
 * power of a matrix. */
void reference_geometric_search(const bosc_geometric_opts *opts, const double *model, int64_t n, const double *scene,
                                int64_t m, int64_t least, int64_t *ids, bosc_geometric_match *match);

#endif
