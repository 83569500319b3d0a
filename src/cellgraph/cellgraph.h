/* Inside a cell graph: the distinct vectors, their hashes, and the edges as sorted keys.
 *
 * H(x) is the sum of a hash of each word, so that H - h_s(x_s) is a hash of all words but s, and that of a vector with
 * another word y in place of x_s is H - h_s(x_s) + h_s(y). Hashes only choose which vectors are compared: every edge is
 * proved by comparing words. */
#ifndef BI_CELLGRAPH_CELLGRAPH_H
#define BI_CELLGRAPH_CELLGRAPH_H

#include <stdbool.h>

#include <boscage/cellgraph.h>

#include "base/letters.h"
#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_CELLGRAPH_PIVOTS = 16,
    BI_CELLGRAPH_THREADS = 1024 /* of a block */,
    BI_CELLGRAPH_SEGMENTS = 4 /* of the join */
};

/* Bits of how many neighbours a vertex has: they are less than its letters times their values. */
enum { BI_CELLGRAPH_COUNT_BITS = 24 };

/* What steps read of the distinct vectors. */
struct bi_cellgraph_view {
    struct bi_letters shape;
    int64_t count;
    const uint64_t *vectors; /* (count x words), bits beyond the letters 0 */
    const uint64_t *hashes;  /* (count) H of each */
    const uint64_t *seeds;   /* (words) of the hashes of words */
};

/* The caller's rows. */
struct bi_cellgraph_rows {
    const uint64_t *data;
    int64_t n, stride;
};

/* The edges as keys, low vertex << vertex_bits | high vertex, and the letters. */
struct bi_cellgraph_edges {
    const uint64_t *edges;
    const uint32_t *positions;
    int64_t count;
    int32_t vertex_bits;
};

/* Edges in the order in which they happen to be found; they are sorted afterwards. */
struct bi_cellgraph_edge_list {
    uint64_t *edges;
    uint32_t *positions;
    uint32_t *ranks;    /* of each edge among those of its lower vertex, as they are found; NULL: not now */
    uint32_t *counts;   /* (vertices + 1) of those of each vertex, and 0 */
    uint64_t *count;    /* of the edges found, which may be more than the room */
    uint64_t *compared; /* by the join: pairs of vertices, and vectors that were looked up */
    int64_t capacity;
    int32_t vertex_bits;
};

enum {
    BI_CELLGRAPH_VECTORS,
    BI_CELLGRAPH_HASHES,
    BI_CELLGRAPH_SEEDS,
    BI_CELLGRAPH_FIRSTS,         /* (vertices) uint32: representatives */
    BI_CELLGRAPH_MULTIPLICITIES, /* (vertices) uint32 */
    BI_CELLGRAPH_VERTEX_OF,      /* (n) uint32 */
    BI_CELLGRAPH_EDGES,          /* (edges) uint64: low vertex << id_bits | high vertex, ascending */
    BI_CELLGRAPH_POSITIONS,      /* (edges) uint32 */
    BI_CELLGRAPH_ROWS, /* (vertices) uint64: where neighbours begin << BI_CELLGRAPH_COUNT_BITS | how many they are;
                               these two while `prepared` */
    BI_CELLGRAPH_NEIGHBOURS, /* (2 x edges) uint32 */
    BI_CELLGRAPH_BLOCKS
};

struct bosc_cellgraph {
    struct bi_memory memory, host;
    bosc_cellgraph_opts opts; /* every field set */
    struct bi_letters shape;
    bosc_cellgraph_method method; /* that was used */
    int32_t span;                 /* words of a segment of the join, as the backend likes it for these vertices */
    int64_t n, vertices, edges;
    int64_t compared;       /* by the last build that joined */
    int32_t vertex_bits;    /* of a vertex in the keys of edges */
    struct bosc_trie *trie; /* TRIE: of the vertices; NULL before the first build */
    int64_t trie_bytes;
    bool prepared;
    struct bi_block blocks[BI_CELLGRAPH_BLOCKS];
    struct bi_block spare[BI_CELLGRAPH_BLOCKS]; /* keep_memory: of the graph that an addition makes */
    bool exchanged;                             /* these two, since the last build */
};

/* A vertex is compared with at most this many that agree with it outside a segment: about what looking it up with each
 * letter of a word replaced takes. */
