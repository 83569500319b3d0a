/* Edges on the CPU, partitioned by ranges of the vertex at one end, a word each: the tables of a range fit a cache. */
#ifndef BI_CELLGRAPH_CPU_EDGE_PARTITION_H
#define BI_CELLGRAPH_CPU_EDGE_PARTITION_H

#include "cellgraph/handle.h"

struct bi_cellgraph_edge_partition {
    const uint64_t *edges;
    const uint32_t *positions;
    int64_t count; /* less than 2^32 - 1 */
    int32_t vertex_bits;
    bool by_higher; /* partition by higher vertices rather than lower ones */
    int32_t threads;
    uint32_t ranges;
    int32_t range_bits;    /* bits of a vertex in its range */
    int32_t position_bits; /* bits of a position */
    uint32_t *slots;       /* (threads x ranges) counts, then next slots of a thread */
    uint32_t *starts;      /* (ranges + 1) begins of the ranges */
    uint64_t *packed;      /* (count) by range, in order: vertex in the range, other vertex, position */
};

/* Allocates scratch; the fields up to by_higher are set by the caller. */
bosc_status bi_cellgraph_edge_partition_open(bosc_ctx *ctx, struct bi_cellgraph_edge_partition *r, int64_t vertices,
                                             int32_t length);

/* Fills `packed` and `starts`. */
bosc_status bi_cellgraph_partition_edges(bosc_ctx *ctx, const struct bi_cellgraph_edge_partition *r);

/* Fields of a packed edge: its vertex's number in the range, the other vertex, the position. */
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
