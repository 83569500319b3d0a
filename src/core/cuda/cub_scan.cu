/* CUB's scans of integers, whose results do not depend on the order of the additions. */
#include <ostream> /* CUB includes <iostream>, whose static initializer alone would make the library need libstdc++ */
#define _GLIBCXX_IOSTREAM 1
#include <limits>

#include <cub/device/device_scan.cuh>
#include <cuda/functional>

#include "core/call.h"
#include "core/cuda/cub.h"
#include "core/cuda/launch.cuh"

struct scan_call {
    bosc_scan_kind kind;
    const void *in;
    int64_t n;
    void *out;

    template <class T, class OP> cudaError_t scan(void *scratch, size_t *bytes, T identity, cudaStream_t stream) const
    {
        const T *from = (const T *)in;
        T *to = (T *)out;
        if (kind == BOSC_INCLUSIVE) return cub::DeviceScan::InclusiveScan(scratch, *bytes, from, to, OP(), n, stream);
        return cub::DeviceScan::ExclusiveScan(scratch, *bytes, from, to, OP(), identity, n, stream);
    }
};

/* Queries the size of CUB's temporary storage, allocates it, and scans. */
template <class T, class OP> static bosc_status launch_scan(bosc_ctx *ctx, const struct scan_call *c, T identity)
{
    size_t bytes = 0;
    void *scratch;
    cudaStream_t stream = (cudaStream_t)ctx->stream;
    cudaError_t error = c->scan<T, OP>(nullptr, &bytes, identity, stream);
    BI_TRY(bi_cuda_check(ctx, error, "scan"));
    BI_TRY(bi_scratch(ctx, bytes ? bytes : 1, &scratch));
    if (bi_fault(BI_FAULT_LAUNCH)) return bi_fail(ctx, BOSC_ERR_DEVICE, "scan: injected fault");
    BI_TRY(bi_cuda_check(ctx, c->scan<T, OP>(scratch, &bytes, identity, stream), "scan"));
    return bi_progress_advance(ctx, (double)c->n);
}

/* U is the unsigned type of T: sums wrap. CUB is tuned for these operations. */
template <class T, class U> static bosc_status by_op(bosc_ctx *ctx, bosc_op op, const struct scan_call *c)
{
    switch (op) {
    case BOSC_SUM: return launch_scan<U, cuda::std::plus<U>>(ctx, c, 0);
    case BOSC_MIN: return launch_scan<T, cuda::minimum<T>>(ctx, c, std::numeric_limits<T>::max());
    case BOSC_MAX: return launch_scan<T, cuda::maximum<T>>(ctx, c, std::numeric_limits<T>::min());
    }
    return bi_fail(ctx, BOSC_ERR_INTERNAL, "op: %d is none", (int)op);
}

extern "C" bosc_status bi_cub_scan(bosc_ctx *ctx, bosc_op op, bosc_scan_kind kind, bosc_dtype dtype, const void *in,
                                   int64_t n, void *out)
{
    struct scan_call call = {kind, in, n, out};
    BI_RETURN_WITH_SCRATCH(ctx, dtype == BOSC_I32   ? by_op<int32_t, uint32_t>(ctx, op, &call)
                                : dtype == BOSC_U32 ? by_op<uint32_t, uint32_t>(ctx, op, &call)
                                : dtype == BOSC_I64 ? by_op<int64_t, uint64_t>(ctx, op, &call)
                                                    : by_op<uint64_t, uint64_t>(ctx, op, &call));
}
