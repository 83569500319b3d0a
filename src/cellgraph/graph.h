/* Inside a cell graph: the distinct vectors, their hashes, and the edges as sorted keys.
 *
 * H(x) is the sum of a hash of each word, so that H - h_s(x_s) is a hash of all words but s, and that of a vector with
 * another word y in place of x_s is H - h_s(x_s) + h_s(y). Hashes only choose which vectors are compared: every edge is
 * proved by comparing words. */
#ifndef BI_CELLGRAPH_GRAPH_H
#define BI_CELLGRAPH_GRAPH_H

#include <stdbool.h>

#include <boscage/cellgraph.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_CELL_LENGTH = 65536, BI_CELL_PIVOTS = 16, BI_CELL_SEGMENTS = 4 /* of the join */ };

/* How letters lie in words. */
struct bi_cell_shape {
    int32_t length, letter_bits;
    int32_t per_word; /* letters of a word, but the last */
    int32_t words;
    uint64_t mask, last_mask; /* the bits of letters in a word, and in the last one */
    uint64_t lows;            /* the lowest bit of each letter of a word */
};

/* Bits of how many neighbours a vertex has: they are less than its letters times their values. */
enum { BI_CELL_COUNT_BITS = 24 };

/* What steps read of the distinct vectors. */
struct bi_cell_view {
    struct bi_cell_shape shape;
    int64_t count;
    const uint64_t *vectors; /* (count x words), bits beyond the letters 0 */
    const uint64_t *hashes;  /* (count) H of each */
    const uint64_t *seeds;   /* (words) of the hashes of words */
};

enum {
    BI_CELL_VECTORS,
    BI_CELL_HASHES,
    BI_CELL_SEEDS,
    BI_CELL_FIRSTS,         /* (vertices) uint32: representatives */
    BI_CELL_MULTIPLICITIES, /* (vertices) uint32 */
    BI_CELL_VERTEX_OF,      /* (n) uint32 */
    BI_CELL_EDGES,          /* (edges) uint64: low vertex << id_bits | high vertex, ascending */
    BI_CELL_POSITIONS,      /* (edges) uint32 */
    BI_CELL_ROWS,           /* (vertices) uint64: where neighbours begin << BI_CELL_COUNT_BITS | how many they are;
                               these two while `prepared` */
    BI_CELL_NEIGHBOURS,     /* (2 x edges) uint32 */
    BI_CELL_BLOCKS
};

struct bosc_cellgraph {
    struct bi_memory memory, host;
    bosc_cellgraph_opts opts; /* every field set */
    struct bi_cell_shape shape;
    bosc_cell_method method; /* that was used */
    int64_t n, vertices, edges;
    int64_t compared;       /* by the last build that joined */
    int32_t vertex_bits;    /* of a vertex in the keys of edges */
    struct bosc_trie *trie; /* TRIE: of the vertices; NULL before the first build */
    int64_t trie_bytes;
    bool prepared;
    struct bi_block blocks[BI_CELL_BLOCKS];
};

#ifdef __cplusplus
}
#endif
#endif
