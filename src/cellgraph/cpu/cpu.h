/* CPU operations of cell graphs beside the steps. */
#ifndef BI_CELLGRAPH_CPU_CPU_H
#define BI_CELLGRAPH_CPU_CPU_H

#include <string.h>

#include "cellgraph/cellgraph.h"
#include "base/atomic.h"
#include "cellgraph/handle.h"
#include "cellgraph/steps/steps.h"
#include "core/check.h"
#include "core/cpu/threads.h"

bosc_status bi_cellgraph_cpu_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                    struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table);
bosc_status bi_cellgraph_cpu_join(bosc_ctx *ctx, const struct bi_cellgraph_segments *all);

/* Their scratch bytes. */
int64_t bi_cellgraph_cpu_unique_bytes(int64_t n, int32_t threads);
int64_t bi_cellgraph_cpu_join_bytes(int64_t n, int32_t segments, int32_t threads);

bosc_status bi_cellgraph_cpu_order(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_edge_list *found,
                                   int64_t edges);

bosc_status bi_cellgraph_cpu_rows(bosc_ctx *ctx, const struct bi_cellgraph_arcs *arcs, int64_t vertices,
                                  int32_t length);
bosc_status bi_cellgraph_cpu_table_edges(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table);
bosc_status bi_cellgraph_cpu_search(bosc_ctx *ctx, const struct bi_cellgraph_search *search);

/* Appends `count` edges that a thread collected, as far as the list has capacity. */
static inline void bi_cellgraph_cpu_append(const struct bi_cellgraph_edge_list *to, const uint64_t *edges,
                                           const uint32_t *positions, uint32_t count)
{
    if (count == 0) return;
    const uint64_t at = bi_atomic_fetch_add_u64(to->count, count), capacity = (uint64_t)to->capacity,
                   left = at < capacity ? capacity - at : 0;
    const size_t kept = left < count ? (size_t)left : count;
    if (kept == 0) return;
    memcpy(to->edges + at, edges, kept * sizeof *edges);
    memcpy(to->positions + at, positions, kept * sizeof *positions);
}

/* Dobrowolski's search in a trie whose values are vertices. */
bosc_status bi_cellgraph_cpu_dobrowolski(bosc_ctx *ctx, const struct bosc_trie *trie,
                                         const struct bi_cellgraph_view *view,
                                         const struct bi_cellgraph_edge_list *found);

#endif
