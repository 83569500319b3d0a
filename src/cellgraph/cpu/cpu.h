/* What cell graphs do on the CPU, other than by steps. */
#ifndef BI_CELLGRAPH_CPU_CPU_H
#define BI_CELLGRAPH_CPU_CPU_H

#include "cellgraph/costs.h"
#include "cellgraph/handle.h"
#include "cellgraph/steps/steps.h"
#include "core/check.h"
#include "core/cpu/threads.h"

bosc_status bi_cell_cpu_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_rows *rows,
                               struct bi_cell_seen *seen);
bosc_status bi_cell_cpu_join(bosc_ctx *ctx, const struct bi_cell_segments *all);

/* Bytes of scratch that these take. */
int64_t bi_cell_cpu_unique_bytes(int64_t n, int32_t threads);
int64_t bi_cell_cpu_join_bytes(int64_t n, int32_t segments, int32_t threads);

bosc_status bi_cell_cpu_order(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cell_found *found, int64_t edges);

bosc_status bi_cell_cpu_rows(bosc_ctx *ctx, const struct bi_cell_arcs *arcs, int64_t vertices, int32_t length);
/* Looks at a sample of vertices. */
void bi_cell_cpu_look(const struct bi_cell_view *view, struct bi_cell_seen *seen);
bosc_status bi_cell_cpu_search(bosc_ctx *ctx, const struct bi_cell_search *search);

/* Looks up what waits (BI_CELL_WAITING), and adds the edges. */
void bi_cell_cpu_look_up(const struct bi_cell_probe *a);

/* Adds `count` edges, which a thread collected. */
void bi_cell_cpu_append(const struct bi_cell_found *to, const uint64_t *edges, const uint32_t *positions,
                        uint32_t count);

/* On the CPU: by groups of vertices that end alike. The trie has the vertices and their numbers. */
bosc_status bi_cell_cpu_dobrowolski(bosc_ctx *ctx, const struct bosc_trie *trie, const struct bi_cell_view *view,
                                    const struct bi_cell_found *found);

#endif
