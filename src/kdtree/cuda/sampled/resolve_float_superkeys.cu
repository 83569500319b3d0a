/* Medians of float points by superkey: a file of their own, since copies of the kernels take long to compile. */
#include "kdtree/cuda/sampled/resolve_medians.cuh"

BI_KDTREE_RESOLVE_INSTANCE(2, bi_kdtree_superkeys<bi_kdtree_float_keys>)
BI_KDTREE_RESOLVE_INSTANCE(3, bi_kdtree_superkeys<bi_kdtree_float_keys>)
BI_KDTREE_RESOLVE_INSTANCE(4, bi_kdtree_superkeys<bi_kdtree_float_keys>)
