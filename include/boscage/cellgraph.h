/* boscage/cellgraph.h - the cell graph: all pairs of vectors that differ in exactly one letter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * A vector has `length` letters of `letter_bits` = r bits, each one of 2^r values; with r = 1 it is a binary vector and
 * the pairs are those at Hamming distance 1. Equal vectors are one vertex. Vertices are numbered in the order of their
 * first rows, and two that differ in one letter are joined by an edge. The answer is exact, and the same bits whatever
 * the method, the backend and the number of threads.
 *
 * A row is packed in words (uint64_t) of floor(64 / r) letters: letter k is in bits r * j to r * j + r - 1 of word
 * k / floor(64 / r), where j is k modulo floor(64 / r). So there are bosc_cellgraph_words(length, r) words in a row;
 * bits beyond the letters are ignored.
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

/* How pairs are found. The edges do not depend on it. Times are for u vertices of w words, and the expected ones over
 * the library's own hash. */
typedef enum bosc_cellgraph_method {
    BOSC_CELLGRAPH_AUTO =
        0, /* HEURISTIC, ZOBRIST or JOIN: the one whose time, estimated from the number of vertices, their
                           words, and what a sample of them has in common, is the least */
    BOSC_CELLGRAPH_HEURISTIC =
        1, /* published: all pairs, less those whose distances from a pivot differ by more than 1;
                                O(u^2). With 0 pivots the naive method */
    BOSC_CELLGRAPH_TRIE =
        2, /* the neighbours of each vector in a trie of all (boscage/trie.h), less than 2^31 of them */
    BOSC_CELLGRAPH_ZOBRIST =
        3, /* each vector with each letter replaced by those that are less rare at its place is looked
                              up by its hash; O(u length 2^r), and nothing for letters that most vectors have */
    BOSC_CELLGRAPH_JOIN =
        4 /* word-complement join: vectors that agree in all words but one have the same hash of the others, so they are
             brought together by it, for each word, or each quarter of longer vectors; O(u w). Where many vectors agree
             outside a quarter, halves of it follow, and halves of these, for those vectors alone, down to single
             words, in which the letters that vary are replaced as by ZOBRIST: O(u (w log w + length 2^r)) at worst */
} bosc_cellgraph_method;

/* How TRIE searches. */
typedef enum bosc_cellgraph_trie_search {
    BOSC_CELLGRAPH_TRIE_WALK = 0,   /* down a compact trie, and into the children that differ in one letter */
    BOSC_CELLGRAPH_TRIE_LOOKUP = 1, /* published: nodes with arrays of all children, in which each vector is looked up
                                      with each letter replaced; O(u length^2 2^r), and much memory */
    BOSC_CELLGRAPH_TRIE_DOBROWOLSKI =
        2 /* published, sequential: from the last letter to the first, groups of vectors that
                                      end alike, in which those with one parent in the trie are neighbours; O(u length).
                                      The CPU backend's alone */
} bosc_cellgraph_trie_search;

/* Zero bytes mean the default; set `size`. Fields are only appended. */
typedef struct bosc_cellgraph_opts {
    size_t size;
    int32_t length;      /* letters of a vector, 1 to 65,536; required */
    int32_t letter_bits; /* 1 (default) to 8 */
    bosc_cellgraph_method method;
    int32_t pivots;  /* HEURISTIC: 0 to 16 (no more than vertices are used) */
    int32_t id_bits; /* rows and vertices in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    bosc_cellgraph_trie_search trie_search;
    int64_t max_bytes; /* JOIN on a device: scratch through which vertices are dealt, at most, but for one part (33 KB);
                          what does not fit is done in slices. 0: 340 MB, or the 11 to 130 bytes a vertex that one
                          segment takes; if that is over 1 GiB, half of what is free at most */
} bosc_cellgraph_opts;

/* Words of a packed row; 0 where a bosc_cellgraph_opts with these numbers would be refused. */
BOSC_API int64_t bosc_cellgraph_words(int32_t length, int32_t letter_bits);

/* Makes an empty graph. `opts` is required (length has no default). *graph is set on success. */
BOSC_API bosc_status bosc_cellgraph_create(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph **graph);

/* Frees the graph once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_cellgraph_free(bosc_cellgraph *graph);

/* Makes room so that builds of up to n rows, which lie beside each other, and with up to `edges` edges allocate
 * nothing; of the published TRIE all but the nodes, whose number the vectors decide. The graph keeps what it holds.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t edges);

/* Bytes of backend memory for a build of n rows, all different, with so many edges and these options, at most: kept by
 * the graph (of the published TRIE without the nodes; without what bosc_cellgraph_prepare keeps), and scratch while
 * building (the context's). Either pointer may be NULL. Needs no device. */
