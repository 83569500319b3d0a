/* Handles of graphs: options, blocks, and the doors between the front and the drivers. */
#ifndef BI_FOREST_GRAPH_FRONT_H
#define BI_FOREST_GRAPH_FRONT_H

#include "forest/driver.h"

/* A copy of the caller's options with the defaults filled in. */
bosc_status bi_graph_check_opts(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph_opts *full);

/* A new, empty graph with these (full) options. */
bosc_status bi_graph_new(bosc_ctx *ctx, const bosc_graph_opts *opts, bosc_graph **graph);

/* Whether a build of m entries keeps 64-bit offsets and ids. */
bool bi_graph_is_wide(const bosc_graph_opts *opts, int64_t m);

/* Blocks for n vertices and m entries in *next: those of `graph` where they do, else new ones. */
bosc_status bi_graph_reserve_blocks(bosc_ctx *ctx, const bosc_graph *graph, int64_t n, int64_t m, bosc_graph *next);
/* Makes *graph what *next is, and frees the blocks that only *graph held; or frees those that only *next holds. */
void bi_graph_commit(bosc_graph *graph, const bosc_graph *next);
void bi_graph_abandon(const bosc_graph *graph, const bosc_graph *next);

/* Builds from entries in reach. */
bosc_status bi_graph_build(bosc_ctx *ctx, bosc_graph *graph, const struct bi_entries *entries);

#endif
