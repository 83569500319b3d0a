/* boscage/ranks/cellgraph.h - cell graphs over the ranks of a communicator.
 * SPDX-License-Identifier: Apache-2.0
 *
 * The graph is that of boscage/cellgraph.h: its vertices are the distinct vectors of all ranks, numbered in the order
 * of their first rows, and an edge joins two that differ in exactly one letter. Rows are counted over the ranks in
 * their order. A vertex belongs to the rank that has its first row, its representative; an edge to the rank of its
 * lower end. So the ranks' vertices, one rank's after another's, and their edges too, are the lists that one context
 * gives for all rows.
 *
 * How edges are found: letters are dealt to two halves, those at even and at odd places of their words. Vectors that
 * differ in one letter agree in the half without it (pigeonhole). So there are two passes, one for each half: vertices
 * go to the rank that the hash of the half names, which finds the pairs among them as bosc_cellgraph_build does. No
 * rank holds all vectors, unless they are skewed: vectors that agree in a half all go to one rank in its pass, and if
 * most vectors do, this rank has most of the work and memory. Vectors of one letter have an empty half, so that all of
 * them, at most 256 different ones, go to one rank.
 *
 * bosc_ranks_cellgraph_create, _reserve, _build, _components and _components_masked are collective (boscage/ranks.h),
 * on
 * the communicator that the graph was created with, which must outlive it. A handle that is NULL fails on its rank
 * alone, which cannot meet the others then. Below, n are the rows of this rank, N those of all, P is the number of
 * ranks, w the words of a row.
 * Sources: as in boscage/cellgraph.h; Manku, Jain, Das Sarma, Detecting Near-Duplicates for Web Crawling (2007), for
 * tables of parts in which vectors agree. */
#ifndef BOSCAGE_RANKS_CELLGRAPH_H
#define BOSCAGE_RANKS_CELLGRAPH_H

#include <boscage/cellgraph.h>
#include <boscage/comm.h>

BOSC_BEGIN_DECLS

/* A rank's part of a graph. It may outlive the context that made it, but not the communicator. */
typedef struct bosc_ranks_cellgraph bosc_ranks_cellgraph;

/* Makes an empty graph. Collective.
 * opts: as for bosc_cellgraph_create; the same on all ranks but for max_bytes, blocks and threads. The method is that
 * by which ranks find pairs. 32 bits are enough for ids as long as all ranks together have less than 2^32 - 1 rows.
 * graph: set on success. */
BOSC_API bosc_status bosc_ranks_cellgraph_create(bosc_ctx *ctx, bosc_comm *comm, const bosc_cellgraph_opts *opts,
                                                 bosc_ranks_cellgraph **graph);

/* Frees this rank's part; NULL is allowed. Not collective. */
BOSC_API void bosc_ranks_cellgraph_free(bosc_ranks_cellgraph *graph);

/* Reserves memory, so that later builds with this context take none of the backend: neither for the graph nor as
 * scratch. Short lists in host memory are taken and given back by every call. Collective. The graph keeps what it
 * holds.
 * n: rows of this rank, at most, that lie beside each other. total: of all ranks, at most; the same on all ranks.
 * edges: that this rank has, and that it finds in one of the two passes, at most.
 * Which vectors meet on a rank is chance: room is made for m + 64 sqrt(m) + 64 of them, m = total / P, which is all but
 * certainly enough where no more than 64 vectors agree in half of their letters. A rank that gets more allocates. The
 * nodes of the published TRIE are excepted.
 * Errors: BOSC_ERR_LIMIT for n or such a share of 2^32 - 1 or more, and for as large a total where ids have 32 bits. On
 * failure the graph holds what it held before.
 * Cost: the bytes that bosc_ranks_cellgraph_bytes tells, and a copy of what the graph holds. Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_reserve(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int64_t n, int64_t total,
                                                  int64_t edges);

/* Tells upper bounds on the bytes of backend memory that a build takes on this rank, for the share that
 * bosc_ranks_cellgraph_reserve makes room for. Not collective; needs no device.
 * n, total, edges: as there.
 * kept: bytes that this rank's part keeps; may be NULL.
 * scratch: bytes of the context's scratch while it builds; may be NULL. */
