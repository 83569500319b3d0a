/* boscage/cellgraph.h - the cell graph: all pairs of vectors that differ in exactly one letter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A vector has `length` letters of `letter_bits` = r bits, each one of 2^r values. With r = 1 it is a binary vector,
 * and the pairs are those at Hamming distance 1. Equal vectors are one vertex. Vertices are numbered in the order of
 * their first rows, and an edge joins two that differ in one letter. The answer is exact, and the same bits whatever
 * the method, the backend and the number of threads.
 *
 * A row is packed in words (uint64_t) of floor(64 / r) letters: letter k is in bits r * j to r * j + r - 1 of word
 * k / floor(64 / r), where j is k modulo floor(64 / r). So a row has bosc_cellgraph_words(length, r) words; bits beyond
 * the letters are ignored. In the costs below, w is this number of words.
 * Sources: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015); Dobrowolski,
 * An Efficient Method of Constructing Cell Graph (SII 2013); Zobrist, A New Hashing Method with Application for Game
 * Playing (1970). */
#ifndef BOSCAGE_CELLGRAPH_H
#define BOSCAGE_CELLGRAPH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A cell graph in the memory of one backend and device. Any number of contexts of that device may read it at once,
 * while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_cellgraph bosc_cellgraph;

/* How pairs are found; the edges do not depend on it. Costs are for u vertices of w words. */
typedef enum bosc_cellgraph_method {
    /* HEURISTIC, ZOBRIST or JOIN: the one with the least estimated time. The estimate uses the number of vertices,
     * their words, and what a sample of them has in common. */
    BOSC_CELLGRAPH_AUTO = 0,
    /* All pairs, less those whose distances from a pivot differ by more than 1; with 0 pivots the naive method.
     * heuristic_search says whether as published. O(u^2 (pivots + w)). */
    BOSC_CELLGRAPH_HEURISTIC = 1,
    /* The neighbours of each vector in a trie of all (boscage/trie.h); less than 2^31 vectors. */
    BOSC_CELLGRAPH_TRIE = 2,
    /* Each vector, with each letter replaced by those that are less rare at its place, is looked up by its hash.
     * Letters that most vectors have cost nothing. O(u length 2^r) expected. */
    BOSC_CELLGRAPH_ZOBRIST = 3,
    /* Word-complement join: vectors that agree in all words but one have the same hash of the others, which brings them
     * together, for each word, or each quarter of longer vectors. Expected O(u w). A quarter in which many vectors
     * agree is halved again and again for those vectors alone, down to single words, in which the letters that vary are
     * replaced as by ZOBRIST: O(u (w log w + length 2^r)) at worst. */
    BOSC_CELLGRAPH_JOIN = 4
} bosc_cellgraph_method;

/* How HEURISTIC goes through the pairs. */
typedef enum bosc_cellgraph_heuristic_search {
    /* A thread takes a vector and those behind it, and looks no further than the first word in which two differ. Pivots
     * are spread evenly over the vertices. */
    BOSC_CELLGRAPH_HEURISTIC_ROWS = 0,
    /* Published: the first vertices are the pivots, and the distance of each pair that is left is counted over all of
     * its words. On a device a block takes a pair at a time, and each of its threads a word of it. */
    BOSC_CELLGRAPH_HEURISTIC_PUBLISHED = 1
} bosc_cellgraph_heuristic_search;

/* How TRIE searches. */
typedef enum bosc_cellgraph_trie_search {
    /* Down a compact trie, and into the children that differ in one letter. */
    BOSC_CELLGRAPH_TRIE_WALK = 0,
    /* Published: nodes with arrays of all children, in which each vector is looked up with each letter replaced.
     * O(u length^2 2^r), and much memory. */
    BOSC_CELLGRAPH_TRIE_LOOKUP = 1,
    /* Published, sequential, on the CPU backend alone: from the last letter to the first, groups of vectors that end
     * alike; those of a group with one parent in the trie are neighbours. O(u length). */
    BOSC_CELLGRAPH_TRIE_DOBROWOLSKI = 2
} bosc_cellgraph_trie_search;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_cellgraph_opts {
    size_t size;
    int32_t length;      /* letters of a vector, 1 to 65,536; required */
    int32_t letter_bits; /* 1 (default) to 8 */
    bosc_cellgraph_method method;
    int32_t pivots;  /* HEURISTIC: 0 to 16; no more than vertices are used */
    int32_t id_bits; /* rows and vertices in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    bosc_cellgraph_trie_search trie_search;
    /* JOIN on a device: upper bound on the scratch in which vertices are partitioned (one 33 KB partition may exceed
     * it); what does not fit is done in slices. 0: 340 MB, or the 11 to 130 bytes a vertex that one segment takes; if
     * that is over 1 GiB, at most half of what is free. */
    int64_t max_bytes;
    bosc_cellgraph_heuristic_search heuristic_search;
    /* HEURISTIC_PUBLISHED on a device: blocks of a launch, at most (0: 4,096), and threads of a block, up to 1,024 (0:
     * as many as a vector has words, in whole warps). TRIE_LOOKUP on a device: those of the search (0: as many as fill
     * the device). The CPU ignores them. */
    int32_t blocks, threads;
    int32_t digit_bits; /* TRIE: of the digits by which its nodes branch, as in boscage/trie.h; 0: the widest */
    /* 1: an addition makes a second graph and keeps the memory of the first for the next addition, so that builds and
     * additions of no larger shape, in the same order, allocate nothing. 0: an addition releases that memory. */
    int32_t keep_memory;
    int32_t reserved; /* 0 */
} bosc_cellgraph_opts;

