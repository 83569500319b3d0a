/* The inside of a graph for rooms that work on graphs: what they may include beside the saved form (save.h). */
#ifndef BI_GRAPH_VIEW_H
#define BI_GRAPH_VIEW_H

#include <boscage/graph.h>

#include "graph/entries.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CSR rows in the backend's memory: both arcs of every edge, each row ascending by (neighbour, edge id). Valid until
 * the graph is built again or freed. */
struct bi_graph_view {
    int64_t n, entries, m, arcs, loops, parallel, isolated; /* as in bosc_graph_info */
    bosc_dtype weight;
    int32_t id_bits;                /* of the caller's arrays */
    bool wide;                      /* offsets and edge ids are words of 64 bits, else of 32 */
    const void *offsets, *edge_ids; /* n + 1, arcs */
    const uint32_t *neighbours;     /* arcs */
    const void *keys;               /* arcs: weights as keys (graph/weight_keys.h) */
};

/* Fills *view; BOSC_ERR_ARG with the reason if the context cannot reach the graph. */
bosc_status bi_graph_view_of(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_view *view);

/* The entries of bosc_graph_build without a graph: the caller's arrays and options (*full: with the defaults), checked,
 * and in reach. */
bosc_status bi_graph_entries_of(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *given,
                                bosc_graph_opts *full, struct bi_graph_entries *entries);

/* Whether the options leave that open. */
bool bi_graph_checks_entries(const bosc_graph_opts *opts, const struct bi_graph_entries *entries);

/* Whether there are weights that may be NaN, and the options refuse those. */
bool bi_graph_refuses_nan(const bosc_graph_opts *opts, const struct bi_graph_entries *entries);

/* Whether all entries are edges, as the options have it: BOSC_ERR_DATA names the first that is none. Takes scratch.
 * Waits. */
bosc_status bi_graph_check_entries(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *entries);

/* bosc_graph_build of edges in reach that are known to be good, all of which stay: edge i has the id ids[i] among so
 * many entries; ids ascend. By the graph's options all entries are edges. Takes scratch. Waits. */
bosc_status bi_graph_build_named(bosc_ctx *ctx, bosc_graph *graph, const struct bi_graph_entries *edges,
                                 const uint64_t *ids, int64_t entries);

#ifdef __cplusplus
}
#endif
#endif
