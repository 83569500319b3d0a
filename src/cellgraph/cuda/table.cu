/* CUDA's table of cell graphs. */
#define BI_STEP_ROOM cellgraph

#include "core/cuda/steps.cuh"
#include "cellgraph/costs.h"
#include "cellgraph/cuda/cellgraph.cuh"

#define BI_STEP BI_STEP_CUDA
#include "cellgraph/steps/steps.def"
#undef BI_STEP

static const bi_cellgraph_steps steps = {
#define BI_STEP(name, args_t) cuda_step_##name,
#include "cellgraph/steps/steps.def"
#undef BI_STEP
};

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
                                                           bi_cellgraph_cuda_compare_pairs};