/* Words of a packed row; 0 where a bosc_cellgraph_opts with these numbers would be refused. */
BOSC_API int64_t bosc_cellgraph_words(int32_t length, int32_t letter_bits);

/* Makes an empty graph.
 * opts: required, since length has no default.
 * graph: set on success. */
BOSC_API bosc_status bosc_cellgraph_create(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph **graph);

/* Frees the graph once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_cellgraph_free(bosc_cellgraph *graph);

/* Takes all rows out of a graph, for vectors of this length; other options and its memory stay.
 * length: as in bosc_cellgraph_opts.
 * Errors: on failure the graph holds what it held before. */
BOSC_API bosc_status bosc_cellgraph_reset(bosc_ctx *ctx, bosc_cellgraph *graph, int32_t length);

/* Reserves memory, so that builds of up to n rows that lie beside each other, with up to `edges` edges, allocate
 * nothing; with keep_memory, nor do additions up to n rows in all. The nodes of the published TRIE are excepted: the
 * vectors decide their number. The graph keeps what it holds.
 * Cost: the allocations, and a copy of what the graph holds. Waits. */
BOSC_API bosc_status bosc_cellgraph_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t edges);

/* Upper bounds on the backend memory of a build of n rows, all different, with this many edges and these options.
 * kept: bytes the graph keeps, with keep_memory those of both graphs, without the nodes of the published TRIE and what
 *     bosc_cellgraph_prepare keeps; may be NULL.
 * scratch: bytes of the context's scratch while building; may be NULL.
 * Needs no device. */
BOSC_API bosc_status bosc_cellgraph_bytes(const bosc_ctx *ctx, const bosc_cellgraph_opts *opts, int64_t n,
                                          int64_t edges, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from n packed vectors.
 * n: less than 2^32 - 1.
 * stride: words from a row to the next; 0: as many as a row has.
 * Errors: on BOSC_ERR_ARG and BOSC_ERR_LIMIT the graph holds what it held before; on any other failure it is empty.
 * Cost: expected O(n w) for the vertices, the method's cost for the edges, and O(edges) expected to put them in order;
 * memory by bosc_cellgraph_bytes. A second build of no more rows, vertices and edges allocates nothing. Waits. */
BOSC_API bosc_status bosc_cellgraph_build(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                          int64_t stride);

/* Adds n vectors: the graph becomes what a build of all rows, the old ones and then these, would make, but for the
 * method that is reported.
 * n: with the rows of before, less than 2^32 - 1.
 * Errors: on failure the graph is as it was.
 * Cost: O((vertices + n) w) to copy and group all vertices; where at most a sixteenth of them is new, these alone are
 * looked up, with each letter replaced, in O(new length 2^r) expected; else as a build. A second graph is made beside
 * the first, in the memory that keep_memory kept. Waits. */
BOSC_API bosc_status bosc_cellgraph_add(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                        int64_t stride);

typedef struct bosc_cellgraph_info {
    size_t size;
    int64_t n;        /* rows */
    int64_t vertices; /* distinct vectors */
    int64_t edges;
    int64_t words; /* of a packed row */
    int32_t length, letter_bits, id_bits;
    bosc_cellgraph_method method; /* that found the edges */
    int64_t bytes;                /* backend memory held by the graph */
    int64_t compared; /* JOIN: pairs compared and vectors looked up by the last build or addition; backends differ */
} bosc_cellgraph_info;

/* Describes the graph, with the sizes of the arrays below. Set `size`. */
BOSC_API bosc_status bosc_cellgraph_get_info(bosc_ctx *ctx, const bosc_cellgraph *graph, bosc_cellgraph_info *info);

/* Copies the vertices out. Any array may be NULL.
 * vectors: (vertices x words) bits beyond the letters are 0.
 * representatives: (vertices, of id_bits) the first row of each, ascending.
 * multiplicities: (vertices, int64) how many rows are equal.
 * vertex_of: (n, of id_bits) the vertex of each row.
 * Cost: O(vertices w + n). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, uint64_t *vectors,
                                                 void *representatives, int64_t *multiplicities, void *vertex_of);

/* Copies the edges out, once each. Either array may be NULL.
 * pairs: (edges x 2, of id_bits) the representatives (rows) i < j of the ends, ascending by (i, j).
 * positions: (edges, uint32_t) the letter in which they differ.
 * Cost: O(edges). Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_cellgraph *graph, void *pairs,
                                              uint32_t *positions);

/* Copies the graph out as CSR rows, with both arcs of every edge. Any array may be NULL.
 * offsets: (vertices + 1, int64) vertex v (not row v of the input) has entries offsets[v] to offsets[v + 1] - 1.
 * neighbours: (2 x edges, of id_bits) ascending in each row.
 * positions: (2 x edges, uint32_t) the letter in which they differ.
 * Cost: O(vertices + edges), and 8 (vertices + edges) bytes of scratch on the CPU; on a device a radix sort of 2 x
 * edges arcs, and 48 bytes an edge beside the sort's own. Waits. */
BOSC_API bosc_status bosc_cellgraph_get_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t *offsets,
                                             void *neighbours, uint32_t *positions);

