/* boscage/cellgraph.h - the cell graph: all pairs of vectors that differ in exactly one letter.
 * SPDX-License-Identifier: Apache-2.0
 *
 * Family: motion
 * Start with: bosc_cellgraph_build, _get_pairs
 *
 * A vector has `length` letters of `letter_bits` = r bits, each one of 2^r values. With r = 1 it is a binary vector,
 * and the pairs are at Hamming distance 1. Equal vectors are one vertex. Vertices are numbered in the order of their
 * first rows; an edge joins two that differ in one letter. The graph is exact, with the same bits whatever the method,
 * the backend and the number of threads.
 *
 * A row is packed in words (uint64_t) of floor(64 / r) letters: letter k is in bits r * j to r * j + r - 1 of word k /
 * floor(64 / r), where j is k modulo floor(64 / r). A row has bosc_cellgraph_words(length, r) words, w in the costs
 * below; bits beyond the letters are ignored.
 * Sources: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015); Dobrowolski,
 *     An Efficient Method of Constructing Cell Graph (SII 2013); Zobrist, A New Hashing Method with Application for
 *     Game Playing (1970). */
#ifndef BOSCAGE_CELLGRAPH_H
#define BOSCAGE_CELLGRAPH_H

#include <boscage/context.h>

BOSC_BEGIN_DECLS

/* A cell graph in the memory of one backend and device. Any number of contexts of that device may read it at once,
 * while none rebuilds it. It may outlive the context that made it. */
typedef struct bosc_cellgraph bosc_cellgraph;

#define BOSC_CELLGRAPH_TABLE_BITS 26 /* of a vector of BOSC_CELLGRAPH_TABLE, at most */

/* Methods that find the pairs; the edges do not depend on them. Costs are for u vertices of w words. */
typedef enum bosc_cellgraph_method {
    /* TABLE where a table of all words is small enough beside the number of rows; else the one of HEURISTIC, ZOBRIST
     * and JOIN with the least estimated time. */
    BOSC_CELLGRAPH_AUTO = 0,
    /* All pairs, except pairs whose distances from a pivot differ by more than 1; with 0 pivots the naive method. O(u^2
     * (pivots + w)). heuristic_search selects the published form. */
    BOSC_CELLGRAPH_HEURISTIC = 1,
    /* The neighbours of each vector in a trie of all (boscage/trie.h); less than 2^31 vectors. */
    BOSC_CELLGRAPH_TRIE = 2,
    /* A query of a hash table for each vector with each letter replaced by each more frequent one at its
     * position. Letters that most vectors have cost nothing. O(u length 2^r) expected. */
    BOSC_CELLGRAPH_ZOBRIST = 3,
    /* Word-complement join: for each word (each quarter of longer vectors), vectors that agree in all other words are
     * joined by the hash of these. Expected O(u w). If many vectors agree in a quarter, it is halved again and again
     * for these vectors, down to single words, where letters are replaced as by ZOBRIST: O(u (w log w + length 2^r)) at
     * worst. */
    BOSC_CELLGRAPH_JOIN = 4,
    /* A table of all 2^(length r) words, of at most BOSC_CELLGRAPH_TABLE_BITS bits: a bit for each word, and the number
     * of vertices before every 32 words. Rows and neighbours are found in it without comparisons. O(n + 2^(length r) +
     * u length 2^r), and 2^(length r) / 2 bytes of scratch. */
    BOSC_CELLGRAPH_TABLE = 5
} bosc_cellgraph_method;

/* Searches of HEURISTIC. */
typedef enum bosc_cellgraph_heuristic_search {
    /* A thread compares a vector with the later ones, up to the first word in which two differ. Pivots are spread
     * evenly over the vertices. */
    BOSC_CELLGRAPH_HEURISTIC_ROWS = 0,
    /* As published, but for the launch and the end: the first vertices are the pivots, and the distance of each
     * remaining pair is counted over all words. On a device a thread computes the distances of a vertex from the
     * pivots, and a block compares a pair, a word a thread. */
    BOSC_CELLGRAPH_HEURISTIC_PUBLISHED = 1,
    /* Published: PUBLISHED where a comparison ends at the second differing letter. On a device a block has a pair also
     * where one vertex is a pivot, each thread a segment of consecutive letters. */
    BOSC_CELLGRAPH_HEURISTIC_BLOCKS = 2
} bosc_cellgraph_heuristic_search;