#ifdef BI_EMULATE /* small graphs should have more */
enum { BI_CELLGRAPH_MAX_GROUP = 64 };
#else
enum { BI_CELLGRAPH_MAX_GROUP = 256 };
#endif

/* The join: words form segments of `span` neighbours. For each segment, vertices are brought together by the
 * hash of the words outside it, and compared. A segment where too many agree is left to other means: its flag is
 * raised, `any_skewed` too, and then edges found in it are to be forgotten. */
struct bi_cellgraph_segments {
    struct bi_cellgraph_view view;
    struct bi_cellgraph_edge_list found;
    int32_t span, count;
    uint32_t *skewed;     /* (count, at most BI_CELLGRAPH_SEGMENTS) flags, 0 before */
    uint32_t *any_skewed; /* 0 before */
    size_t max_bytes;     /* of scratch that should not be exceeded where it can be helped; 0: as the backend likes */
};

/* A word of a search: the level, and below it the smallest vertex that led there; all bits set before. A vertex that a
 * mask leaves out has a word that is less than what a search writes to others: so it is never reached. */
enum { BI_CELLGRAPH_LEVEL_SHIFT = 32 };
#define BI_CELLGRAPH_MASKED ((uint64_t)UINT32_MAX)

/* A search from one vertex or, from both ends of a way, from two: then the sides take turns, a level each. */
struct bi_cellgraph_search {
    const uint64_t *rows; /* (vertices) BI_CELLGRAPH_ROWS */
    const uint32_t *neighbours;
    uint32_t source[2];
    int32_t sides;       /* 1 or 2 */
    const uint8_t *mask; /* (vertices) 0: not there; NULL: all are. Drivers read it */
    uint64_t *reach[2];  /* (vertices) words of each side; the sources' are set */
    uint32_t *queue[2];  /* (vertices) in the order of their levels; the sources are first */
    uint32_t *path;      /* sides == 2: room for the ways from where the sides meet to the sources: (vertices + 1) */
    struct bi_cellgraph_searched *result;
};
struct bi_cellgraph_searched {
    uint32_t reached[2], depth[2];
    uint32_t meeting; /* the smallest vertex in which the sides met, or UINT32_MAX */
};

/* Bytes of scratch, at most. */
struct bi_cellgraph_sizes {
    int64_t unique, join;
};

struct bosc_trie;
struct bi_cellgraph_steps;
struct bi_cellgraph_costs;
struct bi_cellgraph_sample_stats;
struct bi_cellgraph_arcs;
struct bi_cellgraph_heuristic;

/* What a backend does: the steps, and beside them what it does in kernels of its own. */
struct bi_cellgraph_ops {
    const struct bi_cellgraph_steps *steps;
    const struct bi_cellgraph_costs *costs; /* by which AUTO chooses a method */
    struct bi_cellgraph_sizes (*sizes)(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t n,
                                       int64_t max_bytes);
    /* Brings equal rows together: the graph gets its vertices. And looks at a sample of them, unless `seen` (host) is
     * NULL. */
    bosc_status (*unique)(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                          struct bi_cellgraph_sample_stats *stats);
    bosc_status (*join)(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments);
    bosc_status (*search)(bosc_ctx *ctx, const struct bi_cellgraph_search *search);
    /* Of less than 2^32 - 1 edges; NULL: by steps. Puts those that were found into the graph's blocks in order. */
    bosc_status (*order)(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                         int64_t edges);
    /* TRIE: Dobrowolski's search; NULL: not on this backend. The trie has the vertices, whose numbers are its values.
     * */
    bosc_status (*dobrowolski)(bosc_ctx *ctx, const struct bosc_trie *trie, const struct bi_cellgraph_view *view,
                               const struct bi_cellgraph_edge_list *found);
    /* Writes all rows, and where they begin: arcs->offsets, and arcs->neighbours and arcs->positions unless NULL. */
    bosc_status (*rows)(bosc_ctx *ctx, const struct bi_cellgraph_arcs *arcs, int64_t vertices, int32_t length);
    /* HEURISTIC as published, a block for a pair; NULL: by steps, a thread for a row. */
    bosc_status (*compare_pairs)(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all);
};

extern const struct bi_cellgraph_ops bi_cellgraph_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_cellgraph_ops bi_cellgraph_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
