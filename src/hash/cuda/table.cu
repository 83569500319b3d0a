/* Hash tables on CUDA: the table of operations. */
#include "hash/cuda/bucketed.cuh"
#include "hash/steps/steps.h"

static size_t cuda_build_bytes(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    return hash_partition_bytes(ctx, s, n) + hash_fill_bytes(s, n);
}

extern "C" const struct bi_hash_ops bi_hash_ops_cuda = {
    &bi_hash_steps_cuda, hash_partition, hash_fill, hash_find, cuda_build_bytes,
};
