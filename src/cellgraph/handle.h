/* The foundation of cell graphs: options, handles, blocks, views, and the checks of arguments. */
#ifndef BI_CELLGRAPH_HANDLE_H
#define BI_CELLGRAPH_HANDLE_H

#include "cellgraph/cellgraph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks options; *full gets them with every field set. */
bosc_status bi_cellgraph_check_opts(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph_opts *full);

/* Whether the context can reach the graph; BOSC_ERR_ARG with the reason. */
bosc_status bi_cellgraph_check(bosc_ctx *ctx, const bosc_cellgraph *graph);

/* The caller's rows, after `before` others. */
bosc_status bi_cellgraph_check_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                                    int64_t stride, int64_t before, struct bi_cellgraph_rows *rows);

/* The graph becomes empty, and its blocks are those with which its last build began. */
void bi_cellgraph_forget(bosc_cellgraph *graph);

/* Room in a block of the graph. */
bosc_status bi_cellgraph_reserve_block(bosc_ctx *ctx, bosc_cellgraph *graph, int block, int64_t count, size_t size);

/* Room for the vertices of n rows. */
bosc_status bi_cellgraph_reserve_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t vertices);

struct bi_cellgraph_view bi_cellgraph_view_of(const bosc_cellgraph *graph);
struct bi_cellgraph_edges bi_cellgraph_edges_of(const bosc_cellgraph *graph);

#ifdef __cplusplus
}
#endif
#endif
