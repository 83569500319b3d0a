/* The table of the CUDA collectives, and the check of offsets, a step. */
#define BI_STEP_ROOM core

#include "core/cuda/collectives.cuh"
#include "core/cuda/steps.cuh"
#include "core/core_steps.h"

BI_STEP_CUDA(ascending, struct bi_ascending)

bosc_status bi_cuda_check_offsets(bosc_ctx *ctx, const int64_t *offsets, int64_t rows, int64_t *bad)
{
    const struct bi_ascending args = {offsets, bad};
    return cuda_step_ascending(ctx, rows, &args);
}

extern "C" const bi_core_ops bi_core_cuda = {
    bi_cuda_reduce,        bi_cuda_scan,      bi_cuda_scan_segmented, bi_cuda_compact,     bi_cuda_histogram,
    bi_cuda_split,         bi_cuda_sort_keys, bi_cuda_sort_pairs,     bi_cuda_merge_pairs, bi_cuda_search_sorted,
    bi_cuda_sort_superkey, bi_cuda_iota,      bi_cuda_check_offsets,
};
