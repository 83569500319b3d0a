/* Sorts of items of any size on the CPU. */
#ifndef BI_CORE_CPU_RECORDS_H
#define BI_CORE_CPU_RECORDS_H

#include "base/bits.h"
#include "core/cpu/collectives.h"

/* Row numbers in an order: uint32_t, or uint64_t if is_64bit. */
struct bi_cpu_order {
    void *rows;
    bool is_64bit;
};

/* Sorts keys (n > 0) to keys_out, which may be keys; *order, in scratch, gets the row number of each. */
bosc_status bi_cpu_order(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *keys_out, int first_bit,
                         int last_bit, struct bi_cpu_order *order);

/* out[i] is item order[i] of `in`, which is another array. */
bosc_status bi_cpu_gather(bosc_ctx *ctx, size_t item_size, const void *in, const struct bi_cpu_order *order, int64_t n,
                          void *out);

/* A split into too many buckets for each thread to count. */
bosc_status bi_cpu_split_by_sort(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                 int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad);

#endif
