/* Inside a cell graph: the distinct vectors, their hashes, and the edges as sorted keys. H(x) is the sum of a hash
 * of each word. So H - h_s(x_s) is a hash of all words but s, and H - h_s(x_s) + h_s(y) that of the vector with y as
 * its word s. Hashes only choose the vectors to be compared: every edge is proved by comparing words. */
#ifndef BI_CELLGRAPH_CELLGRAPH_H
#define BI_CELLGRAPH_CELLGRAPH_H

#include <stdbool.h>

#include <boscage/cellgraph.h>

#include "base/letters.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_CELLGRAPH_PIVOTS = 16,
    BI_CELLGRAPH_THREADS = 1024 /* of a block */,
    BI_CELLGRAPH_SEGMENTS = 4 /* of the join */
};

/* Bits of a vertex's number of neighbours, which is less than its letters times their values. */
enum { BI_CELLGRAPH_COUNT_BITS = 24 };

/* The part of a graph that steps read. */
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

/* TABLE: the vertices among all words of `bits` bits. Words form groups of 32. The rank of a vertex is its number in
 * the order of words. */
struct bi_cellgraph_table {
    struct bi_letters shape;
    int32_t bits;
    struct bi_cellgraph_rows rows; /* whose distinct words are the vertices */
    uint32_t *present;             /* (groups) a bit for each word */
    uint32_t *ranks;               /* (groups) vertices in earlier groups */
    uint64_t *groups;              /* (groups) both: ranks << 32 | present */
    uint32_t *words;               /* (vertices) ascending */
    uint32_t *ids;                 /* (vertices + 1) the vertex of each rank; one more is read, for absent words */
    uint32_t *slots;               /* (rows) rank of each; while rows are grouped */
    uint32_t *first;               /* (vertices) 1 + the first row of each rank; while rows are grouped */
    int64_t edges;                 /* host; less than 0: not counted */
};

/* The edges as keys (low vertex << vertex_bits | high vertex), and the positions of their letters. */
struct bi_cellgraph_edges {
    const uint64_t *edges;
    const uint32_t *positions;
    int64_t count;
    int32_t vertex_bits;
};

/* Edges in the order in which they are found; they are sorted later. */
struct bi_cellgraph_edge_list {
    uint64_t *edges;
    uint32_t *positions;
    uint32_t *ranks;    /* rank of each edge among those of its lower vertex; NULL: not counted */
    uint32_t *counts;   /* (vertices + 1) edges by lower vertex */
    uint64_t *count;    /* edges found, which may exceed the capacity */
    uint64_t *compared; /* of the join: pairs compared, and vectors looked up */
    int64_t capacity;
    int32_t vertex_bits;
};

enum {
    BI_CELLGRAPH_VECTORS,
    BI_CELLGRAPH_HASHES,
    BI_CELLGRAPH_SEEDS,
    BI_CELLGRAPH_REPRESENTATIVES, /* (vertices) uint32: representatives */
    BI_CELLGRAPH_MULTIPLICITIES,  /* (vertices) uint32 */
    BI_CELLGRAPH_VERTEX_OF,       /* (n) uint32 */
    BI_CELLGRAPH_EDGES,           /* (edges) uint64: low vertex << vertex_bits | high vertex, ascending */
    BI_CELLGRAPH_POSITIONS,       /* (edges) uint32 */
    BI_CELLGRAPH_ROWS, /* (vertices) uint64: first neighbour << BI_CELLGRAPH_COUNT_BITS | neighbours; if prepared */
    BI_CELLGRAPH_NEIGHBOURS, /* (2 x edges) uint32; if prepared */
    BI_CELLGRAPH_DICTIONARY, /* of implied edges; if prepared */
    BI_CELLGRAPH_BLOCKS
};

