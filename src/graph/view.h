/* The inside of a graph for other rooms, which may also include the saved form (save.h). */
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
    bool is_64bit;                  /* offsets and edge ids are 64-bit words, else 32-bit */
    const void *offsets, *edge_ids; /* n + 1, arcs */
    const uint32_t *neighbours;     /* arcs */
    const void *keys;               /* arcs: weights as keys (graph/entries.h) */
};

/* Fills *view; BOSC_ERR_ARG with the reason if the context cannot reach the graph. */
bosc_status bi_graph_view_of(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_view *view);

/* Copies n words, of 32 or 64 bits, to words of 32 or 64 bits; none if `to` is NULL. */
bosc_status bi_graph_convert_words(bosc_ctx *ctx, const void *from, bool from_64bit, void *to, bool to_64bit,
                                   int64_t n);

/* The first and the last of n + 1 offsets, which are words of 32 or 64 bits in the backend's memory, and the first
 * index whose offset is below the preceding one or beyond the last; INT64_MAX: none. */
struct bi_graph_offsets_scan {
    uint64_t first, last;
    int64_t bad;
};

/* found: 8 bytes of scratch. Waits. */
bosc_status bi_graph_scan_offsets(bosc_ctx *ctx, const void *offsets, bool is_64bit, int64_t n, int64_t *found,
                                  struct bi_graph_offsets_scan *scan);

/* Checks and stages the arguments of bosc_graph_build without a graph. *full: the options with defaults. */
bosc_status bi_graph_entries_of(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *given,
                                bosc_graph_opts *full, struct bi_graph_entries *entries);

/* True if the options require a check of the entries. */
bool bi_graph_checks_entries(const bosc_graph_opts *opts, const struct bi_graph_entries *entries);

/* True if there are weights that may be NaN and the options refuse NaN. */
bool bi_graph_refuses_nan(const bosc_graph_opts *opts, const struct bi_graph_entries *entries);

/* Checks that all entries are edges under the options: BOSC_ERR_DATA names the first that is not. Allocates scratch.
 * Waits. */
bosc_status bi_graph_check_entries(bosc_ctx *ctx, const bosc_graph_opts *opts, const struct bi_graph_entries *entries);

/* bosc_graph_build of staged edges known to be valid, all kept: edge i has the id ids[i], below `entries`; ids ascend.
 * Under the graph's options all entries must be edges. Allocates scratch. Waits. */
bosc_status bi_graph_build_with_ids(bosc_ctx *ctx, bosc_graph *graph, const struct bi_graph_entries *edges,
                                    const uint64_t *ids, int64_t entries);

#ifdef __cplusplus
}
#endif
#endif
