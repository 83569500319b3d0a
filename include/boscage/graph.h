/* boscage/graph.h - undirected graphs with weighted edges: build from edges or rows, inspect, save, generate.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_graph_build
 *
 * A graph has n vertices, 0 to n - 1, and edges {u, v} with a weight. Self loops and parallel edges are allowed. An
 * edge id is the number of its entry in the input, from 0; it stays the same when other edges are removed. The graph is
 * stored as CSR rows: both arcs of every edge, each row ascending by (neighbour, edge id), a self loop once. The same
 * input makes the same rows on every backend and number of threads.
 *
 * Arrays of vertices and of edge ids are uint32_t or int64_t, by the id_bits of the options. */
#ifndef BOSCAGE_GRAPH_H
#define BOSCAGE_GRAPH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A graph in the memory of one backend and device. Any number of contexts of that device may read it at once, while
 * none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_graph bosc_graph;

/* The meaning of an entry of the input. */
typedef enum bosc_graph_arcs {
    BOSC_GRAPH_ARCS_ONE = 0, /* one undirected edge; entries in both directions are two parallel edges */
    /* One of an edge's two arcs: every (u, v, w) needs a (v, u, w); the smaller of their two numbers is the edge id. A
     * self loop is one entry. Among parallel edges of one weight, the i-th entry one way pairs with the i-th the other
     * way. */
    BOSC_GRAPH_ARCS_BOTH = 1
} bosc_graph_arcs;

/* Treatment of parallel edges. Among edges of the weight that stays, the smallest id stays. */
typedef enum bosc_graph_parallel {
    BOSC_GRAPH_PARALLEL_KEEP = 0,
    BOSC_GRAPH_PARALLEL_MIN = 1,  /* the lightest stays */
    BOSC_GRAPH_PARALLEL_SUM = 2,  /* the smallest id stays, with the sum of the weights in the order of the ids */
    BOSC_GRAPH_PARALLEL_FIRST = 3 /* the smallest id stays */
} bosc_graph_parallel;

/* Treatment of an edge with a NaN weight. */
typedef enum bosc_graph_nan {
    BOSC_GRAPH_NAN_REFUSE = 0, /* BOSC_ERR_DATA with the number of the entry */
    BOSC_GRAPH_NAN_DROP = 1,   /* the edge is left out */
    BOSC_GRAPH_NAN_LAST = 2    /* heavier than any number, lighter in a maximum forest; all NaNs are equal */
} bosc_graph_nan;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_graph_opts {
    size_t size;
    bosc_dtype weight; /* U32 (default), I32, F32, U64, I64 or F64. -0 is stored as +0 */
    int32_t id_bits;   /* vertices and edge ids in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    bosc_graph_arcs arcs;
    bosc_graph_parallel parallel;
    bosc_graph_nan nan;
    int32_t drop_loops;   /* not 0: self loops are left out */
    int32_t wide;         /* not 0: 64-bit offsets and edge ids inside, even where 32 bits suffice */
    int32_t assume_valid; /* not 0: skips checks. Vertices must be in range, no weight NaN, and ARCS_BOTH must have both
                           * arcs */
} bosc_graph_opts;

/* Makes a graph without vertices.
 * opts: NULL means the defaults.
 * graph: set on success.
 * Errors: BOSC_ERR_ARG, BOSC_ERR_NOMEM. */
BOSC_API bosc_status bosc_graph_create(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph);

/* Frees the graph once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_graph_free(bosc_graph *graph);

/* Reserves memory so that builds of up to n vertices and m entries allocate nothing.
 * Cost: O(n + m) work if the graph's contents move.
 * Waits. */
BOSC_API bosc_status bosc_graph_reserve(bosc_ctx *ctx, bosc_graph *graph, int64_t n, int64_t m);

/* Computes the backend memory, in bytes, of a build of n vertices and m entries. Needs no device.
 * opts: NULL means the defaults.
 * kept: held by the graph, at most; may be NULL.
 * scratch: of the context while it builds, at most; may be NULL. */
