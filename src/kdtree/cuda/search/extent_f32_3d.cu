/* Searches among f32 points in 3 dimensions in the order by extent: a file of their own, since copies of kernels take
 * long to compile. */
#include "kdtree/cuda/search/query_kernels.cuh"

template bosc_status bi_kdtree_launch_extent<float, 3>(bosc_ctx *, bi_kdtree_cuda_search);
