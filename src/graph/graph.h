/* The graph's struct, and the table of operations of each backend. */
#ifndef BI_GRAPH_GRAPH_H
#define BI_GRAPH_GRAPH_H

#include <boscage/graph.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CSR rows in the backend's memory. Weights are kept as keys (graph/weight_keys.h), so that one comparison serves
 * every type. Vertices have 32 bits. Offsets and edge ids have 32 bits if every arc index and edge id is below 2^32 -
 * 1, else (`is_64bit`) 64. */
struct bosc_graph {
    struct bi_memory memory, host;
    bosc_graph_opts opts; /* every field set, defaults filled in */
    int64_t n, entries, m, arcs, loops, parallel, isolated, least_degree, most_degree;
    bool is_64bit;
    bool ids_in_order;       /* ids of arcs u -> v with u <= v ascend in row order: listing edges by id needs no sort */
    struct bi_block offsets; /* n + 1, of 4 or 8 bytes */
    struct bi_block neighbours; /* arcs, uint32_t */
    struct bi_block keys;       /* arcs, of the weight's size */
    struct bi_block edge_ids;   /* arcs, of 4 or 8 bytes */
};

struct bi_graph_steps;
struct bi_graph_back_list;

struct bi_graph_ops {
    const struct bi_graph_steps *steps;

    /* Sorts the back arcs of the `count` edges of a list stably into list->from and list->positions, and writes the
     * end of each vertex's arcs to ends[v + 1] (ends[0] is 0). NULL, or *handled false: the driver sorts by radix. */
    bosc_status (*back_arcs)(bosc_ctx *, const struct bi_graph_back_list *list, int64_t count, void *ends,
                             bool *handled);
};

extern const struct bi_graph_ops bi_graph_ops_cpu; /* cpu/table.c */
bosc_status bi_graph_cpu_back_arcs(bosc_ctx *ctx, const struct bi_graph_back_list *list, int64_t count, void *ends,
                                   bool *handled);
#ifdef BOSC_HAVE_CUDA
extern const struct bi_graph_ops bi_graph_ops_cuda; /* cuda/table.cu */
#endif

#ifdef __cplusplus
}
#endif
#endif
