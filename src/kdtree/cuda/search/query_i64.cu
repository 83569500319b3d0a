#include "kdtree/cuda/search/query_kernels.cuh"

bosc_status bi_kdtree_cuda_search_i64(bosc_ctx *ctx, const bi_kdtree_cuda_search &a)
{
    return bi_kdtree_cuda_search_dim<int64_t>(ctx, a);
}
