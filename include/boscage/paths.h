/* boscage/paths.h - shortest paths from one or many sources, breadth-first search, and their proof.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_paths_compute
 *
 * Lengths of edges are 0 or more. A distance is the least sum over all paths, added from the source in order: uint64_t
 * for integers, double for floats. So the graph alone determines the distances. If several predecessors attain the
 * distance of a vertex, the smallest is its predecessor: every backend and number of threads returns the same tree. */
#ifndef BOSCAGE_PATHS_H
#define BOSCAGE_PATHS_H

#include <boscage/graph.h>

BOSC_BEGIN_DECLS

typedef enum bosc_paths_algorithm {
    BOSC_PATHS_AUTO = 0,  /* the fastest of the backend */
    BOSC_PATHS_ROUNDS = 1 /* Bellman-Ford: each round relaxes the arcs of all vertices that the last one changed */
} bosc_paths_algorithm;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_paths_opts {
    size_t size;
    bosc_paths_algorithm algorithm;
    int32_t unweighted;  /* not 0: every edge has length 1: breadth-first search; distances are uint64_t */
    const void *limit;   /* one distance in host memory: vertices farther away are not reached; NULL: none is too far */
    double width;        /* of the ranges of distances that AUTO processes in turn; 0: chosen. Changes no result */
    int32_t each;        /* not 0: a search from each source, one after another; outputs have a row of n for each */
    int32_t offset_bits; /* of the offsets of directed rows: 32 (uint32_t) or 64 (int64_t); 0 means 64 */
} bosc_paths_opts;

typedef struct bosc_paths_info {
    size_t size;
    int64_t reached; /* vertices, the sources among them */
} bosc_paths_info;

/* Finds the shortest path from the nearest source to every vertex.
 * An edge joins both of its ends. Infinite weights are no edges.
 * sources (source_count): of the graph's id_bits, in any order, also repeated.
 * opts: NULL means the defaults.
 * distances (n): uint64_t, or double for weights F32 and F64; vertices not reached have UINT64_MAX, or INFINITY. May
 *     be NULL.
 * predecessors (n): of id_bits: the vertex before the last edge of the path; none (-1, UINT32_MAX) for sources and
 *     vertices not reached. If several are possible, the smallest at a smaller distance. If all are at the same
 *     distance, since edges of length 0 join them, the smallest with the fewest such edges on its path. May be NULL.
 * edges (n): of id_bits: the smallest edge id of the edges from there that attain the distance; none likewise. May be
 *     NULL.
 * nearest (n): of id_bits: the source at which the path of predecessors begins; none if not reached. May be NULL.
 * info: may be NULL. Set `size`. With opts->each it has the sum of all searches.
 * Errors: BOSC_ERR_DATA names the first source that is no vertex, or an edge of negative or NaN weight; BOSC_ERR_LIMIT
 *     a vertex whose distance is 2^64 - 1 or more, or of floats beyond a double. With opts->each the outputs of
 *     earlier sources are then written.
 * Cost: AUTO processes ranges of distances one after the other: about O(n + m) work if few vertices fall twice within
 *     a range. ROUNDS: O(n + m) work a round. `nearest` takes O(n log n) work. bosc_paths_bytes gives the memory.
 * Waits.
 * Sources: Meyer, Sanders, Delta-Stepping: A Parallelizable Shortest Path Algorithm (2003); Davidson, Baxter, Garland,
 *     Owens, Work-Efficient Parallel GPU Methods for Single-Source Shortest Paths (IPDPS 2014). */
BOSC_API bosc_status bosc_paths_compute(bosc_ctx *ctx, const bosc_graph *graph, const void *sources,
                                        int64_t source_count, const bosc_paths_opts *opts, void *distances,
                                        void *predecessors, void *edges, void *nearest, bosc_paths_info *info);

/* The same for directed arcs in CSR rows, without a graph.
 * graph_opts: weight and id_bits are used; NULL means the defaults.
 * offsets, neighbours, weights, n: as in bosc_graph_build_rows; arcs lead from their row to their neighbour. Offsets
 *     of opts->offset_bits.
 * edges (n): numbers of arcs.
 * Errors: as bosc_paths_compute; BOSC_ERR_DATA names the first wrong offset or neighbour.
 * Cost: as bosc_paths_compute, and at most 4 bytes a vertex and 12 an arc for rows in the backend's form. */
