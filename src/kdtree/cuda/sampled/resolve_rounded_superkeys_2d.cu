/* Medians of points of other types by superkey, in 2 dimensions: a file of their own, since copies of the kernels take
 * long to compile. */
#include "kdtree/cuda/sampled/resolve_medians.cuh"

BI_KDTREE_RESOLVE_INSTANCE(2, bi_kdtree_superkeys<bi_kdtree_rounded_keys>)
