/* The CPU's collectives, by OpenMP; one file each: reduce.c, scan.c, compact.c, ... */
#ifndef BI_CORE_CPU_COLLECTIVES_H
#define BI_CORE_CPU_COLLECTIVES_H

#include "core/backend.h"
#include "core/call.h"
#include "core/cpu/threads.h"

extern const struct bi_core_ops bi_core_cpu;

bosc_status bi_cpu_reduce(bosc_ctx *, bosc_op, bosc_dtype, const void *in, int64_t n, void *result);
bosc_status bi_cpu_scan(bosc_ctx *, bosc_op, bosc_scan_kind, bosc_dtype, const void *in, int64_t n, void *out);
bosc_status bi_cpu_scan_segmented(bosc_ctx *, bosc_op, bosc_scan_kind, bosc_dtype, const void *in, const uint8_t *heads,
                                  int64_t n, void *out);
bosc_status bi_cpu_compact(bosc_ctx *, size_t item_size, const void *in, const uint8_t *keep, int64_t n, void *out,
                           int64_t *count);
bosc_status bi_cpu_histogram(bosc_ctx *, const uint32_t *bins, int64_t n, int64_t n_bins, int64_t *counts,
                             uint32_t *bad);
bosc_status bi_cpu_split(bosc_ctx *, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                         int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad);
bosc_status bi_cpu_sort_keys(bosc_ctx *, bosc_dtype, const void *keys, int64_t n, void *out, int first_bit,
                             int last_bit);
bosc_status bi_cpu_sort_pairs(bosc_ctx *, bosc_dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit);
bosc_status bi_cpu_merge_pairs(bosc_ctx *, bosc_dtype, size_t value_size, const void *a_keys, const void *a_values,
                               int64_t na, const void *b_keys, const void *b_values, int64_t nb, void *keys_out,
                               void *values_out);
bosc_status bi_cpu_search_sorted(bosc_ctx *, bosc_dtype, const void *keys, int64_t n, const void *queries,
                                 int64_t query_count, int64_t *ranks);
bosc_status bi_cpu_sort_superkey(bosc_ctx *, bosc_dtype, const void *points, int64_t n, int32_t dim, int64_t stride,
                                 int32_t first, uint32_t *perm, void *keys);
bosc_status bi_cpu_iota(bosc_ctx *, size_t size, void *numbers, int64_t n);
bosc_status bi_cpu_check_offsets(bosc_ctx *, const int64_t *offsets, int64_t rows, int64_t *bad);

/* ---- parts of sorts that other collectives use ---- */

/* radix.c: sorts pairs whose values have 0, 4 or 8 bytes. */
bosc_status bi_radix_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                int last_bit);

/* records.c: a split into too many buckets for each thread to count. */
bosc_status bi_cpu_split_by_sort(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                 int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad);

#endif
