/* The graph's struct, its steps, and the table of operations of each backend. */
#ifndef BI_GRAPH_GRAPH_H
#define BI_GRAPH_GRAPH_H

#include <boscage/graph.h>

#include "core/call.h"
#include "graph/steps/build.h"
#include "graph/steps/generate.h"
#include "graph/steps/rows.h"

#ifdef __cplusplus
extern "C" {
#endif

/* CSR rows in the backend's memory. Weights are kept as keys (graph/entries.h), so that one comparison serves
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

/* The work on item i, for the CPU and the device. */
struct bi_graph_steps {
#define BI_STEP(name, args_t) bi_step_fn name;
#include "graph/steps/steps.def"
#undef BI_STEP
};

struct bi_graph_ops {
    const struct bi_graph_steps *steps;

    /* A counting sort of back arcs; both NULL: the driver sorts by radix. back_arcs sorts the back arcs of the `count`
     * edges of a list stably into list->from and list->positions, and writes the end of each vertex's arcs to
     * ends[v + 1] (ends[0] is 0). counts_back_arcs is true if it is faster than radix passes; only then it may run. */
    bool (*counts_back_arcs)(const bosc_ctx *ctx, const struct bi_graph_back_list *list, int64_t count);
    bosc_status (*back_arcs)(bosc_ctx *ctx, const struct bi_graph_back_list *list, int64_t count, void *ends);

    /* Checks entries as the step graph_check_entry does. NULL: the step runs. */
    bosc_status (*check_entries)(bosc_ctx *ctx, const struct bi_graph_check_entry *check);
};

extern const struct bi_graph_ops bi_graph_ops_cpu; /* cpu/table.c */
#ifdef BOSC_HAVE_CUDA
extern const struct bi_graph_ops bi_graph_ops_cuda; /* cuda/table.cu */
#endif

#ifdef __cplusplus
}
#endif
#endif
