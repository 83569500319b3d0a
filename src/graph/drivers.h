/* What the drivers of graphs share. */
#ifndef BI_GRAPH_DRIVERS_H
#define BI_GRAPH_DRIVERS_H

#include "graph/handle.h"

/* ---- reading a graph (edges.c) ---- */

/* The row of each of m elements of CSR rows with these n + 1 offsets, which begin with 0 and end with m. */
bosc_status bi_graph_expand_rows(bosc_ctx *ctx, const void *offsets, bool wide, int64_t n, int64_t m, uint32_t *rows);

/* The arcs u -> v, u <= v, one of every edge, in the order of their places: arcs and edge ids (words of the graph's
 * width), and the row of every arc of the graph. In scratch. */
struct bi_graph_edges {
    uint32_t *row_of;
    void *arcs, *ids;
    int64_t count;
};
bosc_status bi_graph_list_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_edges *edges);

/* ---- the caller's entries (entries.c) ---- */

/* The arrays u, v and weights: there, and aligned. */
bosc_status bi_graph_check_arrays(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *e);

/* Brings them in reach. */
bosc_status bi_graph_stage_entries(bosc_ctx *ctx, struct bi_graph_entries *e);
bosc_status bi_graph_stage_weights(bosc_ctx *ctx, struct bi_graph_entries *e);

/* Whether each entry is looked at, and BOSC_ERR_DATA with what is wrong with one. */
bosc_status bi_graph_bad_entry(bosc_ctx *ctx, const struct bi_graph_entries *e, int64_t i);

/* ---- building one ---- */

/* Edges as (key, id), see steps/build.h; with room for every entry. */
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
    bool wide;
    int bits; /* of a vertex in a key */
    struct bi_graph_edge_list edges, spare;
    bool ascending; /* ids of `edges` ascend for sure, as the list never had to be sorted */
    void *weights;  /* where weights are not the entries': keys by place in `edges` */
    void *result;   /* 64 bytes for what is read back */
};

/* Runs a step of the build. */
#define BI_GRAPH_STEP(b, name, n, args) ((b)->steps->graph_##name((b)->ctx, n, args))

/* A word of the build: an offset, an edge id, a place in a list. */
static inline size_t bi_graph_word_bytes(const struct bi_graph_build *b) { return b->wide ? 8 : 4; }
static inline bosc_dtype bi_graph_word_type(const struct bi_graph_build *b) { return b->wide ? BOSC_U64 : BOSC_U32; }

/* Sets b->result to bytes. */
bosc_status bi_graph_clear_result(struct bi_graph_build *b, int byte);

/* The list that belongs to entries of which is[i] is not 0: ids and keys. list->ids has room for m. */
bosc_status bi_graph_take_list(struct bi_graph_build *b, const void *all_ids, const uint8_t *is,
                               struct bi_graph_edge_list *list);

/* What is not in order in a list: bits of enum BI_GRAPH_KEYS_FALL ... */
bosc_status bi_graph_read_order(struct bi_graph_build *b, const struct bi_graph_edge_list *list, uint32_t *found);

/* Orders a list by key, stably, into another; `order` is what was not in order. */
bosc_status bi_graph_sort_by_key(struct bi_graph_build *b, const struct bi_graph_edge_list *from,
                                 const struct bi_graph_edge_list *to, uint32_t order);

/* b->edges of entries that are arcs, sorted by (key, id). */
bosc_status bi_graph_pair_arcs(struct bi_graph_build *b);

/* Keeps one of parallel edges, as the options say; b->edges is sorted by (key, id). */
bosc_status bi_graph_drop_parallel(struct bi_graph_build *b);

/* The rows from b->edges: degrees and counts, then the blocks of b->next, which are taken where those of `graph` are
 * too small. No scratch is taken once a block is written to. */
bosc_status bi_graph_write_rows(struct bi_graph_build *b, const bosc_graph *graph);

#endif
