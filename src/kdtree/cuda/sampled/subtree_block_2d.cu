/* Subtrees made by blocks, in 2 dimensions: a file of their own, since copies of the kernel take long to compile. */
#include "kdtree/cuda/sampled/subtree_block.cuh"

template bosc_status bi_kdtree_run_subtree_blocks<2, bi_kdtree_float_keys>(bosc_ctx *, int64_t, int32_t, int32_t, int,
                                                                           const bi_kdtree_float_keys &,
                                                                           const bi_kdtree_source &,
                                                                           const bi_kdtree_array &, const uint32_t *);
template bosc_status bi_kdtree_run_subtree_blocks<2, bi_kdtree_rounded_block_keys>(
    bosc_ctx *, int64_t, int32_t, int32_t, int, const bi_kdtree_rounded_block_keys &, const bi_kdtree_source &,
    const bi_kdtree_array &, const uint32_t *);
