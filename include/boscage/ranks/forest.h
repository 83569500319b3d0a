/* boscage/ranks/forest.h - minimum spanning forests and their proof, components, and Euclidean trees, over ranks.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: points, graphs and keys
 * Start with: bosc_ranks_msf_compute
 *
 * Each rank has a graph (boscage/graph.h) of all vertices and of its own edges, any number of them. The number of
 * vertices, the type of the weights and id_bits are equal on all ranks. Together the graphs are one graph. Edge ids
 * count the entries over the ranks: entry i of rank r is edge i + the number of entries of the ranks below r. Options
 * that keep one of several parallel edges work within a rank; only PARALLEL_MIN, in a minimum forest, then equals that
 * of the whole graph.
 *
 * Options are those of boscage/forest.h. `maximum`, `trees`, `replicated_bytes`, the limit and the vertex mask must be
 * equal on all ranks; the edge mask is of the rank's own entries. `algorithm` matters to one rank alone.
 *
 * Vertices are replicated: every rank has memory for all of them. If that would take more than `replicated_bytes`, they
 * are sharded instead: a rank then has memory for its edges and its share of the vertices, beside its graph's 4 or 8
 * bytes a vertex. Both forms give the bits of one context for the entries of all ranks in their order.
 *
 * Source: Sanders, Schimek, Engineering Massively Parallel MST Algorithms (IPDPS 2023), for rounds over replicated and
 *     over sharded vertices. */
#ifndef BOSCAGE_RANKS_FOREST_H
#define BOSCAGE_RANKS_FOREST_H

#include <boscage/comm.h>
#include <boscage/forest.h>

BOSC_BEGIN_DECLS

/* Finds the minimum spanning forest of the whole graph.
 * opts: NULL means the defaults.
 * edges (min(n - 1, entries)): of the graph's id_bits, this rank's edges in the forest, as ids over all ranks,
 *     ascending; may be NULL.
 * count: host; their number; may be NULL.
 * labels (n): of id_bits, the smallest vertex of each vertex's tree, the same on all ranks; may be NULL.
 * info: of the whole forest, the same on all ranks; `rounds` counts those over the ranks, and none is recorded. May be
 *     NULL. Set `size`.
 * Errors: BOSC_ERR_LIMIT for 2^32 - 1 entries or more of all ranks where ids have 32 bits.
 * Cost: O(m + n log n) work expected; at most 65 rounds, mostly about 10. In each a rank sends 21 bytes (29 with 64-bit
 *     weights) for each of the remaining trees that other ranks reduce: n at first, at most n / 2 then. O(n) work on
 *     every rank for labels. If `trees` cuts the forest, labels take log2(ranks) exchanges more, of 4 n bytes each.
 *     Scratch: 32 bytes (48 with 64-bit weights) for each light edge, 1.25 n of all ranks, or for each heavy edge
 *     between two components; and up to 170 bytes a vertex, which is compared with replicated_bytes. One rank alone
 *     calls bosc_msf_compute.
 * Cost on CUDA, with 32-bit weights and at most 2^28 entries of all ranks, if kernels reach the memory of all ranks: as
 *     bosc_msf_compute of a half or less of the edges, and up to 24 exchanges, 9 more for a sum of floats. A rank
 *     receives 16 bytes for each light edge of all ranks, and for each heavy one between two components. Scratch
 *     besides: 62 bytes a vertex and up to 21 an entry of all ranks; not so if these are more than replicated_bytes.
 * Cost of threads on CPUs, with fewer than 2^31 entries of all ranks: bosc_msf_compute of the whole graph on rank 0,
 *     with the threads of all ranks, which wait for it; 7 exchanges. Scratch of rank 0: up to 120 bytes a vertex and 40
 *     an entry of all ranks; not so if these are more than replicated_bytes.
 * Cost with sharded vertices: O(m log n) work; at most 32 rounds of about 30 exchanges over the remaining edges. A rank
 *     sends 24 bytes for each of the v components that its edges touch, queries 4 bytes for each of these and 8 for
 *     each of the c that it owns, and up to 32 times 12 bytes for paths of components that join. Once 170 bytes for
 *     each remaining component are within replicated_bytes, the rounds above follow. Scratch: 32 bytes an edge (48 with
 *     64-bit weights), 100 for each of the v, 150 for each of the c (n / ranks at first), 24 for each edge received for
 *     them, a quarter of a byte a vertex, and with labels 8 bytes a vertex (9 with a vertex mask).
 * Waits. */
BOSC_API bosc_status bosc_ranks_msf_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                            const bosc_msf_opts *opts, void *edges, int64_t *count, void *labels,
                                            bosc_msf_info *info);

/* Finds the connected components of the whole graph.
 * opts: masks, limit and maximum count; NULL means the defaults.
 * labels (n): of id_bits, as in bosc_components_compute; the same on all ranks; may be NULL.
 * count: host; the number of components of the whole graph; may be NULL.
 * Cost: bosc_components_compute of the rank's edges; then log2(ranks) exchanges, rounded up, of 4 n bytes a rank; O(n)
 *     work for each. Scratch: 24 n bytes. Threads on CPUs: bosc_components_compute of the whole graph on rank 0, as in
 *     bosc_ranks_msf_compute. If 24 n is more than replicated_bytes, as bosc_ranks_msf_compute with sharded
 *     vertices. One rank alone calls bosc_components_compute.
 * Waits. */
BOSC_API bosc_status bosc_ranks_components_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                                   const bosc_msf_opts *opts, void *labels, int64_t *count);

