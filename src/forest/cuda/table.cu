/* The table of spanning forests on CUDA. */
#define BI_STEP_ROOM forest

#include "core/cuda/steps.cuh"
#include "forest/cuda/emst.cuh"
#include "forest/forest.h"
#include "forest/steps/steps.h"

#define STEP_LIST "forest/steps/steps.def"
#define STEP_TABLE static constexpr bi_forest_steps plain_steps
#include "core/step_table.inc"

/* The step emst_sort_mutual, with a warp a list where its entries fit. */
static bosc_status sort_mutual(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_emst &a = *static_cast<const bi_emst *>(args);
    return a.k <= BI_EMST_WARP_LIST ? bi_emst_cuda_sort_mutual(ctx, n, a) : cuda_step_emst_sort_mutual(ctx, n, args);
}

static constexpr bi_forest_steps replace_sort(bi_forest_steps steps)
{
    steps.emst_sort_mutual = sort_mutual;
    return steps;
}

static constexpr bi_forest_steps steps = replace_sort(plain_steps);

extern "C" const bi_forest_ops bi_forest_ops_cuda = {&steps,
                                                     bi_msf_cuda_admits,
                                                     bi_msf_cuda,
                                                     bi_msf_cuda_entries,
                                                     bi_msf_cuda_share,
                                                     &bi_msf_gathered_ops_cuda,
                                                     bi_components_cuda,
                                                     bi_components_cuda_entries,
                                                     bi_components_cuda_entries_single_block,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr,
                                                     nullptr};
