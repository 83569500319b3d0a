/* boscage/ranks/forest.h - minimum spanning forests, their proof, components, and Euclidean trees, over the ranks of a
 * communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each rank has a graph of its own edges (boscage/graph.h), of any number, with the vertices of all: their number, the
 * type of the weights and id_bits are equal on all ranks. Together they are one graph. Its edge ids count the entries
 * over the ranks: entry i of rank r is edge i + the entries of the ranks below r. Options that leave one of parallel
 * edges do so among those of a rank: only PARALLEL_MIN, in a minimum forest, is then as for the whole graph.
 *
 * Options are those of boscage/forest.h. `maximum`, `trees`, the limit and the vertex mask must be equal on all ranks;
 * the edge mask is of the rank's own entries, and `algorithm` that of its own part of the work.
 *
 * Vertices are replicated: a rank takes memory for all of them, whatever its edges. Where that would be more than
 * `replicated_bytes` of the options (which must be equal on all ranks, too) they are spread over the ranks instead: a
 * rank then takes memory for its edges and for its share of the vertices, beside its graph's 4 or 8 bytes a vertex.
 * Answers are those of one context for the graph whose entries are the ranks' ones in order, bit for bit, in both
 * forms.
 *
 * Sources: Dehne, Goetz, Practical Parallel Algorithms for Minimum Spanning Trees (SRDS 1998): each rank drops edges
 * that cannot be in the forest, by a forest of its own, and Boruvka's rounds go on over replicated vertices; Sanders,
 * Schimek, Engineering Massively Parallel MST Algorithms (IPDPS 2023), whose last phase does so, and whose rounds over
 * vertices that are spread over the ranks the second form is. */
#ifndef BOSCAGE_RANKS_FOREST_H
#define BOSCAGE_RANKS_FOREST_H

#include <boscage/comm.h>
#include <boscage/forest.h>

BOSC_BEGIN_DECLS

/* Finds the minimum spanning forest. opts may be NULL.
 * edges: room for min(n - 1, entries) of the graph's id_bits, or NULL: those of this rank's edges that are in the
 * forest, by their ids over all ranks, ascending. *count: host, may be NULL: how many of this rank's there are.
 * labels: (n) of id_bits, or NULL: the smallest vertex of each vertex's tree, as those of bosc_msf_compute; the same on
 * all ranks. *info: may be NULL; set its size: of the whole forest, the same on all ranks; `rounds` are those over the
 * ranks, and no round is told.
 * Errors: BOSC_ERR_LIMIT for 2^32 - 1 entries or more in all where ids have 32 bits.
 * Cost: bosc_msf_compute of the rank's edges; then at most 33 rounds, each with two exchanges, in which a rank sends
 * 16 bytes (weights of 64 bits: 24) for each tree that is left, n at first and at most half as many a round. What
 * follows from the list of the forest's edges every rank does by itself, in O(n) work. Where `trees` cuts the forest,
 * labels take log2(ranks) exchanges more, of 4 n bytes each. Scratch: that of bosc_msf_compute, then 0.6 bytes an entry
 * and up to 170 bytes a vertex: what replicated_bytes is compared with. One rank alone does what bosc_msf_compute does,
 * and has no rounds. Waits.
 * Cost where vertices are spread over the ranks: at most 32 rounds over the edges that are left; O(m log n) work. In
 * each a rank sends 24 bytes for each of the v components that its edges have, asks for 4 bytes about each of them and
 * for 8 about each of the c that it owns, and jumps at most 32 times over ways of components that join: 12 bytes a jump
 * and component that has not arrived. About 30 exchanges a round, most of them of a word. Once 170 bytes for each of
 * the components that are left are within replicated_bytes, all ranks have these, in rounds as above. Scratch: 32 bytes
 * an edge (weights of 64 bits: 48), 100 for each of the v, 150 for each of the c, which are n / ranks at first, and 24
 * for each edge that comes for them; a quarter of a byte a vertex; where labels are asked for 8 bytes a vertex, and
 * with a vertex mask 9. */
BOSC_API bosc_status bosc_ranks_msf_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                            const bosc_msf_opts *opts, void *edges, int64_t *count, void *labels,
                                            bosc_msf_info *info);

