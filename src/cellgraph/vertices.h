/* Vertices without edges, for graphs over ranks, which group equal rows before they find edges. */
#ifndef BI_CELLGRAPH_VERTICES_H
#define BI_CELLGRAPH_VERTICES_H

#include "cellgraph/handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Builds or rebuilds a graph of the vertices of checked rows, without edges. Empty after a failure. */
bosc_status bi_cellgraph_build_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