struct bosc_cellgraph {
    struct bi_memory memory, host;
    bosc_cellgraph_opts opts; /* every field set */
    struct bi_letters shape;
    bosc_cellgraph_method method; /* the method used */
    int32_t span;                 /* words of a segment of the join, chosen by the backend */
    int64_t n, vertices, edges;
    int64_t compared;       /* by the last build with a join */
    int32_t vertex_bits;    /* of a vertex in the keys of edges */
    struct bosc_trie *trie; /* TRIE: holds the vertices; NULL before the first build */
    int64_t trie_bytes;
    bool prepared;
    struct bi_block blocks[BI_CELLGRAPH_BLOCKS];
    struct bi_block spare[BI_CELLGRAPH_BLOCKS]; /* keep_memory: blocks of the next graph that an addition builds */
    bool exchanged;                             /* blocks and spare were exchanged since the last build */
};

/* Largest group of vertices, equal outside a segment, whose members are compared with each other. In a larger one,
 * lookups with each letter of a word replaced cost less. Measured: with 1,024 AUTO misses the best method more
 * often. */
#ifdef BI_EMULATE /* small, so that small graphs exceed it */
enum { BI_CELLGRAPH_MAX_GROUP = 64 };
#else
enum { BI_CELLGRAPH_MAX_GROUP = 256 };
#endif

/* The join. Words form segments of `span` words. For each segment, vertices with equal hashes of the words outside
 * are compared. A segment with too large groups is skewed: its flag and `any_skewed` are set, the edges found in it
 * are dropped, and it is joined otherwise. */
struct bi_cellgraph_segments {
    struct bi_cellgraph_view view;
    struct bi_cellgraph_edge_list found;
    int32_t span, count;
    uint32_t *skewed;     /* (count, at most BI_CELLGRAPH_SEGMENTS) flags, 0 at first */
    uint32_t *any_skewed; /* 0 at first */
    size_t max_bytes;     /* aimed limit of scratch; 0: chosen by the backend */
};

/* Labels of a search (level_parent): level << 32 | smallest parent; all bits set at first. Vertices that a mask
 * removes have a label below all that a search writes, so they are never reached. */
enum { BI_CELLGRAPH_LEVEL_SHIFT = 32 };
#define BI_CELLGRAPH_MASKED ((uint64_t)UINT32_MAX)

/* A search from one source; or from the two ends of a path, whose sides advance in turns, a level each. */
struct bi_cellgraph_search {
    const uint64_t *rows; /* (vertices) BI_CELLGRAPH_ROWS */
    const uint32_t *neighbours;
    uint32_t source[2];
    int32_t sides;             /* 1 or 2 */
    const uint8_t *mask;       /* (vertices) 0 removes a vertex; NULL: none. Read by drivers */
    uint64_t *level_parent[2]; /* (vertices) labels of each side; the search sets those of the sources */
    uint32_t *queue[2];        /* (vertices) reached vertices, by level */
    uint32_t *path;            /* two sides: the path (vertices + 1) */
    struct bi_cellgraph_search_result *result;
};
struct bi_cellgraph_search_result {
    uint32_t reached[2], depth[2];
    uint32_t junction; /* smallest vertex reached from both sides, or UINT32_MAX */
};

/* Upper bounds of scratch bytes. */
struct bi_cellgraph_sizes {
    int64_t unique, join;
};

/* Costs of a backend, from which AUTO estimates the time of each method. Measured by bench/cellgraph_auto; answers do
 * not depend on them. Times are nanoseconds; 0 where negligible. */
