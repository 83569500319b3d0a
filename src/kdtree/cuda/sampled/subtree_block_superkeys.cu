/* Subtrees of float points made by blocks, in builds by superkey: a file of their own, since copies of the kernel take
 * long to compile. */
#include "kdtree/cuda/sampled/subtree_block.cuh"

#define INSTANCE(DIM)                                                                                  \
    template bosc_status bi_kdtree_run_subtree_blocks<DIM>(                                            \
        bosc_ctx *, int64_t, int32_t, int32_t, int, const bi_kdtree_superkeys<bi_kdtree_float_keys> &, \
        const bi_kdtree_source &, const bi_kdtree_array &, const uint32_t *);
INSTANCE(2)
INSTANCE(3)
INSTANCE(4)
