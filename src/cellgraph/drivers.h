/* Shared by the drivers of cell graphs. */
#ifndef BI_CELLGRAPH_DRIVERS_H
#define BI_CELLGRAPH_DRIVERS_H

#include "cellgraph/handle.h"
#include "cellgraph/steps/steps.h"
#include "core/check.h"

/* Runs a step for items 0 to n - 1. */
#define BI_CELLGRAPH_STEP(ctx, name, n, args) (ctx->ops->cellgraph->steps->name((ctx), (n), (args)))

/* Finds the edges between the vertices. The vertices of `old` (NULL: none) come first, and its edges are known.
 * table: of the rows of a build, NULL if there is none. */
bosc_status bi_cellgraph_find_edges(bosc_ctx *ctx, bosc_cellgraph *graph, const bosc_cellgraph *old,
                                    const struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table);

/* TABLE: true if the options select it for this many rows. */
bool bi_cellgraph_uses_table(const bosc_ctx *ctx, const bosc_cellgraph_opts *opts, int64_t rows);

/* Scratch of a table of the words of n rows, and of finding its edges. */
int64_t bi_cellgraph_table_bytes(const struct bi_letters *shape, int64_t n, int64_t edges);

/* Builds the table of the words of rows. */
bosc_status bi_cellgraph_build_table(bosc_ctx *ctx, const struct bi_letters *shape,
                                     const struct bi_cellgraph_rows *rows, struct bi_cellgraph_table *table);

/* Finds the rank of each row, and the first row of each rank. */
bosc_status bi_cellgraph_find_first_rows(bosc_ctx *ctx, struct bi_cellgraph_table *table);

/* Finds the vertex of each rank, for a table of a graph's vertices; grouping rows does it for one of rows. */
bosc_status bi_cellgraph_number_words(bosc_ctx *ctx, const bosc_cellgraph *graph,
                                      const struct bi_cellgraph_table *table);

/* Writes both arcs of every edge, sorted, to a->neighbours in reach and a->positions anywhere (either may be NULL).
 * Allocates a->offsets in scratch. Out of memory leaves the caller's arrays unchanged. */
bosc_status bi_cellgraph_build_adjacency(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_arcs *a);

/* Finds a path between search->source under its mask, of a graph with implied edges: search->path, and the numbers in
 * *result as a search of rows sets them. */
bosc_status bi_cellgraph_find_route(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_search *search,
                                    struct bi_cellgraph_search_result *result);

/* The methods; each appends the edges that it finds. */
bosc_status bi_cellgraph_find_by_heuristic(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                           const bosc_cellgraph_opts *opts, const struct bi_cellgraph_edge_list *found);
bosc_status bi_cellgraph_find_by_zobrist(bosc_ctx *ctx, const struct bi_cellgraph_view *view, const uint32_t *common,
                                         const struct bi_cellgraph_edge_list *found);
bosc_status bi_cellgraph_find_by_trie(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_view *view,
                                      const struct bi_cellgraph_edge_list *found);

/* Finds the edges of the skewed segments (flags on the host) of a join that stored `count` edges. */
bosc_status bi_cellgraph_join_halves(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments,
                                     const uint32_t *skewed, int64_t count);

/* TRIE: options of its trie, and its memory. */
struct bosc_trie_opts bi_cellgraph_make_trie_opts(const bosc_cellgraph_opts *o);
bosc_status bi_cellgraph_trie_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n);

/* The most common letter at each position, by a vote of a sample of vertices. */
int64_t bi_cellgraph_vote_sample_size(int64_t vertices);
bosc_status bi_cellgraph_find_common_letters(bosc_ctx *ctx, const struct bi_cellgraph_view *view, const uint32_t **to);

/* AUTO: true if the choice for the vertices of this many rows depends on a sample. */
bool bi_cellgraph_needs_sample(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t rows);

/* AUTO: the method with the least estimated time. *common gets the common letters, or NULL. */
bosc_status bi_cellgraph_choose_method(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                       const struct bi_cellgraph_sample_stats *stats, bosc_cellgraph_method *method,
                                       const uint32_t **common);

/* Sets the arrays of the dictionary of `count` vertices, one behind the other from `base` on. Returns their bytes. */
int64_t bi_cellgraph_lay_out_dictionary(void *base, int64_t count, struct bi_cellgraph_dictionary *d);

/* Fills the arrays of a dictionary. */
bosc_status bi_cellgraph_fill_dictionary(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                         const struct bi_cellgraph_dictionary *d);

/* Builds the dictionary of vertices by hash, in scratch. */
bosc_status bi_cellgraph_build_dictionary(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                          struct bi_cellgraph_dictionary *d);

#endif
