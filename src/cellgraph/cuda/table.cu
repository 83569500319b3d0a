/* CUDA's table of cell graphs. */
#define BI_STEP_ROOM cellgraph

#include "core/cuda/steps.cuh"
#include "cellgraph/cellgraph.h"
#include "cellgraph/cuda/cellgraph.cuh"

#define STEP_LIST "cellgraph/steps/steps.def"
#define STEP_TABLE static const bi_cellgraph_steps steps
#include "core/step_table.inc"

static struct bi_cellgraph_sizes sizes(const bosc_ctx *ctx, const struct bi_letters *shape, int64_t n,
                                       int64_t max_bytes)
{
    (void)shape;
    return {bi_cellgraph_cuda_unique_bytes(n), bi_cellgraph_cuda_join_bytes(ctx, n, max_bytes)};
}

extern "C" const bi_cellgraph_ops bi_cellgraph_ops_cuda = {&steps,
                                                           &bi_cellgraph_costs_cuda,
                                                           sizes,
                                                           bi_cellgraph_cuda_unique,
                                                           bi_cellgraph_cuda_join,
                                                           bi_cellgraph_cuda_search,
                                                           nullptr,
                                                           nullptr,
                                                           nullptr,
                                                           bi_cellgraph_cuda_compare_pairs,
                                                           bi_cellgraph_cuda_measure_pivots,
                                                           bi_cellgraph_cuda_table_edges,
                                                           bi_cellgraph_cuda_list_words};
