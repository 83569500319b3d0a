/* The CUDA collectives (contracts: core/backend.h): CUB where it suffices (cub_*.cu), own kernels where the order must
 * be fixed or a pass can be saved. */
#ifndef BI_CORE_CUDA_COLLECTIVES_CUH
#define BI_CORE_CUDA_COLLECTIVES_CUH

#include "core/backend.h"

extern "C" const bi_core_ops bi_core_cuda;

bosc_status bi_cuda_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result);
bosc_status bi_cuda_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in, int64_t n,
                         void *out);
bosc_status bi_cuda_scan_segmented(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                   const uint8_t *heads, int64_t n, void *out);
bosc_status bi_cuda_compact(bosc_ctx *ctx, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                            int64_t *count);
bosc_status bi_cuda_histogram(bosc_ctx *ctx, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts,
                              uint32_t *bad);
bosc_status bi_cuda_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                          int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad);
bosc_status bi_cuda_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                              int last_bit);
bosc_status bi_cuda_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                               int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit);
bosc_status bi_cuda_merge_pairs(bosc_ctx *ctx, bosc_dtype dtype, size_t value_size, const void *a_keys,
                                const void *a_values, int64_t na, const void *b_keys, const void *b_values, int64_t nb,
                                void *keys_out, void *values_out);
bosc_status bi_cuda_search_sorted(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, const void *queries,
                                  int64_t query_count, int64_t *ranks);
bosc_status bi_cuda_sort_superkey(bosc_ctx *ctx, bosc_dtype dtype, const void *points, int64_t n, int32_t dim,
                                  int64_t stride, int32_t first, uint32_t *perm, void *keys);
bosc_status bi_cuda_iota(bosc_ctx *ctx, size_t size, void *numbers, int64_t n);
bosc_status bi_cuda_check_offsets(bosc_ctx *ctx, const int64_t *offsets, int64_t rows, int64_t *bad);

#endif
