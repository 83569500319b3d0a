/* Inside a cell graph over ranks: the handle, and functions that its drivers share.
 * `local_status`: this rank's own status, which is exchanged at the next agreement. */
#ifndef BI_RANKS_CELLGRAPH_CELLGRAPH_H
#define BI_RANKS_CELLGRAPH_CELLGRAPH_H

#include <boscage/ranks/cellgraph.h>

#include "cellgraph/handle.h"
#include "ranks/exchange/route.h"

/* This rank's shard of rows, vertices or edges: `own` of `all`, from `first` on. */
struct bi_ranks_shard {
    int64_t first, own, all;
};

enum {
    BI_RANKS_CELLGRAPH_VECTORS,         /* (own vertices x words) */
    BI_RANKS_CELLGRAPH_REPRESENTATIVES, /* (own vertices) int64: rows over all ranks */
    BI_RANKS_CELLGRAPH_MULTIPLICITIES,  /* (own vertices) int64 */
    BI_RANKS_CELLGRAPH_VERTEX_OF,       /* (own rows) int64: vertices over all ranks */
    BI_RANKS_CELLGRAPH_HIGHS,           /* (own edges) int64: the higher representative */
    BI_RANKS_CELLGRAPH_LOWS,            /* (own edges) uint64: (the lower one - first row) << 32 | the letter */
    BI_RANKS_CELLGRAPH_BLOCKS
};

struct bosc_ranks_cellgraph {
    bosc_comm *comm;
    struct bi_memory memory, host;
    bosc_cellgraph_opts opts; /* every field set */
    bosc_cellgraph *local;    /* one rank: the graph; several: this rank's distinct vectors, without edges */
    bosc_cellgraph *gathered; /* several ranks: the graph over the vectors last gathered here, kept for its memory */
    struct bi_ranks_shard rows, vertices, edges;
    struct bi_block blocks[BI_RANKS_CELLGRAPH_BLOCKS]; /* several ranks only */
};

/* Checks that the handle is not NULL; without its communicator no agreement is possible. */
bosc_status bi_ranks_cellgraph_check(bosc_ctx *ctx, const bosc_ranks_cellgraph *graph);

/* Return the options of the two graphs of a rank; the local one finds no edges. */
bosc_cellgraph_opts bi_ranks_cellgraph_local_opts(const bosc_cellgraph_opts *opts);
bosc_cellgraph_opts bi_ranks_cellgraph_gathered_opts(const bosc_cellgraph_opts *opts);

/* Reserves a block. */
bosc_status bi_ranks_cellgraph_reserve_block(bosc_ctx *ctx, bosc_ranks_cellgraph *graph, int block, int64_t count,
                                             size_t size);

/* Copies slices->offsets to scratch, in reach of kernels. */
bosc_status bi_ranks_cellgraph_stage_offsets(bosc_ctx *ctx, const struct bi_ranks_slices *slices,
                                             const int64_t **offsets);

#endif
