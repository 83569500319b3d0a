/* The operations of cell graphs on CUDA. */
#ifndef BI_CELLGRAPH_CUDA_CELLGRAPH_CUH
#define BI_CELLGRAPH_CUDA_CELLGRAPH_CUH

#include "core/cuda/simt.cuh"
#include "cellgraph/handle.h"
#include "cellgraph/steps/steps.h"

/* Read back by the host once the vertices are numbered. */
struct bi_cellgraph_unique_result {
    uint32_t vertices;
    uint32_t sampled[2],
        pairs[2]; /* of the sampled groups of each half of the words: vertices, and pairs in one group */
    struct bi_cellgraph_sample_stats stats;
};

bosc_status bi_cellgraph_cuda_unique(bosc_ctx *ctx, bosc_cellgraph *graph, const struct bi_cellgraph_rows *rows,
                                     struct bi_cellgraph_sample_stats *stats, struct bi_cellgraph_table *table);
int64_t bi_cellgraph_cuda_unique_bytes(int64_t n);
int64_t bi_cellgraph_cuda_join_bytes(const bosc_ctx *ctx, int64_t n, int64_t max_bytes);
bosc_status bi_cellgraph_cuda_join(bosc_ctx *ctx, const struct bi_cellgraph_segments *segments);
/* Samples the vertices, whose number is in the result; does nothing if there are more than `capacity`. */
bosc_status bi_cellgraph_cuda_sample(bosc_ctx *ctx, const struct bi_cellgraph_view *view, int64_t capacity,
                                     bi_cellgraph_unique_result *result);
/* Sets the graph's vertices from the table of its rows. Also sets table->ids and table->edges. Waits once. */
bosc_status bi_cellgraph_cuda_table_vertices(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table);
bosc_status bi_cellgraph_cuda_list_words(bosc_ctx *ctx, const struct bi_cellgraph_table *table, int64_t groups);
/* Adds twice the number of edges of a table to *edges. */
bosc_status bi_cellgraph_cuda_count_table(bosc_ctx *ctx, const struct bi_cellgraph_table *table,
                                          unsigned long long *edges);
bosc_status bi_cellgraph_cuda_table_edges(bosc_ctx *ctx, bosc_cellgraph *graph, struct bi_cellgraph_table *table);
bosc_status bi_cellgraph_cuda_compare_pairs(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all);
bosc_status bi_cellgraph_cuda_measure_pivots(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all);
bosc_status bi_cellgraph_cuda_search(bosc_ctx *ctx, const struct bi_cellgraph_search *search);

#endif