/* Finds the connected components. Of opts the masks, limit and maximum count; NULL: all.
 * labels: (n) of id_bits, or NULL: as those of bosc_components_compute; the same on all ranks. *count: host; may be
 * NULL: the number of components of the whole graph.
 * Cost: bosc_components_compute of the rank's edges; then log2(ranks) exchanges, rounded up, in each of which a rank
 * sends 4 n bytes; O(n) work for each. Scratch: 24 n bytes. One rank alone does what bosc_components_compute does.
 * Where 24 n is more than replicated_bytes, as bosc_ranks_msf_compute with vertices that are spread over the ranks.
 * Waits. */
BOSC_API bosc_status bosc_ranks_components_compute(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                                   const bosc_msf_opts *opts, void *labels, int64_t *count);

/* Proves that edges are the minimum spanning forest of the whole graph, as bosc_msf_verify does, with its errors,
 * messages and *edge on all ranks. Each rank gives a slice of the list, of any edges, not its own alone.
 * edges: (count) ids over all ranks, of id_bits, in any order. opts: as given to bosc_ranks_msf_compute; `trees` must
 * be
 * 0. *edge: host, may be NULL: the offending edge's id over all ranks.
 * Cost: ids go to the ranks that have the edges; then every rank gets all edges given, 24 bytes each, makes the tree of
 * Boruvka's rounds over them, and compares its own edges with it: O(f log n + m log n) work for f edges given in all
 * and m of the rank's own. Scratch: a quarter of a byte an entry, about 100 bytes a vertex, and 170 for each of the f.
 * Waits.
 * Where 270 n is more than replicated_bytes vertices are spread over the ranks: at most 32 rounds over the edges given,
 * which stay on the ranks that have them, as bosc_ranks_msf_compute makes them, to the last one. In each a rank asks
 * for
 * 24 bytes more about each of the v components that its edges have. Scratch: 40 bytes an edge (weights of 64 bits: 48),
 * 150 for each edge given that the rank has and for each of the c components that it owns, n / ranks at first, and 100
 * for each of the v and for each one that others ask about; half a byte a vertex. */
BOSC_API bosc_status bosc_ranks_msf_verify(bosc_ctx *ctx, bosc_comm *comm, const bosc_graph *graph,
                                           const bosc_msf_opts *opts, const void *edges, int64_t count, int64_t *edge);

/* Finds the Euclidean minimum spanning tree of the points of all ranks, as bosc_emst_compute does. Point ids count the
 * rows over the ranks: row i of rank r is point i + the points of the ranks below r. Edges, their order and their
 * squared lengths are those of one context. Edge k of the list goes to the rank that gave point k: so the ranks' parts,
 * one after the other, are the list.
 * points: n rows of dim coordinates, `stride` elements apart (0: dim). n may be 0; less than 2^32 - 1 in all. opts:
 * equal on all ranks.
 * pairs: room for (n, 2) of id_bits: this rank's part. dist2: room for (n), or NULL. *count: host, may be NULL: how
 * many edges there are in it: n, or n - 1 on the last rank that has points.
 * Errors: BOSC_ERR_DATA with the row over all ranks for a NaN; BOSC_ERR_LIMIT for too many points of all ranks.
 * Cost: bosc_ranks_kdtree_build, and bosc_emst_compute of the shard. Edges that are shorter than the way to the other
 * shards' boxes are joined without an exchange, which leaves C components of all ranks, about as many as there are
 * points near the borders of shards, at worst all. Then come at most 32 rounds, each of which halves them at least: of
 * each component the point nearest to another shard asks it for its nearest point of another component (its coordinates
 * and 8 or 12 bytes go, 16 bytes come back), then all points to which one may be nearer than the best that any rank
 * knows for the component; ranks compare these, for which each sends 64 bytes a component. In the end each edge moves
 * once, with 16 bytes. Points that lie in few dimensions and not far apart ask a few times, and only near borders; at
 * worst each asks all shards in every round. Scratch: about 210 bytes and two copies of the coordinates a point, that
 * of bosc_emst_compute, 50 bytes and the coordinates for each question of this rank and to it, and 100 bytes for each
 * of the C, all of which every rank has. One rank alone does what bosc_emst_compute does. Waits.
 * Sources: March, Ram, Gray, Fast Euclidean Minimum Spanning Tree (KDD 2010), in each shard and for the questions;
 * Sanders and Schimek (above), whose local contraction it is. */
BOSC_API bosc_status bosc_ranks_emst_compute(bosc_ctx *ctx, bosc_comm *comm, const void *points, int64_t n,
                                             int64_t stride, const bosc_emst_opts *opts, void *pairs, void *dist2,
                                             int64_t *count);

BOSC_END_DECLS
#endif
