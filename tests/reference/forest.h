/* Minimum spanning forests the plain way: all edges sorted, Kruskal's algorithm; paths walked one by one. */
#ifndef TESTS_REFERENCE_FOREST_H
#define TESTS_REFERENCE_FOREST_H

#include <boscage/forest.h>

/* Edge i joins u[i] and v[i] with weights[i] of the type; NaNs of float types are there, and last. */
struct reference_edges {
    int64_t n, m;
    const int64_t *u, *v;
    bosc_dtype dtype;
    const void *weights;
};

/* Ids of the forest's edges, ascending, to edges (room for n), the smallest vertex of each tree to labels (n; -1 for
 * vertices that the mask leaves out). opts may be NULL. Returns the number of edges. */
int64_t reference_msf(const struct reference_edges *g, const bosc_msf_opts *opts, int64_t *edges, int64_t *labels);

enum reference_fault {
    REFERENCE_GOOD,
    REFERENCE_NO_EDGE,  /* out of range, or not there */
    REFERENCE_REPEATED, /* stands twice */
    REFERENCE_CYCLE,    /* heaviest of a cycle among the given */
    REFERENCE_APART,    /* an edge of the graph whose ends are in two trees */
    REFERENCE_LIGHTER   /* an edge of the graph that is lighter than one between its ends */
};

/* What bosc_msf_verify should find first, and the smallest edge id that has it. */
enum reference_fault reference_verify(const struct reference_edges *g, const bosc_msf_opts *opts, const int64_t *ids,
                                      int64_t count, int64_t *edge);

/* The sum of the integer weights of `count` edges: *high * 2^64 + *low. */
void reference_sum(const struct reference_edges *g, const int64_t *ids, int64_t count, uint64_t *low, int64_t *high);

/* Weight i as a double. */
double reference_weight(const struct reference_edges *g, int64_t i);

#endif
