/* boscage/ranks/cellgraph.h - cell graphs over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_ranks_cellgraph_build
 *
 * The graph is that of boscage/cellgraph.h: its vertices are the distinct vectors of all ranks, numbered in the order
 * of their first rows, and an edge joins two that differ in exactly one letter. Rows are counted over the ranks in
 * their order. A vertex belongs to the rank of its first row, its representative; an edge to the rank of its lower end.
 * So the ranks' vertices and edges, in the order of the ranks, are the lists of one context for all rows.
 *
 * To find edges, letters are divided into two halves, at even and at odd positions of their words. Vectors that differ
 * in one letter agree in the half without it (pigeonhole). There are two passes, one for each half: vertices go to the
 * rank that the hash of the half chooses, which finds the pairs among them as bosc_cellgraph_build does. No rank holds
 * all vectors, unless they are skewed: vectors that agree in a half all go to one rank in that pass. Vectors of one
 * letter have an empty half, so all of them, at most 256 distinct ones, go to one rank.
 *
 * bosc_ranks_cellgraph_create, _reserve, _build, _components and _components_masked are collective (boscage/ranks.h),
 * on the communicator of bosc_ranks_cellgraph_create, which must outlive the graph. A NULL handle fails on its rank
 * alone, which then misses the exchange. Below, n is the number of rows of this rank, N of all ranks, P the number of
 * ranks, w the words of a row.
 * Sources: as in boscage/cellgraph.h; Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling (2007), for
 *     tables of parts in which vectors agree. */
#ifndef BOSCAGE_RANKS_CELLGRAPH_H
#define BOSCAGE_RANKS_CELLGRAPH_H

#include <boscage/cellgraph.h>
#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* A rank's part of a graph. It may outlive the context that made it, but not the communicator. */
typedef struct bosc_ranks_cellgraph bosc_ranks_cellgraph;

/* Makes an empty graph. Collective.
 * opts: as in bosc_cellgraph_create, without implied_edges; the same on all ranks but for max_bytes, blocks and
 *     threads. The method is the one of each rank. 32-bit ids need less than 2^32 - 1 rows of all ranks.
 * graph: set on success. */
BOSC_API bosc_status bosc_ranks_cellgraph_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                                 bosc_ranks_cellgraph **graph);

/* Frees this rank's part; NULL is allowed.
 * Not collective. */
BOSC_API void bosc_ranks_cellgraph_free(bosc_ranks_cellgraph *graph);

/* Reserves memory so that later builds with this context allocate no more of the backend's. Collective.
 * Calls still allocate short lists in host memory. The graph keeps its contents. The number of vectors that a pass
 * sends to a rank varies: the call reserves for m + 64 sqrt(m) + 64 of them, m = total / P, almost certainly enough if
 * no more than 64 vectors agree in half of their letters. A rank with more allocates. The nodes of the published TRIE
 * are excepted.
 * n: most contiguous rows of this rank.
 * total: most rows of all ranks; the same on all ranks.
 * edges: most edges of this rank, and of one of its two passes.
 * Errors: BOSC_ERR_LIMIT for n or that share of 2^32 - 1 or more, and for as large a total where ids have 32 bits. On
 *     failure the graph is unchanged.
 * Cost: the memory of bosc_ranks_cellgraph_bytes, and a copy of the graph's contents.
 * Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_reserve(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int64_t n, int64_t total,
                                                  int64_t edges);

/* Computes upper bounds on the backend memory, in bytes, of a build on this rank, for the share of
 * bosc_ranks_cellgraph_reserve.
 * Not collective; needs no device.
 * n, total, edges: as in bosc_ranks_cellgraph_reserve.
 * kept: held by this rank's part; may be NULL.
 * scratch: of the context while it builds; may be NULL. */
