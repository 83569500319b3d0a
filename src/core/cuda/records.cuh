/* Sorts of items of any size on CUDA. */
#ifndef BI_CORE_CUDA_RECORDS_CUH
#define BI_CORE_CUDA_RECORDS_CUH

#include "core/backend.h"

/* Row numbers in an order: uint32_t, or uint64_t if is_64bit. */
struct bi_cuda_order_rows {
    const void *rows;
    bool is_64bit;
};

/* Sorts keys (n > 0) to another array; *order, in scratch, gets the row number of each. */
bosc_status bi_cuda_order(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *keys_out, int first_bit,
                          int last_bit, bi_cuda_order_rows *order);

/* out[i] is item order[i] of `in`, which is another array. */
bosc_status bi_cuda_gather(bosc_ctx *ctx, size_t item_size, const void *in, const bi_cuda_order_rows *order, int64_t n,
                           void *out);

#endif
