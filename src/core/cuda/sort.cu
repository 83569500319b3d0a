/* Radix sorts that may be in place, of items of any size, and the stable split by such a sort. Items that CUB does not
 * move are gathered after a sort of the keys with row numbers. */
#include "base/search.h"
#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/cub.h"
#include "core/cuda/launch.cuh"

/* ---- items of any size ---- */

/* Row numbers in an order: uint32_t, or uint64_t if is_64bit. */
struct order_rows {
    const void *rows;
    bool is_64bit;
};

/* out[i] is item order[i]: `units` words of type W each. */
template <class W, class T>
static __global__ void bi_core_gather(const W *in, const T *order, int64_t n, int64_t units, W *out)
{
    int64_t words = n * units;
    for (int64_t k = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; k < words; k += (int64_t)gridDim.x * blockDim.x) {
        int64_t i = units == 1 ? k : k / units;
        out[k] = in[(int64_t)order[i] * units + (k - i * units)];
    }
}

template <class T>
static bosc_status sort_row_numbers(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *keys_out,
                                    int first_bit, int last_bit, order_rows *order)
{
    void *rows, *sorted;
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(T), &rows));
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(T), &sorted));
    BI_TRY(bi_cuda_iota(ctx, sizeof(T), rows, n));
    *order = {sorted, sizeof(T) == 8};
    return bi_cub_sort_pairs(ctx, dtype, keys, sizeof(T), rows, n, keys_out, sorted, first_bit, last_bit);
}

/* Sorts keys (n > 0) to another array; *order, in scratch, gets the row number of each. */
static bosc_status sort_with_rows(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *keys_out,
                                  int first_bit, int last_bit, order_rows *order)
{
    if (n <= (int64_t)UINT32_MAX)
        return sort_row_numbers<uint32_t>(ctx, dtype, keys, n, keys_out, first_bit, last_bit, order);
    return sort_row_numbers<uint64_t>(ctx, dtype, keys, n, keys_out, first_bit, last_bit, order);
}

template <class W, class T>
static bosc_status launch_gather(bosc_ctx *ctx, size_t item_size, const void *in, const void *order, int64_t n,
                                 void *out)
{
    const int64_t units = (int64_t)(item_size / sizeof(W));
    return BI_RUN(ctx, (bi_core_gather<W, T>), bi_grid_size(ctx, n * units, 256), 256, 0, (const W *)in,
                  (const T *)order, n, units, (W *)out);
}

/* Gathers by the widest words that item size and addresses are multiples of. */
template <class T>
static bosc_status gather_by_order(bosc_ctx *ctx, size_t item_size, const void *in, const void *order, int64_t n,
                                   void *out)
{
    const uintptr_t all = (uintptr_t)item_size | (uintptr_t)in | (uintptr_t)out;
    if (all % 16 == 0) return launch_gather<uint4, T>(ctx, item_size, in, order, n, out);
    if (all % 8 == 0) return launch_gather<uint2, T>(ctx, item_size, in, order, n, out);
    if (all % 4 == 0) return launch_gather<uint32_t, T>(ctx, item_size, in, order, n, out);
    if (all % 2 == 0) return launch_gather<uint16_t, T>(ctx, item_size, in, order, n, out);
    return launch_gather<uint8_t, T>(ctx, item_size, in, order, n, out);
}

/* out[i] is item order[i] of `in`, which is another array. */
static bosc_status gather_items(bosc_ctx *ctx, size_t item_size, const void *in, const order_rows *order, int64_t n,
                                void *out)
{
    if (order->is_64bit) return gather_by_order<uint64_t>(ctx, item_size, in, order->rows, n, out);
    return gather_by_order<uint32_t>(ctx, item_size, in, order->rows, n, out);
}

/* ---- sorts ---- */

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
        order_rows order;
        BI_TRY(sort_with_rows(ctx, dtype, keys, n, k, first_bit, last_bit, &order));
        BI_TRY(gather_items(ctx, value_size, values, &order, n, v));
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

/* ---- split ---- */

enum { OFFSET_THREADS = 256 };

/* offsets[b]: the number of sorted buckets below b, for b up to n_buckets. Sets *bad if the largest bucket is out of
 * range; the offsets mean nothing then. */
static __global__ void __launch_bounds__(OFFSET_THREADS)
    bi_core_split_offsets(const uint32_t *sorted, int64_t n, int64_t n_buckets, const uint32_t *largest,
                          int64_t *offsets, uint32_t *bad)
{
    const int64_t b = blockIdx.x * (int64_t)OFFSET_THREADS + threadIdx.x;
    if (b == 0 && n > 0 && *largest >= n_buckets) *bad = 1;
    if (b > n_buckets) return;
    int64_t low = 0, high = n;
    BI_PARTITION_POINT(low, high, i, (int64_t)sorted[i] < b);
    offsets[b] = low;
}

/* Sorts items (n > 0) by the bits of their buckets; *sorted: the buckets in that order. */
static bosc_status sort_by_bucket(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                  int bits, void *out, const uint32_t **sorted)
{
    void *keys;
    *sorted = bucket;
    if (bits == 0) return ctx->backend->copy(ctx, out, in, (size_t)n * item_size);
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(uint32_t), &keys));
    *sorted = (const uint32_t *)keys;
    bool aligned = ((uintptr_t)in | (uintptr_t)out) % item_size == 0;
    if ((item_size == 4 || item_size == 8) && aligned)
        return bi_cub_sort_pairs(ctx, BOSC_U32, bucket, item_size, in, n, keys, out, 0, bits);
    order_rows order;
    BI_TRY(sort_with_rows(ctx, BOSC_U32, bucket, n, keys, 0, bits, &order));
    return gather_items(ctx, item_size, in, &order, n, out);
}

static bosc_status split_by_sort(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                                 int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    const uint32_t *sorted = bucket;
    void *largest; /* not the last sorted one: a sort compares the bits of valid buckets alone */
    BI_TRY(bi_scratch(ctx, sizeof(uint32_t), &largest));
    BI_TRY(bi_cuda_reduce(ctx, BOSC_MAX, BOSC_U32, bucket, n, largest));
    if (n > 0)
        BI_TRY(sort_by_bucket(ctx, item_size, in, bucket, n, bi_bit_length((uint64_t)n_buckets - 1), out, &sorted));
    return BI_RUN(ctx, bi_core_split_offsets, (unsigned)bi_div_up(n_buckets + 1, OFFSET_THREADS), OFFSET_THREADS, 0,
                  sorted, n, n_buckets, (const uint32_t *)largest, offsets, bad);
}

bosc_status bi_cuda_split(bosc_ctx *ctx, size_t item_size, const void *in, const uint32_t *bucket, int64_t n,
                          int64_t n_buckets, void *out, int64_t *offsets, uint32_t *bad)
{
    BI_RETURN_WITH_SCRATCH(ctx, split_by_sort(ctx, item_size, in, bucket, n, n_buckets, out, offsets, bad));
}