BOSC_API bosc_status bosc_ranks_cellgraph_bytes(const bosc_ctx *ctx, const bosc_comm *comm,
                                                const bosc_cellgraph_opts *opts, int64_t n, int64_t total,
                                                int64_t edges, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from the packed vectors of all ranks. Collective.
 * vectors, n, stride: this rank's rows, as in bosc_cellgraph_build; n may be 0.
 * Errors: BOSC_ERR_LIMIT also for 2^32 - 1 rows or more of all ranks where ids have 32 bits, and if as many vectors or
 * more come to one rank. After BOSC_ERR_ARG, and a BOSC_ERR_LIMIT for the rows given, the graph holds what it held
 * before; after any other failure it is empty, on all ranks.
 * Cost: the vertices of the rank's own rows, in O(n w); an exchange of their vectors (8 w bytes and 33 more each) to
 * the ranks that a hash of them names, who bring equal ones together; then two exchanges of the vertices (8 w + 8 bytes
 * each), after each of which a rank builds a graph of what came, about 1 / P of all vertices where many halves differ;
 * 16 bytes an edge that is exchanged, and two radix sorts of the rank's edges. At most 3 x 8 n w bytes of vectors leave
 * a rank. Kept: 12 bytes a row, twice the rank's distinct vectors and 32 bytes more for each, 16 bytes an edge, and
 * the largest graph of what came. Scratch: about 8 w + 60 bytes for each vector that a pass sends or gets, and that of
 * the local builds. A second build in which a rank has, gets and finds no more than in the first allocates nothing but
 * short lists in host memory. One rank alone does what bosc_cellgraph_build does. Waits. */
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

/* Copies this rank's vertices out, and the vertices of its rows. Any array may be NULL. Not collective.
 * vectors: (own_vertices x words) bits beyond the letters are 0.
 * representatives: (own_vertices, of id_bits) the first row of each, counted over all ranks; ascending.
 * multiplicities: (own_vertices, int64) how many rows of all ranks are equal.
 * vertex_of: (own_n, of id_bits) the vertex of each of this rank's rows, counted over all ranks.
 * Cost: O(own_vertices w + n). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_ranks_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                                       uint64_t *vectors, void *representatives,
                                                       int64_t *multiplicities, void *vertex_of);

/* Copies this rank's edges out. Either array may be NULL. Not collective.
 * pairs: (own_edges x 2, of id_bits) the representatives i < j of the ends, counted over all ranks, ascending by
 * (i, j); row i is this rank's.
 * positions: (own_edges, uint32_t) the letter in which they differ.
 * Cost: O(own_edges). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_ranks_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *pairs,
                                                    uint32_t *positions);

/* Finds the connected components. Collective.
 * labels: (own_vertices, of id_bits; may be NULL) the smallest vertex, counted over all ranks, of the component of each
 * of this rank's vertices.
 * count: (host, may be NULL) the number of components of the whole graph.
 * Errors: BOSC_ERR_LIMIT for 2^32 - 1 vertices or more of all ranks.
 * Cost: an exchange of 12 bytes an edge; then a bosc_graph_build of the rank's edges and bosc_ranks_components_compute,
 * which replicate the vertices: for each of all ranks a rank takes 4 bytes of scratch beside what those calls take, and
 * sends 4 bytes in each of log2(P) exchanges. One rank alone does what bosc_cellgraph_components does. Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_components(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, void *labels,
                                                     int64_t *count);

/* The same among the vertices of a mask. Collective.
 * vertex_mask: (own_vertices, or NULL: all of this rank's) vertices with 0 are not there, nor are their edges; their
 * labels have all bits set.
 * Cost: as bosc_ranks_cellgraph_components. Waits. */
BOSC_API bosc_status bosc_ranks_cellgraph_components_masked(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph,
                                                            const uint8_t *vertex_mask, void *labels, int64_t *count);

BOSC_END_DECLS
#endif
