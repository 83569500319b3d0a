/* Handles of graphs: options, sizes and blocks. */
#ifndef BI_GRAPH_HANDLE_H
#define BI_GRAPH_HANDLE_H

#include "core/check.h"
#include "graph/graph.h"
#include "graph/steps/steps.h"

/* Checks that the context can reach the graph; BOSC_ERR_ARG with the reason if not. */
bosc_status bi_graph_check(bosc_ctx *ctx, const bosc_graph *graph);

/* A checked copy of the caller's options with the defaults filled in. */
bosc_status bi_graph_check_opts(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph_opts *full);

/* Checks that a graph may have n vertices and m entries. */
bosc_status bi_graph_check_sizes(bosc_ctx *ctx, const bosc_graph_opts *opts, int64_t n, int64_t m);

/* Checks that the caller's array is not NULL if count > 0, and that it is aligned to its elements. */
bosc_status bi_graph_check_array(bosc_ctx *ctx, const char *name, const void *array, int64_t count, size_t size);

/* Allocates an empty graph with these options, all fields set. */
bosc_status bi_graph_new(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph);

/* True if a build of m entries needs 64-bit offsets and ids. */
bool bi_graph_needs_64bit(const bosc_graph_opts *opts, int64_t m);

/* Reserves blocks for n vertices and m entries in *next; reuses blocks of `graph` of sufficient size. */
bosc_status bi_graph_reserve_blocks(bosc_ctx *ctx, const bosc_graph *graph, int64_t n, int64_t m, bosc_graph *next);
/* Commit: *graph = *next, and frees the blocks only *graph had. Abandon: frees the blocks only *next has. */
void bi_graph_commit(bosc_graph *graph, const bosc_graph *next);
void bi_graph_abandon(const bosc_graph *graph, const bosc_graph *next);

/* The rows, as steps read them. */
struct bi_graph_csr bi_graph_csr_of(const bosc_graph *graph);

#endif
