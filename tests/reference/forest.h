/* Plain minimum spanning forests: Kruskal's algorithm over all edges; verification by walking each path. */
#ifndef TESTS_REFERENCE_FOREST_H
#define TESTS_REFERENCE_FOREST_H

#include <boscage/forest.h>

/* Edge i joins u[i] and v[i] with weights[i] of the type; NaNs order last. */
struct reference_edges {
    int64_t n, m;
    const int64_t *u, *v;
    bosc_dtype dtype;
    const void *weights;
};

/* Writes the ids of the forest's edges, ascending, to edges (room for n), and the smallest vertex of each tree to
 * labels (n; -1: masked vertices). opts may be NULL. Returns the number of edges. */
int64_t reference_msf(const struct reference_edges *g, const bosc_msf_opts *opts, int64_t *edges, int64_t *labels);

enum reference_fault {
    REFERENCE_GOOD,
    REFERENCE_NO_EDGE,  /* out of range, or excluded */
    REFERENCE_REPEATED, /* listed twice */
    REFERENCE_CYCLE,    /* heaviest edge of a cycle of listed edges */
    REFERENCE_APART,    /* an edge of the graph with ends in two trees */
    REFERENCE_LIGHTER   /* an edge of the graph lighter than one on the path between its ends */
};

/* Returns the first fault that bosc_msf_verify must report; *edge: the smallest edge id with it. */
enum reference_fault reference_verify(const struct reference_edges *g, const bosc_msf_opts *opts, const int64_t *ids,
                                      int64_t count, int64_t *edge);

/* Sums the integer weights of `count` edges: *high * 2^64 + *low. */
void reference_sum(const struct reference_edges *g, const int64_t *ids, int64_t count, uint64_t *low, int64_t *high);

/* Returns weight i as a double. */
double reference_weight(const struct reference_edges *g, int64_t i);

#endif
