/* The last step of the filter: exact distances of candidates, or of all nodes. */
#ifndef BI_KDTREE_CUDA_SEARCH_FILTER_MEASURE_CUH
#define BI_KDTREE_CUDA_SEARCH_FILTER_MEASURE_CUH

#include "kdtree/cuda/search/filter.cuh"
#include "kdtree/cuda/search/index.cuh"

struct bi_kdtree_filter_batch {
    bi_kdtree_cuda_search a; /* of all queries */
    int64_t first;           /* number of the first query of the batch */
    uint32_t count;          /* queries of the batch */
    const uint32_t *counts, *lists;
    int32_t capacity;
    uint32_t *unlisted, *unlisted_count; /* queries whose list lacks candidates; NULL: all queries */
    bi_kdtree_choice choice;
};

/* Writes the nearest of the queries of a batch: among their candidates, or, without lists, of all nodes. */
bosc_status bi_kdtree_filter_measure(bosc_ctx *ctx, bosc_dtype dtype, const bi_kdtree_filter_batch &m);

#endif
