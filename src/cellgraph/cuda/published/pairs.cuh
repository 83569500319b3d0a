/* The numbering of pairs that the published heuristics share. */
#ifndef BI_CELLGRAPH_CUDA_PUBLISHED_PAIRS_CUH
#define BI_CELLGRAPH_CUDA_PUBLISHED_PAIRS_CUH

#include "core/cuda/simt.cuh"
#include "cellgraph/steps/heuristic.h"

/* The pair of number p. Rows k and n - 1 - k have n - 1 pairs together; row k has `own` of them, the first ones. */
static __device__ __forceinline__ void bi_cellgraph_pair_of(int64_t p, int64_t n, int64_t *i, int64_t *j)
{
    const int64_t k = p / (n - 1), offset = p % (n - 1), own = n - 1 - k;
    *i = offset < own ? k : n - 1 - k;
    *j = *i + 1 + (offset < own ? offset : offset - own);
}

/* Compares all pairs by segments of letters, with an early end. */
bosc_status bi_cellgraph_cuda_compare_segments(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all);

#endif