/* Searches of TRIE. */
typedef enum bosc_cellgraph_trie_search {
    /* Descends a compact trie, and the children that differ in one letter. */
    BOSC_CELLGRAPH_TRIE_WALK = 0,
    /* Published, but for the launch: a trie with arrays of all children finds each vector with each letter replaced. On
     * a device a thread has a vector. O(u length^2 2^r), and much memory. */
    BOSC_CELLGRAPH_TRIE_LOOKUP = 1,
    /* Published, sequential, on the CPU backend alone: from the last letter to the first, vectors are grouped by their
     * endings; vectors of a group with one parent in the trie are neighbours. O(u length). */
    BOSC_CELLGRAPH_TRIE_DOBROWOLSKI = 2,
    /* Published: LOOKUP where on a device a block has a vector and a thread a letter of it. */
    BOSC_CELLGRAPH_TRIE_BLOCKS = 3
} bosc_cellgraph_trie_search;

/* Set `size`; zero bytes elsewhere mean the defaults. */
typedef struct bosc_cellgraph_opts {
    size_t size;
    int32_t length;      /* letters of a vector, 1 to 65,536; required */
    int32_t letter_bits; /* 1 (default) to 8 */
    bosc_cellgraph_method method;
    int32_t pivots;  /* HEURISTIC: 0 to 16, at most the number of vertices */
    int32_t id_bits; /* rows and vertices in the caller's arrays: 64 (int64_t, default) or 32 (uint32_t) */
    bosc_cellgraph_trie_search trie_search;
    /* JOIN on a device: upper bound on the scratch for partitioning vertices (one 33 KB partition may exceed it);
     * larger inputs are processed in slices. 0: 340 MB, or the 11 to 130 bytes a vertex of one segment; above 1 GiB, at
     * most half of the free memory. */
    int64_t max_bytes;
    bosc_cellgraph_heuristic_search heuristic_search;
    /* HEURISTIC_PUBLISHED and _BLOCKS on a device: most blocks of a launch (0: 4,096), and threads of a block, up to
     * 1,024 (0: one a word, in whole warps; of _BLOCKS 32). TRIE_LOOKUP and _BLOCKS on a device: those of the search
     * (0: fill the device; of _BLOCKS 4,096 and 32). The CPU ignores them. */
    int32_t blocks, threads;
    int32_t digit_bits; /* TRIE: bits of a digit, as in boscage/trie.h; 0: the widest */
    /* 1: an addition keeps the memory of the old graph for the next one, so that builds and additions of no larger
     * shape, in the same order, allocate nothing. 0: an addition releases that memory. */
    int32_t keep_memory;
    int32_t trie_by_values; /* TRIE_LOOKUP and _BLOCKS, 0 or 1: `by_values` of boscage/trie.h */
    /* 1: no edges are found and stored, so that memory holds more vertices. bosc_cellgraph_path flips bits to find
     * neighbours; other functions of edges are refused. letter_bits must be 1, and method AUTO. 0: edges are stored. */
    int32_t implied_edges;
} bosc_cellgraph_opts;

/* Returns the words of a packed row; 0 for numbers that bosc_cellgraph_create would refuse. */
BOSC_API int64_t bosc_cellgraph_words(int32_t length, int32_t letter_bits);

/* Makes an empty graph.
 * opts: required, as length has no default.
 * graph: set on success. */
BOSC_API bosc_status bosc_cellgraph_create(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph **graph);

/* Frees the graph once the work queued on it is done; NULL is allowed. */
BOSC_API void bosc_cellgraph_free(bosc_cellgraph *graph);

/* Removes all rows, and sets the length of the next vectors; other options and the memory stay.
 * length: as in bosc_cellgraph_opts.
 * Errors: on failure the graph is unchanged. */
BOSC_API bosc_status bosc_cellgraph_reset(bosc_ctx *ctx, bosc_cellgraph *graph, int32_t length);

