/* Sorts items of any size: sorts the keys with their row numbers, then gathers the items. */
#include "core/cuda/records.cuh"

#include "core/cuda/cub.h"
#include "core/cuda/launch.cuh"

template <class T> static __global__ void bi_core_rows(T *rows, int64_t n)
{
    for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < n; i += (int64_t)gridDim.x * blockDim.x)
        rows[i] = (T)i;
}

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
                                    int first_bit, int last_bit, bi_cuda_order_rows *order)
{
    void *rows, *sorted;
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(T), &rows));
    BI_TRY(bi_scratch(ctx, (size_t)n * sizeof(T), &sorted));
    BI_TRY(BI_RUN(ctx, bi_core_rows<T>, bi_grid_size(ctx, n, 256), 256, 0, (T *)rows, n));
    *order = {sorted, sizeof(T) == 8};
    return bi_cub_sort_pairs(ctx, dtype, keys, sizeof(T), rows, n, keys_out, sorted, first_bit, last_bit);
}

bosc_status bi_cuda_order(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *keys_out, int first_bit,
                          int last_bit, bi_cuda_order_rows *order)
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

bosc_status bi_cuda_gather(bosc_ctx *ctx, size_t item_size, const void *in, const bi_cuda_order_rows *order, int64_t n,
                           void *out)
{
    if (order->is_64bit) return gather_by_order<uint64_t>(ctx, item_size, in, order->rows, n, out);
    return gather_by_order<uint32_t>(ctx, item_size, in, order->rows, n, out);
}
