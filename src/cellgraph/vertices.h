/* The vertices of rows alone, for graphs over ranks: there equal rows meet before edges are looked for. */
#ifndef BI_CELLGRAPH_VERTICES_H
#define BI_CELLGRAPH_VERTICES_H

#include "cellgraph/handle.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Builds or rebuilds a graph that has the vertices of checked rows, and no edges. On a failure it is empty. */
bosc_status bi_cellgraph_build_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows);

#ifdef __cplusplus
}
#endif
#endif