BOSC_API bosc_status bosc_graph_bytes(const bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m,
                                      int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from m entries (u[i], v[i], weights[i]).
 * u, v (m): of id_bits, each below n.
 * weights (m): of the graph's type; NULL: all 1.
 * n: less than 2^32 - 1.
 * m: less than 2^40; less than 2^32 - 1 where ids have 32 bits.
 * Errors: BOSC_ERR_DATA names the first entry with a vertex out of range, a NaN (as the options say) or no partner
 *     (ARCS_BOTH), or the first edge whose integer sum overflows; a sum that is NaN counts as a NaN. BOSC_ERR_LIMIT for
 *     larger n and m. On failure the graph is unchanged, but empty after BOSC_ERR_DEVICE, BOSC_ERR_CANCELLED, and on
 *     CUDA BOSC_ERR_NOMEM of a launch.
 * Cost: O(n + m) work (radix sorts of the edges); bosc_graph_bytes gives the memory. A second build of the same or a
 *     smaller size allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_graph_build(bosc_ctx *ctx, bosc_graph *graph, const void *u, const void *v,
                                      const void *weights, int64_t n, int64_t m);

/* Builds or rebuilds the graph from CSR rows.
 * The entries of vertex u are (u, neighbours[i], weights[i]) for i from offsets[u] to offsets[u + 1] - 1.
 * offsets (n + 1): ascending from 0.
 * neighbours (m): of id_bits, in any order.
 * weights (m): as in bosc_graph_build.
 * Errors: as bosc_graph_build; BOSC_ERR_DATA also names the first wrong offset.
 * Cost: as bosc_graph_build, and 4 m bytes of scratch.
 * Waits. */
BOSC_API bosc_status bosc_graph_build_rows(bosc_ctx *ctx, bosc_graph *graph, const int64_t *offsets,
                                           const void *neighbours, const void *weights, int64_t n);

typedef struct bosc_graph_info {
    size_t size;
    int64_t n;                         /* vertices */
    int64_t entries;                   /* of the build; edge ids are below it */
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

/* Describes the graph, from counts made by its build. Set `size`.
 * Cost: O(1). */
BOSC_API bosc_status bosc_graph_get_info(bosc_ctx *ctx, const bosc_graph *graph, bosc_graph_info *info);

/* Copies the CSR rows. Any array may be NULL.
 * offsets (n + 1): first arc of each row.
 * neighbours (arcs): of id_bits.
 * weights (arcs): of the graph's type.
 * edges (arcs): of id_bits, the edge id of each arc.
 * Cost: O(n + m) work.
 * Queues. */
BOSC_API bosc_status bosc_graph_get_rows(bosc_ctx *ctx, const bosc_graph *graph, int64_t *offsets, void *neighbours,
                                         void *weights, void *edges);

/* Copies the edges in the order of their ids, u <= v. Any array may be NULL.
 * ids, u, v (m): of id_bits.
 * weights (m): of the graph's type.
 * Cost: O(n + m) work, 13 bytes of scratch an arc (21 with 64-bit ids inside), and a radix sort of the ids unless they
 *     ascend with the rows.
 * Waits. */
BOSC_API bosc_status bosc_graph_get_edges(bosc_ctx *ctx, const bosc_graph *graph, void *ids, void *u, void *v,
                                          void *weights);

/* Copies the degrees of all vertices. A self loop counts twice.
 * degrees (n): of vertex 0 to n - 1.
 * Cost: O(n log d) work for degrees up to d: the call searches for self loops.
 * Queues. */
BOSC_API bosc_status bosc_graph_get_degrees(bosc_ctx *ctx, const bosc_graph *graph, int64_t *degrees);

/* Saves the graph: versioned, little-endian, with an xxHash checksum; the same bytes on every backend, in a layout that
 * can be mapped.
 * Errors: BOSC_ERR_IO if write fails.
 * Cost: O(n + m) work; scratch for a copy of the weights.
 * Waits. */
BOSC_API bosc_status bosc_graph_write(bosc_ctx *ctx, const bosc_graph *graph, bosc_write_fn write, void *user);

/* Reads a saved graph into a new handle on the context's backend.
 * graph: set on success.
 * Errors: BOSC_ERR_FORMAT, with the reason, for damaged, truncated or hostile bytes. Memory grows only with the bytes
 *     read.
 * Cost: O(n + m log d) work for degrees up to d: the call searches for every arc's partner.
 * Waits. */
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
                              networks; n is approximate, m is ignored */
    BOSC_GRAPH_GEOMETRIC = 5, /* n uniform points of the unit square, joined within the radius that gives m edges in the
                                 mean (default m: 4 n) */
    BOSC_GRAPH_STAR = 6,      /* vertex 0 joined to all others; m is ignored */
    BOSC_GRAPH_PATH = 7, /* one path through all vertices in random order, its edges in random order; m is ignored */
    BOSC_GRAPH_HUBS = 8, /* m pairs of different vertices (default 4 n): one of the first ceil(sqrt(n)), vertex v
                                 with a probability proportional to 1 / (v + 1), and a uniform one */
    BOSC_GRAPH_BIPARTITE = 9, /* m pairs (default 4 n) of a uniform vertex of the first n / 2 and one of the others */
    BOSC_GRAPH_TREES = 10, /* random recursive trees of 16 vertices (the last may have fewer), the vertices and edges in
                                 random order; m is ignored */
    BOSC_GRAPH_EQUAL = 11  /* RANDOM with one weight for all edges: least, which must be most (both 0: 1) */
} bosc_graph_kind;

typedef struct bosc_graph_generate_opts {
    size_t size;
    bosc_graph_kind kind;
    uint64_t seed;
    int64_t n, m;
    int64_t least, most; /* weights are uniform integers of [least, most]; both 0: 1 to 2^24 - 1. For GEOMETRIC with
                            both 0: the edges' lengths times 2^24, rounded to the nearest */
    int32_t id_bits;     /* of u and v: 64 (default) or 32 */
} bosc_graph_generate_opts;

/* Generates edges (u[i], v[i], weights[i]), u < v; edge i depends on the options alone.
 * Call first with arrays NULL and capacity 0 to get *n and *m, then with arrays of capacity >= *m elements. Any array
 * may be NULL, and so may n and m.
 * u, v (capacity): of id_bits.
 * weights (capacity): integers.
 * Errors: BOSC_ERR_SPACE if capacity < m; BOSC_ERR_LIMIT for graphs beyond the limits of bosc_graph_build.
 * Cost: O(n + m) work expected (RMAT: O(m log n)); up to 16 n bytes of scratch, for GEOMETRIC 44 n.
 * Waits. */
BOSC_API bosc_status bosc_graph_generate(bosc_ctx *ctx, const bosc_graph_generate_opts *opts, int64_t *n, int64_t *m,
                                         void *u, void *v, int64_t *weights, int64_t capacity);

BOSC_END_DECLS
#endif
