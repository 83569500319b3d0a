/* Declarations shared by the CUDA files of concurrent binary trees. */
#ifndef BI_CBT_CUDA_CBT_CUH
#define BI_CBT_CUDA_CBT_CUH

#include "core/cuda/launch.cuh"
#include "core/cuda/warp.cuh"

#include "cbt/cbt.h"
#include "cbt/steps/steps.h" /* its atomics are those of the headers above */

extern "C" {
bosc_status bi_cbt_cuda_decode(bosc_ctx *ctx, const bi_cbt_decode *a);
bosc_status bi_cbt_cuda_change(bosc_ctx *ctx, bosc_cbt *tree, const bi_cbt_change *a, bi_cbt_outcome *outcome);
/* The same for trees with so few blocks of bits that a warp each can run at once; does nothing (DOES_NOT_FIT) to
 * others. Without `apply` only the sources are written. */
enum bi_cbt_launch { BI_CBT_DOES_NOT_FIT, BI_CBT_LAUNCHED };
bosc_status bi_cbt_cuda_change_small(bosc_ctx *ctx, const bosc_cbt *tree, const bi_cbt_change *a, bool apply,
                                     bi_cbt_launch *launch);
int64_t bi_cbt_cuda_change_scratch(int64_t blocks);
int64_t bi_cbt_cuda_install_scratch(int64_t blocks);
bosc_status bi_cbt_cuda_install(bosc_ctx *ctx, bosc_cbt *tree, const uint64_t *bits);
bosc_status bi_cbt_cuda_reduce_heap(bosc_ctx *ctx, const bi_cbt_reduction *a);
}

/* Words by which the blocks of a launch exchange counts (change.cuh): at most one a block. */
enum { BI_CBT_EXCHANGE_WORDS = 1024 };
#define BI_CBT_EXCHANGE_BYTES \
    (2 * (1 + BI_CBT_EXCHANGE_WORDS) * sizeof(uint64_t)) /* one set for change.cu, one for change_small_tree.cu */

#endif
