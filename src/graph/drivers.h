/* Shared by the drivers of graphs. */
#ifndef BI_GRAPH_DRIVERS_H
#define BI_GRAPH_DRIVERS_H

#include "graph/handle.h"

/* ---- reading a graph (edges.c) ---- */

/* The row of each of m elements of CSR rows, by n + 1 offsets from 0 to m. */
bosc_status bi_graph_expand_rows(bosc_ctx *ctx, const void *offsets, bool is_64bit, int64_t n, int64_t m,
                                 uint32_t *rows);

/* One arc u -> v, u <= v, of every edge, in row order: indices of arcs and edge ids (words of the graph's width), and
 * the row of every arc of the graph. In scratch. */
struct bi_graph_edges {
    uint32_t *row_of;
    void *arcs, *ids;
    int64_t count;
};
bosc_status bi_graph_list_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_edges *edges);

/* ---- the caller's entries (entries.c) ---- */

/* Checks that the arrays u, v and weights exist and are aligned. */
bosc_status bi_graph_check_arrays(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *e);

/* Stages them. */
bosc_status bi_graph_stage_entries(bosc_ctx *ctx, struct bi_graph_entries *e);
bosc_status bi_graph_stage_weights(bosc_ctx *ctx, struct bi_graph_entries *e);

/* Returns BOSC_ERR_DATA with the reason why entry i is not an edge. */
bosc_status bi_graph_bad_entry(bosc_ctx *ctx, const struct bi_graph_entries *e, int64_t i);

/* ---- building one ---- */

/* Edges as (key, id), see steps/build.h. Capacity: all entries. */
struct bi_graph_edge_list {
    uint64_t *keys;
    void *ids;
    int64_t count;
};

struct bi_graph_build {
    bosc_ctx *ctx;
    const struct bi_graph_steps *steps;
    bosc_graph *next;
    struct bi_graph_entries entries;
    bool is_64bit;
    int bits; /* of a vertex in a key */
    struct bi_graph_edge_list edges, spare;
    bool ascending; /* ids of `edges` are known to ascend: the list was never sorted */
    void *weights;  /* NULL, or weight keys by position in `edges`, if they differ from the entries' weights */
    void *result;   /* 64 bytes in the backend's memory for results to read back */
};

/* Runs a step of the build. */
#define BI_GRAPH_STEP(b, name, n, args) ((b)->steps->graph_##name((b)->ctx, n, args))

/* A word of the build: an offset, an edge id, a position in a list. */
static inline size_t bi_graph_word_bytes(const struct bi_graph_build *b) { return b->is_64bit ? 8 : 4; }
static inline bosc_dtype bi_graph_word_type(const struct bi_graph_build *b)
{
    return b->is_64bit ? BOSC_U64 : BOSC_U32;
}

/* Sets all bytes of b->result. */
bosc_status bi_graph_clear_result(struct bi_graph_build *b, int byte);

/* Selects the entries with flags[i] != 0 as a list of ids and keys. list->ids has capacity for m. */
bosc_status bi_graph_select_edges(struct bi_graph_build *b, const void *all_ids, const uint8_t *flags,
                                  struct bi_graph_edge_list *list);

/* *found = the order violations in a list: bits of enum BI_GRAPH_KEYS_FALL ... */
bosc_status bi_graph_read_order(struct bi_graph_build *b, const struct bi_graph_edge_list *list, uint32_t *found);

/* Sorts a list stably by key into another; `order` has the violations found. */
bosc_status bi_graph_sort_by_key(struct bi_graph_build *b, const struct bi_graph_edge_list *from,
                                 const struct bi_graph_edge_list *to, uint32_t order);

/* Pairs the entries, which must be arcs, and fills b->edges, sorted by (key, id). */
bosc_status bi_graph_pair_arcs(struct bi_graph_build *b);

/* Reduces parallel edges to one, as the options say; b->edges is sorted by (key, id). */
bosc_status bi_graph_drop_parallel(struct bi_graph_build *b);

/* Builds the rows from b->edges: degrees and counts, then the blocks of b->next, which reuse the blocks of `graph` if
 * large enough. Allocates no scratch once a block is written. */
bosc_status bi_graph_write_rows(struct bi_graph_build *b, const bosc_graph *graph);

#endif