struct bi_cellgraph_costs {
    /* HEURISTIC */
    double pair;      /* a pair of vertices */
    double pair_word; /* each word that both begin with */
    double row;       /* a vertex, where latency counts rather than throughput */
    double row_word;  /* each word that it and the next one begin with */
    /* ZOBRIST */
    double dictionary;        /* the dictionary of hashes, once */
    double dictionary_vertex; /* each vertex in it */
    double probe;             /* a lookup of a vector */
    double probe_wait;        /* a lookup for each vertex, times vertices^(3/8): memory latency grows */
    double vote;              /* a letter in the vote for the common ones */
    double hit;               /* a successful lookup, not cached */
    double hit_word;          /* each of its words */
    double cached_vertices;   /* a cache holds half of this many vertices */
    /* JOIN */
    double join;           /* once */
    double join_vertex;    /* a vertex in a segment */
    double join_word;      /* a word of a vertex */
    double join_pair;      /* a compared pair */
    double join_pair_word; /* each of its words */
    double halves;         /* a level of halves of a skewed segment, once */
    double halves_vertex;  /* each of its vertices */
    double halves_letter;  /* a replaced letter value, once */
    double halves_probe;   /* each vertex looked up with it */
    /* Decisions */
    double hidden_group; /* probability that one pair in a thin sample belongs to an oversized group */
    double max_group;    /* vertices equal outside a segment from which on it is split into halves */
    double max_pairs;    /* the same in pairs a vertex */
    double plain_pairs;  /* pairs a vertex below which JOIN always beats ZOBRIST */
    double count_probes; /* counting the lookups that ZOBRIST would make, once */
    double table_words;  /* words that TABLE may have for each row, */
    double table_free;   /* and in any case */
    double table_rows;   /* rows that TABLE may have for each word, */
    double rows_free;    /* and in any case */
    int64_t join_unseen; /* up to this many vertices of several words JOIN is used without a sample */
    int64_t compare_all; /* up to this many vertices HEURISTIC is used without a sample */
    int64_t max_sample;  /* vertices of a sample */
};

struct bosc_trie;
struct bi_cellgraph_steps;
struct bi_cellgraph_sample_stats;
struct bi_cellgraph_arcs;
struct bi_cellgraph_heuristic;

/* The room's table: the steps, and operations that each backend has of its own. */
struct bi_cellgraph_ops {
    const struct bi_cellgraph_steps *steps;
    const struct bi_cellgraph_costs *costs; /* for the choice of AUTO */
    struct bi_cellgraph_sizes (*sizes)(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t n,
                                       int64_t max_bytes);
    /* Groups equal rows: sets the vertices of the graph. Samples them too, unless `stats` (host) is NULL. With a table
     * (else NULL), which has the rank and the first row of each word, no hashes are computed, and its ids are set. */
    bosc_status (*unique)(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                          struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table);
    bosc_status (*join)(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments);
    bosc_status (*search)(bosc_ctx *ctx, const struct bi_cellgraph_search *search);
    /* Sorts fewer than 2^32 - 1 edges into the graph's blocks; NULL: by steps. */
    bosc_status (*order)(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                         int64_t edges);
    /* TRIE: Dobrowolski's search; NULL: not on this backend. The values of the trie are vertices. */
    bosc_status (*dobrowolski)(bosc_ctx *ctx, const struct bosc_trie *trie, const struct bi_cellgraph_view *view,
                               const struct bi_cellgraph_edge_list *found);
    /* Writes the adjacency of fewer than 2^32 - 1 edges: arcs->offsets, and arcs->neighbours and arcs->positions unless
     * NULL. NULL: by steps. */
    bosc_status (*rows)(bosc_ctx *ctx, const struct bi_cellgraph_arcs *arcs, int64_t vertices, int32_t length);
    /* HEURISTIC as published, a block a pair; NULL: by steps, a thread a row. */
    bosc_status (*compare_pairs)(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all);
    /* HEURISTIC_BLOCKS: the distances of all vertices from the pivots, a block a distance; NULL: by steps. */
    bosc_status (*measure_pivots)(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all);
    /* TABLE: writes the sorted edges into the graph's blocks, and sets graph->edges. */
    bosc_status (*table_edges)(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table);
    /* TABLE: packs the bits and the rank of each group into table->groups, and lists the present words in
     * table->words. NULL: the step cellgraph_list_words does it. */
    bosc_status (*list_words)(bosc_ctx *ctx, const struct bi_cellgraph_table *table, int64_t groups);
};

extern const struct bi_cellgraph_costs bi_cellgraph_costs_cuda;
extern const struct bi_cellgraph_ops bi_cellgraph_ops_cpu;
#ifdef BOSC_HAVE_CUDA
extern const struct bi_cellgraph_ops bi_cellgraph_ops_cuda;
#endif

#ifdef __cplusplus
}
#endif
#endif
