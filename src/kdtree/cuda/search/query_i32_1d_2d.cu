/* Searches among i32 points in 1 and 2 dimensions: a file of their own, since copies of kernels take long to
 * compile. */
#include "kdtree/cuda/search/query_kernels.cuh"

template bosc_status bi_kdtree_launch_dim<int32_t, 1>(bosc_ctx *, bi_kdtree_cuda_search);
template bosc_status bi_kdtree_launch_dim<int32_t, 2>(bosc_ctx *, bi_kdtree_cuda_search);
