/* The operations of tries on CUDA. */
#ifndef BI_TRIE_CUDA_TRIE_CUH
#define BI_TRIE_CUDA_TRIE_CUH

#include "core/cuda/simt.cuh"
#include "trie/steps/steps.h"

bosc_status bi_trie_cuda_launch_pairs(bosc_ctx *ctx, const struct bi_trie_pairs *args, int32_t blocks, int32_t threads);

#endif
