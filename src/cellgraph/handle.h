/* The foundation of cell graphs: options, handles, blocks, views, and the checks of arguments. */
#ifndef BI_CELLGRAPH_HANDLE_H
#define BI_CELLGRAPH_HANDLE_H

#include "cellgraph/cellgraph.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Checks options; *full gets them with every field set. And how letters lie in words, by them. */
bosc_status bi_cell_check_opts(bosc_ctx *ctx, const bosc_cellgraph_opts *opts, bosc_cellgraph_opts *full);
struct bi_cell_shape bi_cell_shape_of(int32_t length, int32_t letter_bits);

/* Whether the context can reach the graph; BOSC_ERR_ARG with the reason. */
bosc_status bi_cell_check(bosc_ctx *ctx, const bosc_cellgraph *graph);

/* The caller's rows, after `before` others. */
bosc_status bi_cell_check_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, const uint64_t *vectors, int64_t n,
                               int64_t stride, int64_t before, struct bi_cell_rows *rows);

/* Room in a block of the graph. */
bosc_status bi_cell_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int block, int64_t count, size_t size);

/* Room for the vertices of n rows. */
bosc_status bi_cell_reserve_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n, int64_t vertices);

struct bi_cell_view bi_cell_view_of(const bosc_cellgraph *graph);
struct bi_cell_edges bi_cell_edges_of(const bosc_cellgraph *graph);

#ifdef __cplusplus
}
#endif
#endif
