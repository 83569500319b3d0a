/* The table of hash tables on CUDA, and its steps. */
#define BI_STEP_ROOM hash

#include "core/cuda/steps.cuh"
#include "hash/cuda/bucketed.cuh"
#include "hash/steps/steps.h"

#define STEP_LIST "hash/steps/steps.def"
#define STEP_TABLE extern "C" const bi_hash_steps bi_hash_steps_cuda
#include "core/step_table.inc"

static size_t build_bytes(const bosc_ctx *ctx, const struct bi_hash_shape *s, int64_t n)
{
    const size_t in_passes = bi_hash_partition_bytes_cuda(ctx, s, n) + bi_hash_fill_bytes_cuda(s, n);
    return max(max(in_passes, bi_hash_build_bytes_cuda(s, n)), bi_hash_cells_bytes_cuda(ctx, s, n));
}

extern "C" const struct bi_hash_ops bi_hash_ops_cuda = {
    &bi_hash_steps_cuda,
    bi_hash_partition_cuda,
    bi_hash_fill_cuda,
    bi_hash_build_cuda,
    bi_hash_launch_build_cuda,
    bi_hash_await_build_cuda,
    bi_hash_open_completion_cuda,
    bi_hash_close_completion_cuda,
    bi_hash_find_cuda,
    bi_hash_words_bytes_cuda,
    build_bytes,
    bi_hash_fill_slots_cuda,
    bi_hash_find_slots_cuda,
    NULL, /* directories and numbers of keys are the CPU's */
    NULL,
    NULL,
    bi_hash_reduce_repeats_cuda,
    bi_hash_group_pairs_cuda,
    NULL, /* samples and ranges of keys are the CPU's too */
    NULL,
};
