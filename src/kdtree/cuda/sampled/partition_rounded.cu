/* Partitions of points of other types: a file of their own, since copies of the kernel take long to compile. */
#include "kdtree/cuda/sampled/partition_points.cuh"

BI_KDTREE_PARTITION_INSTANCE(2, bi_kdtree_rounded_keys)
BI_KDTREE_PARTITION_INSTANCE(3, bi_kdtree_rounded_keys)
BI_KDTREE_PARTITION_INSTANCE(4, bi_kdtree_rounded_keys)
BI_KDTREE_PARTITION_INSTANCE(2, bi_kdtree_superkeys<bi_kdtree_rounded_keys>)
BI_KDTREE_PARTITION_INSTANCE(3, bi_kdtree_superkeys<bi_kdtree_rounded_keys>)
BI_KDTREE_PARTITION_INSTANCE(4, bi_kdtree_superkeys<bi_kdtree_rounded_keys>)
