/* Handles of graphs: options, sizes and blocks. */
#ifndef BI_GRAPH_HANDLE_H
#define BI_GRAPH_HANDLE_H

#include "core/check.h"
#include "graph/graph.h"
#include "graph/steps/steps.h"

/* Whether the context can reach the graph; BOSC_ERR_ARG with the reason. */
bosc_status bi_graph_check(bosc_ctx *ctx, const bosc_graph *graph);

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_graph_check_opts(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph_opts *full);

/* Whether a graph may have n vertices and m entries. */
bosc_status bi_graph_check_sizes(bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m);

/* Whether the caller's array is there, if it must be, and aligned to its elements. */
bosc_status bi_graph_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t count, size_t size);

/* A new, empty graph with these (full) options. */
bosc_status bi_graph_new(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph);

/* Whether a build of m entries keeps 64-bit offsets and ids. */
bool bi_graph_is_wide(const bosc_graph_opts *opts, int64_t m);

/* Blocks for n vertices and m entries in *next: those of `graph` where they are large enough, else new ones. */
bosc_status bi_graph_reserve_blocks(bosc_ctx *ctx, const bosc_graph *graph, int64_t n, int64_t m, bosc_graph *next);
/* Makes *graph equal to *next, and frees the blocks that only *graph held; or frees those that only *next holds. */
void bi_graph_commit(bosc_graph *graph, const bosc_graph *next);
void bi_graph_abandon(const bosc_graph *graph, const bosc_graph *next);

/* The rows, as steps read them. */
struct bi_graph_csr bi_graph_csr_of(const bosc_graph *graph);

#endif