/* Proves that edges are the minimum spanning forest of the whole graph, as bosc_msf_verify does.
 * Each rank passes a slice of the list, of any ranks' edges. Errors, messages and *edge are those of bosc_msf_verify
 * for the whole list, on all ranks.
 * edges (count): ids over all ranks, of id_bits, in any order.
 * opts: as given to bosc_ranks_msf_compute; `trees` must be 0.
 * edge: host; the offending edge's id over all ranks; may be NULL.
 * Cost: ids go to the ranks of their edges; then every rank receives all f given edges, 24 bytes each, makes the tree
 *     of Boruvka's rounds over them, and compares its own m edges with it: O(f log n + m log n) work. Scratch: a
 *     quarter of a byte an entry, about 100 bytes a vertex, and 170 for each of the f.
 * Cost with sharded vertices (if 270 n is more than replicated_bytes): at most 32 rounds as in bosc_ranks_msf_compute
 * over the given edges, which stay on their ranks, with 24 bytes more for each component that a rank's edges touch.
 * Scratch: 40 bytes an edge (48 with 64-bit weights), 150 for each given edge and owned component of the rank, 100 for
 * each component that its edges or other ranks' queries touch, and half a byte a vertex.
 * Waits. */
BOSC_API bosc_status bosc_ranks_msf_verify(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                           const bosc_msf_opts *opts, const void *edges, int64_t count, int64_t *edge);

/* Finds the Euclidean minimum spanning tree of the points of all ranks, as bosc_emst_compute does.
 * Point ids count the rows over the ranks: row i of rank r is point i + the number of points of the ranks below r.
 * Edges, their order and their squared lengths are those of one context. Edge k of the list goes to the rank of point
 * k, so the ranks' parts in their order are the list.
 * points (n x dim): rows `stride` elements apart (0: dim). n may be 0; less than 2^32 - 1 in all.
 * opts: equal on all ranks.
 * pairs (n, 2): of id_bits: this rank's part.
 * dist2 (n): their squared lengths; may be NULL.
 * count: host; the number of edges in this rank's part: n, or n - 1 on the last rank that has points; may be NULL.
 * Errors: BOSC_ERR_DATA with the row over all ranks for a NaN; BOSC_ERR_LIMIT for too many points of all ranks,
 *     and on several ranks if bosc_emst_compute would multiply those of a shard by a power of two (boscage/kdtree.h).
 * Cost: bosc_ranks_kdtree_build, and bosc_emst_compute of the shard. Edges shorter than the distance to the other
 *     shards' boxes need no exchange. The remaining C components, about as many as there are points near borders of
 *     shards, are joined in at most 32 rounds that at least halve them. Points near borders query other shards for
 *     their nearest point of another component, with the coordinates and up to 28 bytes a query, and ranks send 64
 *     bytes a component; at worst each point queries all shards in every round. In the end each edge moves once, with
 *     16 bytes. Scratch: about 210 bytes and two copies of the coordinates a point, that of bosc_emst_compute, 50 bytes
 *     and the coordinates a query sent or received, and 100 bytes for each of the C, on every rank. One rank alone
 *     calls bosc_emst_compute.
 * Waits.
 * Sources: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010), for shards and queries; Sanders and
 *     Schimek (above), for the local contraction. */
BOSC_API bosc_status bosc_ranks_emst_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                             int64_t stride, const bosc_emst_opts *opts, void *pairs, void *dist2,
                                             int64_t *count);

/* Finds the minimum spanning tree under mutual reachability of the points of all ranks, as bosc_emst_compute_mutual.
 * Edges and their distribution: as bosc_ranks_emst_compute.
 * points, n, stride, opts, pairs, dist2, count: as in bosc_ranks_emst_compute.
 * min_samples: as in bosc_emst_compute_mutual, of the points of all ranks; equal on all ranks.
 * Errors: as bosc_ranks_emst_compute; BOSC_ERR_ARG if min_samples is more than the points of all ranks.
 * Cost: bosc_ranks_emst_compute, and bosc_ranks_kdtree_knn of the rank's points with k = min_samples, with its answers
 *     of 8 (12 for other types than F32) min_samples bytes a point. Queries have 4 or 8 bytes more. Core distances make
 *     many edges equally long: more points query other shards, about those within the core distances of their borders.
 * Waits. */
BOSC_API bosc_status bosc_ranks_emst_compute_mutual(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                                    int64_t stride, const bosc_emst_opts *opts, int64_t min_samples,
                                                    void *pairs, void *dist2, int64_t *count);

/* Finds the minimum spanning tree under Minkowski distances of the points of all ranks, as bosc_emst_compute_minkowski.
 * Edges and their distribution: as bosc_ranks_emst_compute. Coordinates are rounded to double.
 * points, n, stride, opts, pairs, count: as in bosc_ranks_emst_compute.
 * p: 1 or more; INFINITY: the largest difference; equal on all ranks.
 * min_samples: as in bosc_ranks_emst_compute_mutual; 0: plain distances; equal on all ranks.
 * lengths (n): of this rank's edges; may be NULL.
 * Errors: as bosc_ranks_emst_compute_mutual; BOSC_ERR_LIMIT with the row over all ranks for an infinite coordinate. For
 *     another p than 2 squares need not be in range; BOSC_ERR_LIMIT for a distance that is more than a double holds, of
 *     an edge or of points that a rank compares.
 * Cost: as bosc_ranks_emst_compute_mutual with F64, and 8 bytes of scratch a coordinate more. Other p than 1, 2 and
 *     INFINITY take several times as long, and more points query other shards: their boxes are as far as the largest
 *     difference.
 * Waits. */
BOSC_API bosc_status bosc_ranks_emst_compute_minkowski(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                                       int64_t stride, const bosc_emst_opts *opts, double p,
                                                       int64_t min_samples, void *pairs, double *lengths,
                                                       int64_t *count);

BOSC_END_DECLS
#endif
