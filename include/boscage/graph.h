/* boscage/graph.h - undirected graphs with weighted edges: build from edges or rows, inspect, save, generate.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A graph has n vertices, 0 to n - 1, and edges {u, v} with a weight. Self loops and parallel edges are allowed. An
 * edge id is the number of its entry in the arrays given, counted from 0; it never changes, whatever is removed.
 * Inside, a graph is in rows (CSR): both arcs of every edge, each row ascending by (neighbour, edge id), a self loop
 * once. The same input makes the same rows on every backend and number of threads.
 *
 * Arrays of vertices and of edge ids are uint32_t or int64_t, as the options' id_bits says. */
#ifndef BOSCAGE_GRAPH_H
#define BOSCAGE_GRAPH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A graph in the memory of one backend and device. Any number of contexts of that device may read it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_graph bosc_graph;

/* What an entry of the input is. */
typedef enum bosc_arcs {
    BOSC_ARCS_ONE = 0, /* one undirected edge; entries in both directions are two parallel edges */
    BOSC_ARCS_BOTH = 1 /* one of an edge's two arcs: for every (u, v, w) there is a (v, u, w), and the smaller number of
                          the two is the edge's id; a self loop is one entry. Of parallel edges of one weight the i-th
                          entry one way belongs to the i-th the other way */
} bosc_arcs;

/* What becomes of parallel edges. The edge that stays has the smallest id of those whose weight it has. */
typedef enum bosc_parallel {
    BOSC_PARALLEL_KEEP = 0,
    BOSC_PARALLEL_MIN = 1,  /* the lightest of them stays */
    BOSC_PARALLEL_SUM = 2,  /* one stays, of the smallest id, with the sum of the weights in the order of the ids */
    BOSC_PARALLEL_FIRST = 3 /* that of the smallest id stays */
} bosc_parallel;

/* What becomes of an edge whose weight is NaN. */
typedef enum bosc_nan {
    BOSC_NAN_REFUSE = 0, /* BOSC_ERR_DATA with the number of the entry */
    BOSC_NAN_DROP = 1,   /* the edge is left out */
    BOSC_NAN_LAST = 2    /* heavier than any number; all NaNs weigh the same. In a maximum forest, lighter than any */
} bosc_nan;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_graph_opts {
    size_t size;
    bosc_dtype weight; /* U32 (default), I32, F32, U64, I64 or F64. -0 is stored as +0 */
    int32_t id_bits;   /* vertices and edge ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    bosc_arcs arcs;
    bosc_parallel parallel;
    bosc_nan nan;
    int32_t drop_loops; /* not 0: self loops are left out */
    int32_t wide;       /* not 0: 64-bit offsets and edge ids inside even where 32 bits serve */
    int32_t
        assume_valid; /* not 0: vertices are in range, weights are no NaN, and ARCS_BOTH has both; none is checked */
} bosc_graph_opts;

/* Makes a graph without vertices. opts may be NULL for the defaults. *graph is set on success. BOSC_ERR_ARG,
 * BOSC_ERR_NOMEM. */
BOSC_API bosc_status bosc_graph_create(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph);

/* Frees the graph once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_graph_free(bosc_graph *graph);

/* Makes room so that builds of up to n vertices and m entries allocate nothing. */
BOSC_API bosc_status bosc_graph_reserve(bosc_ctx *ctx, bosc_graph *graph, int64_t n, int64_t m);

/* Bytes of backend memory for a build of n vertices and m entries with these options: kept by the graph, and scratch
 * while building (the context's). Either pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_graph_bytes(const bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m,
                                      int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from m entries (u[i], v[i], weights[i]). weights NULL: all 1. n < 2^32 - 1, m < 2^40.
 * A second build of the same or a smaller size allocates nothing. O(n + m) work (radix sort of the arcs). BOSC_ERR_DATA
 * names the first entry with a vertex out of range, a NaN (as the options say) or no partner (BOSC_ARCS_BOTH), or the
 * first edge whose integer sum overflows; a sum that is NaN is treated as a NaN. BOSC_ERR_LIMIT for larger n and m, and
 * for m >= 2^32 - 1 where ids have 32 bits. On failure the graph holds what it held before, except after
 * BOSC_ERR_DEVICE and BOSC_ERR_CANCELLED: then it is empty. Waits. */
BOSC_API bosc_status bosc_graph_build(bosc_ctx *ctx, bosc_graph *graph, int64_t n, int64_t m, const void *u,
                                      const void *v, const void *weights);

/* The same from rows: the entries of vertex u are (u, neighbours[i], weights[i]) for i from offsets[u] to
 * offsets[u + 1] - 1. offsets (n + 1, int64) ascend from 0, or BOSC_ERR_DATA says where not; neighbours in any order.
 */
BOSC_API bosc_status bosc_graph_build_rows(bosc_ctx *ctx, bosc_graph *graph, int64_t n, const int64_t *offsets,
                                           const void *neighbours, const void *weights);

