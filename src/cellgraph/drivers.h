/* What the drivers of cell graphs share. */
#ifndef BI_CELLGRAPH_DRIVERS_H
#define BI_CELLGRAPH_DRIVERS_H

#include "cellgraph/handle.h"
#include "cellgraph/steps/steps.h"
#include "core/check.h"

/* Runs a step for items 0 to n - 1. */
#define BI_CELLGRAPH_STEP(ctx, name, n, args) (ctx->ops->cellgraph->steps->name((ctx), (n), (args)))

/* Makes the vertices of rows. *seen (host) gets what AUTO wants to see of them. */
bosc_status bi_cellgraph_make_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                       struct bi_cellgraph_sample_stats *stats);

/* Finds the edges between the vertices. Those of `old` (NULL: none) are the first of them, and its edges known. */
bosc_status bi_cellgraph_find_edges(bosc_ctx *ctx, bosc_cellgraph *graph, const bosc_cellgraph *old,
                                    const struct bi_cellgraph_sample_stats *stats);

/* Both arcs of every edge in order, as a->neighbours and a->positions (NULL: not asked for), which the backend reaches;
 * a->offsets, in scratch, gets where those of each vertex begin. A lack of memory leaves the caller's arrays alone. */
bosc_status bi_cellgraph_make_rows(bosc_ctx *ctx, const bosc_cellgraph *graph, struct bi_cellgraph_arcs *a);

/* The methods: each adds the edges that it finds. */
bosc_status bi_cellgraph_find_by_heuristic(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                           const bosc_cellgraph_opts *opts, const struct bi_cellgraph_edge_list *found);
bosc_status bi_cellgraph_find_by_zobrist(bosc_ctx *ctx, const struct bi_cellgraph_view *view, const uint32_t *common,
                                         const struct bi_cellgraph_edge_list *found);
bosc_status bi_cellgraph_find_by_trie(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_view *view,
                                      const struct bi_cellgraph_edge_list *found);

/* After a join that skewed segments (flags on the host), which found `count` edges: those of skewed segments in another
 * way. */
bosc_status bi_cellgraph_join_halves(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments,
                                     const uint32_t *skewed, int64_t count);

/* TRIE: the options of its trie, and room in that. */
struct bosc_trie_opts bi_cellgraph_trie_opts(const bosc_cellgraph_opts *o);
bosc_status bi_cellgraph_trie_reserve(bosc_ctx *ctx, bosc_cellgraph *graph, int64_t n);

/* The letters that are common among the vertices, by the vote of some. */
int64_t bi_cellgraph_vote_sample_size(int64_t vertices);
bosc_status bi_cellgraph_common_letters(bosc_ctx *ctx, const struct bi_cellgraph_view *view, const uint32_t **to);

/* AUTO: whether the choice of a method for vertices of this many rows may depend on what is seen of a sample of them.
 * */
bool bi_cellgraph_needs_sample(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t rows);

/* AUTO: the method that should take the least time. *common gets the common letters, or NULL. */
bosc_status bi_cellgraph_choose(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                const struct bi_cellgraph_sample_stats *stats, bosc_cellgraph_method *method,
                                const uint32_t **common);

/* Vertices to be looked up by their hashes. */
bosc_status bi_cellgraph_dictionary_of(bosc_ctx *ctx, const struct bi_cellgraph_view *view,
                                       struct bi_cellgraph_dictionary *d);

#endif
