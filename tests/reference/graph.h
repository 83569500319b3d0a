/* Plain graphs: lists, searched and sorted. */
#ifndef TESTS_REFERENCE_GRAPH_H
#define TESTS_REFERENCE_GRAPH_H

#include <boscage/graph.h>

struct reference_edge {
    int64_t u, v, id;
    uint64_t weight; /* the bytes of the weight, in the low bytes */
};

struct reference_entries {
    int64_t n, m;
    const int64_t *u, *v;
    const void *weights; /* NULL: all 1 */
};

struct reference_graph {
    int64_t n, m, arcs, loops, parallel;
    struct reference_edge *edges; /* by id, u <= v */
    struct reference_edge *rows;  /* arcs by (u, v, id) */
};

/* Builds the graph with complete options; or returns false, and sets *bad to the first invalid entry. */
int reference_build(const bosc_graph_opts *opts, const struct reference_entries *in, struct reference_graph *out,
                    int64_t *bad);
void reference_graph_free(struct reference_graph *g);

/* Compares two weights: -1, 0, 1; NaN is the largest. */
int reference_compare_weights(bosc_dtype dtype, uint64_t a, uint64_t b);

#endif