/* Finds the connected components.
 * labels: (vertices, of id_bits; may be NULL) the smallest vertex of each vertex's component.
 * count: (host, may be NULL) the number of components.
 * Cost: O(vertices + edges), but for the inverse of Ackermann's function; 5 bytes of scratch a vertex. Waits. */
BOSC_API bosc_status bosc_cellgraph_components(bosc_ctx *ctx, const bosc_cellgraph *graph, void *labels,
                                               int64_t *count);

/* The same among the vertices of a mask.
 * vertex_mask: (vertices, or NULL: all) vertices with 0 are not there, nor are their edges; their labels have all bits
 * set.
 * Cost: as bosc_cellgraph_components. Waits. */
BOSC_API bosc_status bosc_cellgraph_components_masked(bosc_ctx *ctx, const bosc_cellgraph *graph,
                                                      const uint8_t *vertex_mask, void *labels, int64_t *count);

/* Keeps the rows of bosc_cellgraph_get_rows in the graph, until it is built anew or added to. Searches, which make them
 * for themselves otherwise, then begin at once.
 * Errors: on failure the graph is as it was.
 * Cost: that of bosc_cellgraph_get_rows; the graph keeps 8 (vertices + edges) bytes more. Waits. */
BOSC_API bosc_status bosc_cellgraph_prepare(bosc_ctx *ctx, bosc_cellgraph *graph);

/* Searches breadth-first from a vertex (not a row). Either array may be NULL.
 * levels: (vertices, of id_bits) the fewest edges on a way from the source.
 * parents: (vertices, of id_bits) the smallest neighbour whose level is one less; the source's own number for the
 * source.
 * Both have all bits set where no way leads.
 * reached: (host, may be NULL) the number of vertices reached, with the source.
 * depth: (host, may be NULL) the greatest level.
 * Errors: BOSC_ERR_ARG for a source that is no vertex.
 * Cost: O(vertices + edges), one launch on a device; 12 bytes of scratch a vertex, and that of bosc_cellgraph_prepare
 * and its rows unless the graph is prepared. Waits. */
BOSC_API bosc_status bosc_cellgraph_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source, void *levels,
                                           void *parents, int64_t *reached, int64_t *depth);

/* The same among the vertices of a mask.
 * vertex_mask: (vertices, or NULL: all) vertices with 0 are not there, nor are their edges. No way leads from a source
 * that is not there: nothing is reached.
 * Cost: as bosc_cellgraph_levels. Waits. */
BOSC_API bosc_status bosc_cellgraph_levels_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source,
                                                  const uint8_t *vertex_mask, void *levels, void *parents,
                                                  int64_t *reached, int64_t *depth);

/* Finds a shortest way between two vertices.
 * Searches from both ends take turns, a level each, the one from `from` first, until they meet. The way goes through
 * the smallest of the vertices in which they meet, and from it through the smallest neighbours whose level is one less.
 * path: (of id_bits, may be NULL) gets the first `capacity` vertices of it.
 * length: (host) its vertices, with both ends; 0 if no way leads from one to the other.
 * Errors: BOSC_ERR_ARG for an end that is no vertex.
 * Cost: O(vertices + edges) at most, one launch on a device; 28 bytes of scratch a vertex, and that of
 * bosc_cellgraph_prepare and its rows unless the graph is prepared. Waits. */
BOSC_API bosc_status bosc_cellgraph_path(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                         void *path, int64_t capacity, int64_t *length);

/* The same among the vertices of a mask.
 * vertex_mask: (vertices, or NULL: all) vertices with 0 are not there, nor are their edges. No way leads from or to
 * one.
 * Cost: as bosc_cellgraph_path. Waits. */
BOSC_API bosc_status bosc_cellgraph_path_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                                const uint8_t *vertex_mask, void *path, int64_t capacity,
                                                int64_t *length);

BOSC_END_DECLS
#endif
