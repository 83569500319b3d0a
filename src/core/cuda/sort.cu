/* Radix sorts that may be in place, and the stable split by such a sort. */
#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/cub.h"
#include "core/cuda/launch.cuh"
#include "core/cuda/records.cuh"

/* Selects the output of the sort: the caller's array, or scratch if that is also the input. */
static bosc_status separate_output(bosc_ctx *ctx, const void *in, void *out, size_t bytes, void **to)
{
    *to = out;
    return in == out ? bi_scratch(ctx, bytes, to) : BOSC_OK;
}

static bosc_status copy_back(bosc_ctx *ctx, void *out, const void *from, size_t bytes)
{
    return out == from || bytes == 0 ? BOSC_OK : ctx->backend->copy(ctx, out, from, bytes);
}

static bosc_status sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                              int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit)
{
    size_t key_bytes = (size_t)n * bosc_dtype_size(dtype), value_bytes = (size_t)n * value_size;
    void *k, *v = nullptr;
    if (first_bit >= last_bit) { /* no bits to sort by: the order stays */
        if (keys != keys_out) BI_TRY(copy_back(ctx, keys_out, keys, key_bytes));
        return values != values_out ? copy_back(ctx, values_out, values, value_bytes) : BOSC_OK;
    }
    BI_TRY(separate_output(ctx, keys, keys_out, key_bytes, &k));
    if (value_size) BI_TRY(separate_output(ctx, values, values_out, value_bytes, &v));
    if (value_size == 0 || value_size == 4 || value_size == 8) {
        BI_TRY(bi_cub_sort_pairs(ctx, dtype, keys, value_size, values, n, k, v, first_bit, last_bit));
    } else { /* sort row numbers, then gather the values */
        bi_cuda_order_rows order;
        BI_TRY(bi_cuda_order(ctx, dtype, keys, n, k, first_bit, last_bit, &order));
        BI_TRY(bi_cuda_gather(ctx, value_size, values, &order, n, v));
    }
    BI_TRY(copy_back(ctx, keys_out, k, key_bytes));
    return value_size ? copy_back(ctx, values_out, v, value_bytes) : BOSC_OK;
}

bosc_status bi_cuda_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size, const void *values,
                               int64_t n, void *keys_out, void *values_out, int first_bit, int last_bit)
{
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(
        ctx, sort_pairs(ctx, dtype, keys, value_size, values, n, keys_out, values_out, first_bit, last_bit));
}

bosc_status bi_cuda_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out, int first_bit,
                              int last_bit)
{
    return bi_cuda_sort_pairs(ctx, dtype, keys, 0, nullptr, n, out, nullptr, first_bit, last_bit);
}

static bosc_status split_by_sort(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                 int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    void *counts, *sorted;
    /* 1. Offsets from a histogram. */
    BI_TRY(bi_scratch(ctx, ((size_t)n_buckets + 1) * sizeof(int64_t), &counts));
    BI_TRY(ctx->backend->fill(ctx, counts, 0, ((size_t)n_buckets + 1) * sizeof(int64_t)));
    BI_TRY(bi_cuda_histogram(ctx, bucket, n, n_buckets, (int64_t *)counts, bad));
    BI_TRY(bi_cuda_scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_I64, counts, n_buckets + 1, offsets));
    if (n == 0) return BOSC_OK;
    /* 2. Sort the items by the bits of their bucket. */
    int bits = bi_bit_length((uint64_t)n_buckets - 1);
    if (bits == 0) return ctx->backend->copy(ctx, out, in, (size_t)n * item_size);
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(uint32_t), &sorted));
    bool aligned = ((uintptr_t)in | (uintptr_t)out) % item_size == 0;
    if ((item_size == 4 || item_size == 8) && aligned)
        return bi_cub_sort_pairs(ctx, BOSC_U32, bucket, item_size, in, n, sorted, out, 0, bits);
    bi_cuda_order_rows order;
    BI_TRY(bi_cuda_order(ctx, BOSC_U32, bucket, n, sorted, 0, bits, &order));
    return bi_cuda_gather(ctx, item_size, in, &order, n, out);
}

bosc_status bi_cuda_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                          int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    BI_RETURN_WITH_SCRATCH(ctx, split_by_sort(ctx, item_size, in, bucket, n, n_buckets, out, offsets, bad));
}
