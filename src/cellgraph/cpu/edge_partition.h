/* Edges on the CPU partitioned by ranges of the vertices at one of their ends, as a word each: the tables of a range
 * fit into a cache. */
#ifndef BI_CELLGRAPH_CPU_EDGE_PARTITION_H
#define BI_CELLGRAPH_CPU_EDGE_PARTITION_H

#include "cellgraph/handle.h"

struct bi_cellgraph_edge_partition {
    const uint64_t *edges;
    const uint32_t *positions;
    int64_t count; /* less than 2^32 - 1 */
    int32_t vertex_bits;
    bool by_higher; /* by their higher vertices, rather than by the lower ones */
    int32_t threads;
    uint32_t ranges;
    int32_t range_bits;    /* of the vertices of a range */
    int32_t position_bits; /* of a position */
    uint32_t *places;      /* (threads x ranges) counts, then where a thread's edges of a range go */
    uint32_t *starts;      /* (ranges + 1) of each range's edges */
    uint64_t *packed;      /* (count) by range: the vertex in it, the other one, the position; in order within it */
};

/* Takes scratch; the first fields, up to by_higher, are set before. */
bosc_status bi_cellgraph_edge_partition_open(bosc_ctx *ctx, struct bi_cellgraph_edge_partition *r, int64_t vertices,
                                             int32_t length);

bosc_status bi_cellgraph_edge_partition_run(bosc_ctx *ctx, const struct bi_cellgraph_edge_partition *r);

/* Of a packed edge: its vertex's number in the range, and the other one. */
static inline uint32_t bi_cellgraph_edge_local(const struct bi_cellgraph_edge_partition *r, uint64_t packed)
{
    return (uint32_t)(packed >> r->position_bits >> r->vertex_bits);
}
static inline uint32_t bi_cellgraph_edge_other(const struct bi_cellgraph_edge_partition *r, uint64_t packed)
{
    return (uint32_t)(packed >> r->position_bits & ((1ull << r->vertex_bits) - 1));
}
static inline uint32_t bi_cellgraph_edge_position(const struct bi_cellgraph_edge_partition *r, uint64_t packed)
{
    return (uint32_t)packed & ((1u << r->position_bits) - 1);
}

#endif
