/* What is taken from CUB: radix sorts. cub_sort.cu calls it; in the emulator the CPU's sorts stand in. Temporary
 * storage is the context's scratch. Keys order as in boscage/prims.h; only bits [first_bit, last_bit) of the ordered
 * key decide. Input and output are apart. */
#ifndef BI_CORE_CUDA_CUB_H
#define BI_CORE_CUDA_CUB_H

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

bosc_status bi_cub_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit);
bosc_status bi_cub_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit);

#ifdef __cplusplus
}
#endif
#endif
