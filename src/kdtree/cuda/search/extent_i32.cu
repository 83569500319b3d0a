/* Searches among i32 points in the order by extent: a file of their own, since copies of kernels take long to
 * compile. */
#include "kdtree/cuda/search/query_kernels.cuh"

template bosc_status bi_kdtree_launch_extent<int32_t, 2>(bosc_ctx *, bi_kdtree_cuda_search);
template bosc_status bi_kdtree_launch_extent<int32_t, 3>(bosc_ctx *, bi_kdtree_cuda_search);
template bosc_status bi_kdtree_launch_extent<int32_t, 4>(bosc_ctx *, bi_kdtree_cuda_search);
