/* The algorithms used from CUB: radix sorts and scans of integers. cub_sort.cu and cub_scan.cu call it; the emulator
 * uses the CPU's collectives instead. Temporary storage is the context's scratch. Keys order as in boscage/prims.h;
 * only bits [first_bit, last_bit) of the ordered key decide. Input and output are apart. */
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
/* dtype I32, U32, I64 or U64, n > 0; out may be in. */
bosc_status bi_cub_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                        void *out);

#ifdef __cplusplus
}
#endif
#endif
