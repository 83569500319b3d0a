/* Inside a graph. */
#ifndef BI_FOREST_GRAPH_H
#define BI_FOREST_GRAPH_H

#include <boscage/graph.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows in the backend's memory. Weights are kept as keys: unsigned integers of the weight's size that order as the
 * weights do (a NaN, where allowed, is the largest), so that one comparison serves every type. Vertices take 32 bits.
 * Offsets and edge ids take 32 bits where every arc number and edge id is below 2^32 - 1, else (`wide`) 64. */
struct bosc_graph {
    struct bi_memory memory, host;
    bosc_graph_opts opts; /* every field set, defaults filled in */
    int64_t n, entries, m, arcs, loops, parallel, isolated, least_degree, most_degree;
    bool wide;
    bool ids_in_order; /* ids of arcs u -> v with u <= v ascend with the places: listing edges by id needs no sort */
    struct bi_block offsets;    /* n + 1, of 4 or 8 bytes */
    struct bi_block neighbours; /* arcs, uint32_t */
    struct bi_block keys;       /* arcs, of the weight's size */
    struct bi_block edge_ids;   /* arcs, of 4 or 8 bytes */
};

/* Whether the context can reach the graph; BOSC_ERR_ARG with the reason. */
bosc_status bi_graph_check(bosc_ctx *ctx, const bosc_graph *graph);

#ifdef __cplusplus
}
#endif
#endif
