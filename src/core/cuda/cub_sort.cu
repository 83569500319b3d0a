/* CUB's radix sorts. It treats -0 and +0 as one key and orders NaNs by their bits, as our contract does. */
/* CUB includes <iostream>, whose static initializer alone would make the library need libstdc++. */
#include <ostream>
#define _GLIBCXX_IOSTREAM 1
#include <cub/device/device_radix_sort.cuh>

#include "core/call.h"
#include "core/cuda/cub.h"
#include "core/cuda/launch.cuh"

struct sort_call {
    const void *keys, *values;
    int64_t n;
    void *keys_out, *values_out;
    int first_bit, last_bit;

    template <class K, class V> cudaError_t sort(void *scratch, size_t *bytes, cudaStream_t stream) const
    {
        return cub::DeviceRadixSort::SortPairs(scratch, *bytes, (const K *)keys, (K *)keys_out, (const V *)values,
                                               (V *)values_out, n, first_bit, last_bit, stream);
    }
};

/* Queries the size of CUB's temporary storage, allocates it, and sorts. */
template <class K, class V> static bosc_status launch_sort(bosc_ctx *ctx, const struct sort_call *c)
{
    size_t bytes = 0;
    void *scratch;
    cudaStream_t stream = (cudaStream_t)ctx->stream;
    cudaError_t error = c->sort<K, V>(nullptr, &bytes, stream);
    BI_TRY(bi_cuda_check(ctx, error, "radix sort"));
    BI_TRY(bi_scratch(ctx, bytes ? bytes : 1, &scratch));
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "radix sort: injected fault");
    BI_TRY(bi_cuda_check(ctx, c->sort<K, V>(scratch, &bytes, stream), "radix sort"));
    return bi_progress_advance(ctx, 4 * (double)c->n); /* four passes of 8 bits over 32-bit keys */
}

template <class V> static bosc_status by_key(bosc_ctx *ctx, bosc_dtype dtype, const struct sort_call *c)
{
    switch (dtype) {
    case BOSC_F32: return launch_sort<float, V>(ctx, c);
    case BOSC_F64: return launch_sort<double, V>(ctx, c);
    case BOSC_I32: return launch_sort<int32_t, V>(ctx, c);
    case BOSC_I64: return launch_sort<int64_t, V>(ctx, c);
    case BOSC_U32: return launch_sort<uint32_t, V>(ctx, c);
    case BOSC_U64: return launch_sort<uint64_t, V>(ctx, c);
    default: break;
    }
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "dtype: %d is no type of keys", (int)dtype);
}

extern "C" bosc_status bi_cub_sort_pairs(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, size_t value_size,
                                         const void *values, int64_t n, void *keys_out, void *values_out, int first_bit,
                                         int last_bit)
{
    struct sort_call call = {keys, values, n, keys_out, values_out, first_bit, last_bit};
    BI_RETURN_WITH_SCRATCH(ctx, value_size == 0   ? by_key<cub::NullType>(ctx, dtype, &call)
                                : value_size == 4 ? by_key<uint32_t>(ctx, dtype, &call)
                                                  : by_key<uint64_t>(ctx, dtype, &call));
}

extern "C" bosc_status bi_cub_sort_keys(bosc_ctx *ctx, bosc_dtype dtype, const void *keys, int64_t n, void *out,
                                        int first_bit, int last_bit)
{
    return bi_cub_sort_pairs(ctx, dtype, keys, 0, nullptr, n, out, nullptr, first_bit, last_bit);
}
