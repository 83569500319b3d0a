/* Shared by the drivers of graphs. */
#ifndef BI_GRAPH_DRIVERS_H
#define BI_GRAPH_DRIVERS_H

#include "core/check.h"
#include "graph/graph.h"

/* ---- handle.c ---- */

/* Checks that the context can reach the graph; BOSC_ERR_ARG with the reason if not. */
bosc_status bi_graph_check(bosc_ctx *ctx, const bosc_graph *graph);

/* A checked copy of the caller's options with the defaults filled in. */
bosc_status bi_graph_check_opts(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph_opts *full);

/* Checks that a graph may have n vertices and m entries. */
bosc_status bi_graph_check_sizes(bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m);

/* Checks that the caller's array is not NULL if count > 0, and that it is aligned to its elements. */
bosc_status bi_graph_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t count, size_t size);

/* Allocates an empty graph with these options, all fields set. */
bosc_status bi_graph_new(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph);

/* True if a build of m entries needs 64-bit offsets and ids. */
bool bi_graph_needs_64bit(const bosc_graph_opts *opts, int64_t m);

/* Reserves blocks for n vertices and m entries in *next; reuses blocks of `graph` of sufficient size. */
bosc_status bi_graph_reserve_blocks(bosc_ctx *ctx, const bosc_graph *graph, int64_t n, int64_t m, bosc_graph *next);
/* Commit: *graph = *next, and frees the blocks only *graph had. Abandon: frees the blocks only *next has. */
void bi_graph_commit(bosc_graph *graph, const bosc_graph *next);
void bi_graph_abandon(const bosc_graph *graph, const bosc_graph *next);

/* The rows, as steps read them. */
struct bi_graph_csr bi_graph_csr_of(const bosc_graph *graph);

/* ---- get.c ---- */

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

/* ---- entries.c ---- */

/* Checks that the arrays u, v and weights exist and are aligned. */
bosc_status bi_graph_check_arrays(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *e);

/* Stages them. */
bosc_status bi_graph_stage_entries(bosc_ctx *ctx, struct bi_graph_entries *e);
bosc_status bi_graph_stage_weights(bosc_ctx *ctx, struct bi_graph_entries *e);

/* Returns BOSC_ERR_DATA with the reason why entry i is not an edge. */
bosc_status bi_graph_bad_entry(bosc_ctx *ctx, const struct bi_graph_entries *e, int64_t i);

/* ---- a build: edge_list.c, then build.c ---- */

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
    bool ascending;   /* ids of `edges` are known to ascend: the list was never sorted */
    void *weights;    /* NULL, or weight keys by position in `edges`, if they differ from the entries' weights */
    void *result;     /* 64 bytes in the backend's memory for results to read back */
    bool overwritten; /* blocks of the old graph may be overwritten */
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

/* *found = the order violations in a list: bits of enum BI_GRAPH_KEYS_FALL ... */
bosc_status bi_graph_read_order(struct bi_graph_build *b, const struct bi_graph_edge_list *list, uint32_t *found);

/* Fills b->edges from the entries: checked, sorted by (key, id), parallel edges reduced as the options say. */
bosc_status bi_graph_fill_edges(struct bi_graph_build *b);

#endif
