/* Between the front door and the drivers of graphs and forests. */
#ifndef BI_FOREST_DRIVER_H
#define BI_FOREST_DRIVER_H

#include "core/check.h"
#include "forest/graph.h"
#include "forest/steps.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Scratch for `count` elements of `size` bytes. */
bosc_status bi_forest_scratch(bosc_ctx *ctx, int64_t count, size_t size, void **p);

/* The row of each of m elements of rows with these n + 1 offsets, which begin with 0 and end with m. */
bosc_status bi_graph_expand_rows(bosc_ctx *ctx, const void *offsets, bool wide, int64_t n, int64_t m, uint32_t *rows);

/* What steps on a graph's rows read. */
struct bi_rows bi_graph_rows(const bosc_graph *graph);

/* The arcs u -> v, u <= v, one of every edge, in the order of their places: arcs and edge ids (words of the graph's
 * width), and the row of every arc of the graph. In scratch. */
struct bi_graph_edges {
    uint32_t *row_of;
    void *arcs, *ids;
    int64_t count;
};
bosc_status bi_graph_list_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_graph_edges *edges);

/* The edges in the order of their ids, u <= v, to those of out's arrays (in the backend's memory) that are not NULL;
 * wide_out says how wide ids, u and v are, keep_keys whether weights stay keys. The scratch is the caller's to rewind.
 */
bosc_status bi_graph_fetch_edges(bosc_ctx *ctx, const bosc_graph *graph, struct bi_fetch_edges *out);

#ifdef __cplusplus
}
#endif
#endif