BOSC_API bosc_status bosc_paths_compute_rows(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const void *offsets,
                                             const void *neighbours, const void *weights, int64_t n,
                                             const void *sources, int64_t source_count, const bosc_paths_opts *opts,
                                             void *distances, void *predecessors, void *edges, void *nearest,
                                             bosc_paths_info *info);

/* Lists the vertices that directed rows reach, in the order of a breadth-first search with one queue.
 * The queue begins with the source; each vertex appends the unlisted ends of its arcs, in the order of its row.
 * graph_opts: id_bits is used; NULL means the defaults.
 * offsets, neighbours, n: as in bosc_paths_compute_rows.
 * source: a vertex.
 * opts: offset_bits, algorithm (ROUNDS: by levels on the backend's primitives) and limit, a uint64_t, are used; NULL
 *     means the defaults.
 * order (n): of id_bits; the first `count` are written. May be NULL.
 * predecessors (n): of id_bits: the vertex that appended each; none (-1, UINT32_MAX) for the source and vertices not
 *     reached. May be NULL.
 * count: host; receives the number of vertices reached.
 * Errors: BOSC_ERR_DATA names the first wrong offset or neighbour.
 * Cost: O(n + m) work. One thread of the CPU; on CUDA some launches a level.
 * Waits. */
BOSC_API bosc_status bosc_paths_order_rows(bosc_ctx *ctx, const bosc_graph_opts *graph_opts, const void *offsets,
                                           const void *neighbours, int64_t n, int64_t source,
                                           const bosc_paths_opts *opts, void *order, void *predecessors,
                                           int64_t *count);

/* Computes the most backend memory of bosc_paths_compute with host arrays, without opts->each. Needs no device.
 * arcs: as in bosc_graph_info.
 * bytes: receives the number of bytes.
 * Cost: O(1). */
BOSC_API bosc_status bosc_paths_bytes(const bosc_ctx *ctx, int64_t n, int64_t arcs, int64_t source_count,
                                      int64_t *bytes);

/* A faulty vertex, and the edge that shows it. */
typedef struct bosc_paths_fault {
    size_t size;
    int64_t vertex; /* -1: none */
    int64_t from;   /* the other end of the edge; -1: none */
    int64_t edge;   /* its id; -1: none */
} bosc_paths_fault;

/* Proves distances, and predecessors, whatever program made them, without computing a path.
 * The proof: sources are at distance 0; no edge leads to a vertex at less than its distance; every other vertex with a
 * distance attains it by an edge from its predecessor; predecessors lead to sources. Without predecessors, every vertex
 * must attain its distance by edges that lead from a source.
 * graph, sources, source_count, opts: as in bosc_paths_compute; algorithm and width are unused.
 * distances (n): as bosc_paths_compute writes them.
 * predecessors (n): of id_bits, any tree of shortest paths; NULL: only the distances are proved.
 * fault: the first fault; may be NULL. Set `size`.
 * Errors: BOSC_ERR_DATA with the reason if they are wrong; else as bosc_paths_compute.
 * Cost: O(n + m) work; with edges of length 0 the order of the predecessors takes O(n log n).
 * Waits. */
BOSC_API bosc_status bosc_paths_verify(bosc_ctx *ctx, const bosc_graph *graph, const void *sources,
                                       int64_t source_count, const bosc_paths_opts *opts, const void *distances,
                                       const void *predecessors, bosc_paths_fault *fault);

/* Lists the vertices of the path to a target.
 * predecessors (n): of id_bits.
 * id_bits: 64 (int64_t) or 32 (uint32_t).
 * route (capacity): of id_bits: from the source to the target; may be NULL.
 * length: host; the number of vertices; also set by BOSC_ERR_SPACE.
 * Errors: BOSC_ERR_DATA if predecessors are no vertices or form a cycle; BOSC_ERR_SPACE if capacity is less than the
 *     length and route is not NULL.
 * Cost: O(length) work, one vertex after the other; on CUDA host predecessors are copied whole.
 * Waits. */
BOSC_API bosc_status bosc_paths_route(bosc_ctx *ctx, const void *predecessors, int64_t n, int32_t id_bits,
                                      int64_t target, void *route, int64_t capacity, int64_t *length);

BOSC_END_DECLS
#endif
