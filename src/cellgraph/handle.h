/* The foundation of cell graphs: options, handles, blocks, views, and the checks of arguments. */
#ifndef BI_CELLGRAPH_HANDLE_H
#define BI_CELLGRAPH_HANDLE_H

#include "cellgraph/cellgraph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks options, and copies them with defaults filled in. */
bosc_status bi_cellgraph_check_opts(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph_opts *full);

/* Checks that the context can reach the graph. */
bosc_status bi_cellgraph_check(bosc_ctx *ctx, const bosc_cellgraph *graph);

/* Checks that the context can reach the graph, and that it stores edges. */
bosc_status bi_cellgraph_check_edges(bosc_ctx *ctx, const bosc_cellgraph *graph);

/* Checks the caller's rows, which follow `earlier` others, and describes them in *rows. */
bosc_status bi_cellgraph_check_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                    int64_t stride, int64_t earlier, struct bi_cellgraph_rows *rows);

/* Empties the graph, and restores the blocks with which its last build began. */
void bi_cellgraph_clear(bosc_cellgraph *graph);

/* Grows a block of the graph. */
bosc_status bi_cellgraph_reserve_block(bosc_ctx *ctx, bosc_cellgraph *graph, int block, int64_t count, size_t size);

/* Grows the blocks for the vertices of n rows. */
bosc_status bi_cellgraph_reserve_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t vertices);

struct bi_cellgraph_view bi_cellgraph_view_of(const bosc_cellgraph *graph);
struct bi_cellgraph_edges bi_cellgraph_edges_of(const bosc_cellgraph *graph);

/* build.c. Builds or rebuilds a graph of the vertices of checked rows, without edges. For graphs over ranks, which
 * group equal rows before they find edges. Empty after a failure. */
bosc_status bi_cellgraph_build_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