BOSC_API bosc_status bosc_cellgraph_bytes(const bosc_ctx *ctx, const bosc_cellgraph_opts *opts, int64_t n,
                                          int64_t edges, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from n packed vectors; row i begins `stride` words after row i - 1 (0: as many as a row
 * has). n < 2^32 - 1. A second build of no more rows, vertices and edges allocates nothing. On
 * BOSC_ERR_ARG and BOSC_ERR_LIMIT the graph holds what it held before; on any other failure it is empty. Waits. */
BOSC_API bosc_status bosc_cellgraph_build(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                          int64_t stride);

/* Adds n vectors: the graph becomes what a build of all rows, the old ones and then these, would make, but for the
 * method that is reported. Where few of the vertices are new, they alone are looked up, letter by letter, among all;
 * still, all vertices are sorted and copied. n and the rows of before are less than 2^32 - 1. On failure the graph is
 * as it was. Waits. */
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
    int64_t compared; /* JOIN: pairs of vectors compared and vectors looked up by the last build or addition; not
                                the same on all backends */
} bosc_cellgraph_info;

/* What the graph is; the sizes of the arrays below. Set `size`. */
BOSC_API bosc_status bosc_cellgraph_get_info(bosc_ctx *ctx, const bosc_cellgraph *graph, bosc_cellgraph_info *info);

/* Copies the vertices out: vectors (vertices x words, bits beyond the letters 0), representatives (vertices, of
 * id_bits: the first row of each, ascending), multiplicities (vertices, int64: how many rows are equal), vertex_of (n,
 * of id_bits: the vertex of each row). Any may be NULL. Waits unless all arrays are on the device. */
BOSC_API bosc_status bosc_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, uint64_t *vectors,
                                                 void *representatives, int64_t *multiplicities, void *vertex_of);

/* Copies the edges out, once each: pairs (edges x 2, of id_bits): the representatives (rows) i < j of its ends,
 * ascending by (i, j); positions (edges, uint32_t): the letter in which they differ. Either may be NULL. Waits unless
 * all arrays are on the device. */
BOSC_API bosc_status bosc_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_cellgraph *graph, void *pairs,
                                              uint32_t *positions);

/* Copies the graph out as rows of compressed sparse form, both arcs of every edge: the neighbours of vertex v
 * (vertices, not rows of the input) are neighbours[offsets[v]] to neighbours[offsets[v + 1] - 1], ascending. offsets
 * (vertices + 1, int64), neighbours (2 x edges, of id_bits), positions (2 x edges, uint32_t). Any may be NULL. Waits.
 */
BOSC_API bosc_status bosc_cellgraph_get_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t *offsets,
                                             void *neighbours, uint32_t *positions);

/* The connected components: labels (vertices, of id_bits, or NULL) gets the smallest vertex of each vertex's component;
 * *count (host, may be NULL) their number. O(vertices + edges). Waits. */
BOSC_API bosc_status bosc_cellgraph_components(bosc_ctx *ctx, const bosc_cellgraph *graph, void *labels,
                                               int64_t *count);

/* Keeps the rows of bosc_cellgraph_get_rows in the graph, until it is built anew or added to: searches, which make them
 * for themselves otherwise, then begin at once. O(edges) of memory. On failure the graph is as it was. Waits. */
BOSC_API bosc_status bosc_cellgraph_prepare(bosc_ctx *ctx, bosc_cellgraph *graph);

/* Breadth-first search from a vertex (not a row): levels (vertices, of id_bits): the fewest edges on a way from the
 * source; parents (vertices, of id_bits): the smallest neighbour whose level is one less, and the source's own number
 * for the source; both have all bits set where no way leads. Either may be NULL. *reached (host, may be NULL): the
 * number of vertices reached, with the source; *depth (host, may be NULL): the greatest level. One launch on a device.
 * BOSC_ERR_ARG for a source that is no vertex. Waits. */
BOSC_API bosc_status bosc_cellgraph_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source, void *levels,
                                           void *parents, int64_t *reached, int64_t *depth);

/* A shortest way between two vertices, by searches from both ends that take turns, a level each, the one from `from`
 * first, until they meet: of the vertices in which they meet the smallest, and from it the smallest neighbours whose
 * level is one less. *length (host): its vertices, with both ends; 0 if no way leads from one to the other. path (of
 * id_bits, may be NULL) gets the first `capacity` of them. One launch on a device. Waits. */
BOSC_API bosc_status bosc_cellgraph_path(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                         void *path, int64_t capacity, int64_t *length);

BOSC_END_DECLS
#endif
