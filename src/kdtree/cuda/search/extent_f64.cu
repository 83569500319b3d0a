/* Searches among f64 points in the order by extent: a file of their own, since copies of kernels take long to
 * compile. */
#include "kdtree/cuda/search/query_kernels.cuh"

template bosc_status bi_kdtree_launch_extent<double, 2>(bosc_ctx *, bi_kdtree_cuda_search);
template bosc_status bi_kdtree_launch_extent<double, 3>(bosc_ctx *, bi_kdtree_cuda_search);
template bosc_status bi_kdtree_launch_extent<double, 4>(bosc_ctx *, bi_kdtree_cuda_search);