/* Reserves memory so that builds of up to n contiguous rows with up to `edges` edges allocate nothing.
 * With keep_memory this holds for additions up to n rows in all, too. The nodes of the published TRIE are excepted:
 * their number depends on the vectors. The graph keeps its contents. Memory of bosc_cellgraph_prepare and of searches
 * is not reserved.
 * edges: ignored with implied_edges.
 * Cost: the allocations, and a copy of the graph's contents.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t edges);

/* Computes upper bounds on the backend memory, in bytes, of a build of n distinct rows with this many edges.
 * Needs no device.
 * edges: ignored with implied_edges.
 * kept: held by the graph, with keep_memory by both graphs, without the nodes of the published TRIE and the rows or the
 *     dictionary of bosc_cellgraph_prepare; may be NULL.
 * scratch: of the context while building, with keep_memory also while adding; may be NULL. */
BOSC_API bosc_status bosc_cellgraph_bytes(const bosc_ctx *ctx, const bosc_cellgraph_opts *opts, int64_t n,
                                          int64_t edges, int64_t *kept, int64_t *scratch);

/* Builds or rebuilds the graph from n packed vectors.
 * vectors (n x words): rows `stride` words apart (0: words of a row).
 * n: less than 2^32 - 1.
 * Errors: on BOSC_ERR_ARG and BOSC_ERR_LIMIT the graph is unchanged; on any other failure it is empty.
 * Cost: expected O(n w) for the vertices, the method's cost for the edges, and O(edges) expected to order them;
 *     bosc_cellgraph_bytes gives the memory. A second build of no more rows, vertices and edges allocates nothing.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_build(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                          int64_t stride);

/* Adds n vectors. The graph becomes that of a build of all rows, old ones first; only the reported method may differ.
 * vectors, stride: as in bosc_cellgraph_build.
 * n: with the earlier rows, less than 2^32 - 1.
 * Errors: on failure the graph is unchanged.
 * Cost: O((vertices + n) w) to copy and group all vertices. If at most a sixteenth of them is new, only these are
 *     queried, with each letter replaced, in O(new length 2^r) expected; else as a build. Memory for a second graph,
 *     which keep_memory retains.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_add(bosc_ctx *ctx, bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                        int64_t stride);

typedef struct bosc_cellgraph_info {
    size_t size;
    int64_t n;        /* rows */
    int64_t vertices; /* distinct vectors */
    int64_t edges;
    int64_t words; /* of a packed row */
    int32_t length, letter_bits, id_bits;
    bosc_cellgraph_method method; /* used for the edges */
    int64_t bytes;                /* backend memory held by the graph */
    int64_t compared; /* JOIN: pairs compared and vectors queried by the last build or addition; backends differ */
} bosc_cellgraph_info;

/* Describes the graph, with the sizes of the arrays below. Set `size`. */
BOSC_API bosc_status bosc_cellgraph_get_info(bosc_ctx *ctx, const bosc_cellgraph *graph, bosc_cellgraph_info *info);

/* Copies the vertices. Any array may be NULL.
 * vectors (vertices x words): bits beyond the letters are 0.
 * representatives (vertices): of id_bits, the first row of each, ascending.
 * multiplicities (vertices): number of equal rows.
 * vertex_of (n): of id_bits, the vertex of each row.
 * Cost: O(vertices w + n).
 * Queues. */
BOSC_API bosc_status bosc_cellgraph_get_vertices(bosc_ctx *ctx, const bosc_cellgraph *graph, uint64_t *vectors,
                                                 void *representatives, int64_t *multiplicities, void *vertex_of);

/* Copies the edges, once each. Either array may be NULL.
 * pairs (edges x 2): of id_bits, the representatives (rows) i < j of the ends, ascending by (i, j).
 * positions (edges): the letter in which they differ.
 * Cost: O(edges).
 * Queues. */
BOSC_API bosc_status bosc_cellgraph_get_pairs(bosc_ctx *ctx, const bosc_cellgraph *graph, void *pairs,
                                              uint32_t *positions);