typedef struct bosc_graph_info {
    size_t size;
    int64_t n;                         /* vertices */
    int64_t entries;                   /* given to the build: edge ids are below it */
    int64_t m;                         /* edges kept */
    int64_t arcs;                      /* 2 m less the self loops: elements of the rows */
    int64_t loops;                     /* self loops kept */
    int64_t parallel;                  /* edges kept beyond the first between the same two vertices */
    int64_t isolated;                  /* vertices of degree 0 */
    int64_t least_degree, most_degree; /* a self loop counts twice; 0 where n is 0 */
    bosc_dtype weight;
    int32_t id_bits;
    int64_t bytes; /* backend memory held by the graph */
} bosc_graph_info;

/* What the graph is; counted while it was built. Set `size`. */
BOSC_API bosc_status bosc_graph_get_info(const bosc_graph *graph, bosc_graph_info *info);

/* Copies the rows out: offsets (n + 1, int64), neighbours (arcs), weights (arcs, of the graph's type), edges (arcs: the
 * edge id of each arc). Any may be NULL. */
BOSC_API bosc_status bosc_graph_get_rows(bosc_ctx *ctx, const bosc_graph *graph, int64_t *offsets, void *neighbours,
                                         void *weights, void *edges);

/* Copies the edges out in the order of their ids, u <= v: ids, u, v (m of id_bits), weights (m). Any may be NULL. */
BOSC_API bosc_status bosc_graph_get_edges(bosc_ctx *ctx, const bosc_graph *graph, void *ids, void *u, void *v,
                                          void *weights);

/* Degrees of all vertices (n, int64); a self loop counts twice. */
BOSC_API bosc_status bosc_graph_get_degrees(bosc_ctx *ctx, const bosc_graph *graph, int64_t *degrees);

/* Saves the graph: versioned, little-endian, with an xxHash checksum, in a layout that can be mapped. The bytes are the
 * same on every backend. Waits. */
BOSC_API bosc_status bosc_graph_write(bosc_ctx *ctx, const bosc_graph *graph, bosc_write_fn write, void *user);

/* Reads a saved graph into a new handle on the context's backend. BOSC_ERR_FORMAT with the reason for damaged,
 * truncated or hostile bytes; memory grows with what was really read. *graph is set on success. */
BOSC_API bosc_status bosc_graph_read(bosc_ctx *ctx, bosc_read_fn read, void *user, bosc_graph **graph);

/* ---- generators: the same graph on every machine and backend ---- */

typedef enum bosc_graph_kind {
    BOSC_GRAPH_RANDOM = 0, /* G(n, m): m pairs of different vertices, drawn with replacement */
    BOSC_GRAPH_RMAT = 1,   /* recursive quadrants .45 .15 .15 .25; n is rounded up to a power of two; m pairs of
                              different vertices. Source: Chakrabarti, Zhan, Faloutsos, R-MAT (2004) */
    BOSC_GRAPH_SSCA2 = 2,  /* cliques of random size, of 1 to 3 parallel edges, joined at distances that double, and the
                              vertices renamed. Source: Bader and Madduri, GTgraph (2006); m is the largest clique
                              (default 8, at most 65,536), the number of edges follows */
    BOSC_GRAPH_GRID = 3,   /* the square grid of floor(sqrt(n)) rows; m is ignored */
    BOSC_GRAPH_ROAD = 4,   /* a coarse grid with 85 % of its edges, each cut by 0 to 3 vertices of degree 2, as in road
                              networks; n is a wish, m is ignored */
    BOSC_GRAPH_GEOMETRIC = 5 /* n uniform points of the unit square, joined within the radius that gives m edges in the
                                mean (default m: 4 n) */
} bosc_graph_kind;

typedef struct bosc_generate_opts {
    size_t size;
    bosc_graph_kind kind;
    uint64_t seed;
    int64_t n, m;
    int64_t least, most; /* weights are uniform integers of [least, most]; both 0: 1 to 2^24 - 1. For GEOMETRIC with
                            both 0: the edges' lengths times 2^24, rounded to the nearest */
    int32_t id_bits;     /* of u and v: 64 (default) or 32 */
} bosc_generate_opts;

/* Generates edges (u[i], v[i], weights[i]), u < v. Call first with arrays NULL and room 0 to get *n and *m; then with
 * arrays of room >= *m elements (weights int64_t; any array may be NULL), BOSC_ERR_SPACE if room < m. n and m may be
 * NULL. Edge i depends on the options alone. BOSC_ERR_LIMIT for graphs beyond those of bosc_graph_build. Waits. */
BOSC_API bosc_status bosc_graph_generate(bosc_ctx *ctx, const bosc_generate_opts *opts, int64_t *n, int64_t *m, void *u,
                                         void *v, int64_t *weights, int64_t room);

BOSC_END_DECLS
#endif
