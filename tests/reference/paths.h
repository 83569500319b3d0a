/* Plain shortest paths: Dijkstra's algorithm without a heap, breadth-first search, and predecessors by their
 * definition. */
#ifndef TESTS_REFERENCE_PATHS_H
#define TESTS_REFERENCE_PATHS_H

#include <stdbool.h>

#include <boscage/paths.h>

#include "reference/forest.h"

struct reference_paths {
    uint64_t *distances; /* (n) integers, or the bits of doubles */
    int64_t *predecessors, *edges, *nearest;
    int64_t reached;
};

/* Edges are walked both ways, unless `directed`. opts may be NULL. Returns false if the sum of an integer distance
 * overflows. Weights are 0 or more. The caller frees the arrays. */
bool reference_paths(const struct reference_edges *g, bool directed, const int64_t *sources, int64_t count,
                     const bosc_paths_opts *opts, struct reference_paths *paths);
void reference_paths_free(struct reference_paths *paths);

#endif