/* Copies the graph as CSR rows, with both arcs of every edge. Any array may be NULL.
 * offsets (vertices + 1): vertex v (not row v of the input) has entries offsets[v] to offsets[v + 1] - 1.
 * neighbours (2 x edges): of id_bits, ascending in each row.
 * positions (2 x edges): the letter in which they differ.
 * Cost: O(vertices + edges), and 8 (vertices + edges) bytes of scratch on the CPU; on a device a radix sort of the
 *     arcs, and 48 bytes an edge beside the sort's own.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_get_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t *offsets,
                                             void *neighbours, uint32_t *positions);

/* Finds the connected components.
 * labels (vertices): of id_bits, the smallest vertex of each vertex's component; may be NULL.
 * count: host; the number of components; may be NULL.
 * Cost: nearly O(vertices + edges); 5 bytes of scratch a vertex.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_components(bosc_ctx *ctx, const bosc_cellgraph *graph, void *labels,
                                               int64_t *count);

/* Finds the connected components among the vertices of a mask.
 * vertex_mask (vertices): 0 removes the vertex and its edges; its label has all bits set. NULL: all stay.
 * labels, count: as in bosc_cellgraph_components.
 * Cost: as bosc_cellgraph_components.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_components_masked(bosc_ctx *ctx, const bosc_cellgraph *graph,
                                                      const uint8_t *vertex_mask, void *labels, int64_t *count);

/* Stores the rows of bosc_cellgraph_get_rows in the graph, until it is rebuilt or added to.
 * Searches need them and otherwise compute them in every call. With implied edges: a dictionary of the vertices, of 18
 * to 24 bytes each.
 * Errors: on failure the graph is unchanged.
 * Cost: as bosc_cellgraph_get_rows; the graph holds 8 (vertices + edges) bytes more.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_prepare(bosc_ctx *ctx, bosc_cellgraph *graph);

/* Searches breadth-first from a vertex (not a row). Either array may be NULL.
 * levels (vertices): of id_bits, the fewest edges on a path from the source; all bits set if there is none.
 * parents (vertices): of id_bits, the smallest neighbour one level below; the source for the source; all bits set if
 *     there is no path.
 * reached: host; the number of vertices reached, source included; may be NULL.
 * depth: host; the greatest level; may be NULL.
 * Errors: BOSC_ERR_ARG for a source that is no vertex.
 * Cost: O(vertices + edges), one launch on a device; 12 bytes of scratch a vertex, and bosc_cellgraph_prepare with its
 *     rows unless the graph is prepared.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_levels(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source, void *levels,
                                           void *parents, int64_t *reached, int64_t *depth);

/* Searches breadth-first among the vertices of a mask.
 * vertex_mask (vertices): 0 removes the vertex and its edges; a removed source reaches nothing. NULL: all stay.
 * levels, parents, reached, depth: as in bosc_cellgraph_levels.
 * Cost: as bosc_cellgraph_levels.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_levels_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t source,
                                                  const uint8_t *vertex_mask, void *levels, void *parents,
                                                  int64_t *reached, int64_t *depth);

/* Finds a shortest path between two vertices.
 * Searches from both ends alternate, a level each, beginning with `from`, until they share vertices. The path goes
 * through the smallest shared vertex, and from there through the smallest neighbours one level below.
 * path (capacity): of id_bits, the first `capacity` vertices; may be NULL.
 * length: host; the vertices of the path, both ends included; 0 if there is none.
 * Errors: BOSC_ERR_ARG for an end that is no vertex.
 * Cost: O(vertices + edges) at most, one launch on a device; 28 bytes of scratch a vertex, and bosc_cellgraph_prepare
 *     with its rows unless the graph is prepared. With implied edges the same path is found by A* from both ends, whose
 *     bound is the Hamming distance: `length` lookups for each vertex on a walk nearly as short as the path, a launch
 *     for each edge of it and more; 28 bytes of scratch a vertex, and the dictionary unless the graph is prepared.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_path(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                         void *path, int64_t capacity, int64_t *length);

/* Finds a shortest path among the vertices of a mask.
 * vertex_mask (vertices): 0 removes the vertex and its edges; there is no path from or to a removed vertex. NULL: all
 *     stay.
 * path, capacity, length: as in bosc_cellgraph_path.
 * Cost: as bosc_cellgraph_path.
 * Waits. */
BOSC_API bosc_status bosc_cellgraph_path_masked(bosc_ctx *ctx, const bosc_cellgraph *graph, int64_t from, int64_t to,
                                                const uint8_t *vertex_mask, void *path, int64_t capacity,
                                                int64_t *length);

BOSC_END_DECLS
#endif
