/* Inside a distributed cell graph, and what its drivers share. */
#ifndef BI_RANKS_CELLGRAPH_CELLGRAPH_H
#define BI_RANKS_CELLGRAPH_CELLGRAPH_H

#include <boscage/ranks/cellgraph.h>

#include "cellgraph/vertices.h"
#include "ranks/exchange/route.h"

/* Those of all ranks, of which this one has `own` from `first` on. */
struct bi_ranks_share {
    int64_t first, own, all;
};

enum {
    BI_RANKS_CELLGRAPH_VECTORS,         /* (own vertices x words) */
    BI_RANKS_CELLGRAPH_REPRESENTATIVES, /* (own vertices) int64: rows over all ranks */
    BI_RANKS_CELLGRAPH_MULTIPLICITIES,  /* (own vertices) int64 */
    BI_RANKS_CELLGRAPH_VERTEX_OF,       /* (own rows) int64: vertices over all ranks */
    BI_RANKS_CELLGRAPH_HIGHS,           /* (own edges) int64: the higher representative */
    BI_RANKS_CELLGRAPH_LOWS,            /* (own edges) uint64: the lower one less the first row, << 32 | the letter */
    BI_RANKS_CELLGRAPH_BLOCKS
};

struct bosc_ranks_cellgraph {
    bosc_comm *comm;
    struct bi_memory memory, host;
    bosc_cellgraph_opts opts; /* every field set */
    bosc_cellgraph *local;    /* of one rank alone: the graph. Else this rank's distinct vectors, without edges */
    bosc_cellgraph *met;      /* of several ranks: what came here last, kept for its memory */
    struct bi_ranks_share rows, vertices, edges;
    struct bi_block blocks[BI_RANKS_CELLGRAPH_BLOCKS]; /* of several ranks */
};

/* Whether the handle is there, without which a rank cannot meet the others. */
bosc_status bi_ranks_cellgraph_check(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph);

/* The options of a rank's graphs, of several ranks: no edges are looked for in the first one. */
bosc_cellgraph_opts bi_ranks_cellgraph_local_opts(const bosc_cellgraph_opts *opts);
bosc_cellgraph_opts bi_ranks_cellgraph_met_opts(const bosc_cellgraph_opts *opts);

/* Makes room in a block. */
bosc_status bi_ranks_cellgraph_reserve_block(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int block, int64_t count,
                                             size_t size);

/* Sends vectors (count x words), in reach, to the owners of their bits in `mask`. Ended by bi_ranks_route_end. */
bosc_status bi_ranks_cellgraph_route(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph, bosc_status local_status,
                                     const uint64_t *vectors, int64_t count, uint64_t mask,
                                     struct bi_ranks_route *route);

/* Brings slices->offsets in reach of kernels, in scratch. */
bosc_status bi_ranks_cellgraph_bring_offsets(bosc_ctx *ctx, const struct bi_ranks_slices *slices,
                                             const int64_t **offsets);

/* The vertices of the rows of several ranks, of which `rows` are this one's. */
bosc_status bi_ranks_cellgraph_find_vertices(bosc_ctx *ctx, bosc_ranks_cellgraph *graph,
                                             const struct bi_cellgraph_rows *rows);

/* The edges between them, in order. */
bosc_status bi_ranks_cellgraph_find_edges(bosc_ctx *ctx, bosc_ranks_cellgraph *graph,
                                          const struct bi_ranks_slices *slices);

#endif