BOSC_API bosc_status bosc_ranks_cellgraph_bytes(const bosc_ctx *ctx, const bosc_comm *comm,
                                                const bosc_cellgraph_opts *opts, int64_t n, int64_t total,
                                                int64_t edges, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from the packed vectors of all ranks. Collective.
 * vectors, n, stride: this rank's rows, as in bosc_cellgraph_build; n may be 0.
 * Errors: BOSC_ERR_LIMIT also for 2^32 - 1 rows or more of all ranks where ids have 32 bits, and if one rank receives
 *     as many vectors. The graph is unchanged after BOSC_ERR_ARG, and BOSC_ERR_LIMIT for the given rows; after any
 *     other failure it is empty, on all ranks.
 * Cost: O(n w) for the vertices of the rank's own rows; an exchange of their vectors (8 w + 33 bytes each) that finds
 *     equal ones; two exchanges of the vertices (8 w + 8 bytes each), each followed by a local graph of the received
 *     ones, about 1 / P of all vertices if many halves differ; 16 bytes an exchanged edge, and two radix sorts of the
 *     rank's edges. Memory: 12 bytes a row, 16 w + 32 a distinct vector, 16 an edge, and the largest local graph.
 *     Scratch: about 8 w + 60 bytes for each vector that a pass sends or receives, and that of the local builds. A
 *     second build of no larger sizes allocates only short lists in host memory. One rank alone calls
 *     bosc_cellgraph_build.
 * Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_build(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, const uint64_t *vectors,
                                                int64_t n, int64_t stride);

typedef struct bosc_ranks_cellgraph_info {
    size_t size;
    /* Of all ranks together. */
    int64_t n;        /* rows */
    int64_t vertices; /* distinct vectors */
    int64_t edges;
    /* Of this rank. */
    int64_t own_n, own_vertices, own_edges;
    int64_t first_row, first_vertex, first_edge; /* rows, vertices and edges of the ranks below */
    int64_t words;                               /* of a packed row */
    int32_t length, letter_bits, id_bits;
    int64_t bytes; /* backend memory held by this rank's part */
} bosc_ranks_cellgraph_info;

/* Describes the graph, with the sizes of the arrays below. Set `size`. Not collective. */
BOSC_API bosc_status bosc_ranks_cellgraph_get_info(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                                   bosc_ranks_cellgraph_info *info);

/* Copies this rank's vertices, and the vertices of its rows. Any array may be NULL. Not collective.
 * vectors (own_vertices x words): bits beyond the letters are 0.
 * representatives (own_vertices): of id_bits, the first row of each, counted over all ranks; ascending.
 * multiplicities (own_vertices): number of equal rows of all ranks.
 * vertex_of (own_n): of id_bits, the vertex of each of this rank's rows, counted over all ranks.
 * Cost: O(own_vertices w + n).
 * Queues. */
BOSC_API bosc_status bosc_ranks_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                                       uint64_t *vectors, void *representatives,
                                                       int64_t *multiplicities, void *vertex_of);

/* Copies this rank's edges. Either array may be NULL. Not collective.
 * pairs (own_edges x 2): of id_bits, the representatives i < j of the ends, counted over all ranks, ascending by (i,
 *     j); row i is this rank's.
 * positions (own_edges): the letter in which they differ.
 * Cost: O(own_edges).
 * Queues. */
BOSC_API bosc_status bosc_ranks_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *pairs,
                                                    uint32_t *positions);

/* Finds the connected components. Collective.
 * labels (own_vertices): of id_bits, the smallest vertex, counted over all ranks, of the component of each of this
 *     rank's vertices; may be NULL.
 * count: host; the number of components of the whole graph; may be NULL.
 * Errors: BOSC_ERR_LIMIT for 2^32 - 1 vertices or more of all ranks.
 * Cost: an exchange of 12 bytes an edge; then bosc_graph_build of the rank's edges and bosc_ranks_components_compute,
 *     which replicates the vertices: for each vertex of all ranks a rank takes 4 bytes of scratch beside those calls,
 *     and sends 4 bytes in each of log2(P) exchanges. One rank alone calls bosc_cellgraph_components.
 * Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_components(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *labels,
                                                     int64_t *count);

/* Finds the connected components among the vertices of a mask. Collective.
 * vertex_mask (own_vertices): of this rank's vertices; 0 removes the vertex and its edges, and its label has all bits
 *     set. NULL: all stay.
 * labels, count: as in bosc_ranks_cellgraph_components.
 * Cost: as bosc_ranks_cellgraph_components.
 * Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_components_masked(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                                            const uint8_t *vertex_mask, void *labels, int64_t *count);

BOSC_END_DECLS
#endif
