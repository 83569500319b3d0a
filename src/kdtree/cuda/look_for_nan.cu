/* Looks for a NaN in rows. A look is one launch, and the host waits for words that its blocks tell: kernels launched
 * behind it, which read what it leaves on the device, run meanwhile. */
#include "core/cuda/launch.cuh"
#include "kdtree/cuda/cuda.cuh"

enum {
    THREADS = 256,
    BLOCKS = BI_KDTREE_LOOK_BLOCKS,
    GOOD = 1,     /* what a block tells if none of its rows is bad ... */
    FIRST_BAD = 2 /* ... and what is added to the first that is */
};
static_assert(BLOCKS * sizeof(unsigned long long) <= BI_PINNED_BYTES, "each block tells a word");

struct look {
    const void *rows;
    int64_t stride;
    uint32_t n, of_block; /* rows */
    int32_t dim;
    uint32_t *bad;
    unsigned long long *told;
};

template <class T> static __device__ __forceinline__ bool holds_nan(const look &a, uint32_t row)
{
    const T *x = static_cast<const T *>(a.rows) + row * a.stride;
    bool nan = false;
    for (int32_t c = 0; c < a.dim; c++) nan |= x[c] != x[c];
    return nan;
}

struct look_shared {
    uint32_t first;
};

template <class T> static __global__ void __launch_bounds__(THREADS) bi_kdtree_look_for_nan(const look a)
{
    BI_SHARED(look_shared, sh);
    uint32_t bad = BI_KDTREE_NONE;
    const uint32_t begin = blockIdx.x * a.of_block, end = min(begin + a.of_block, a.n);
#pragma unroll 4
    for (uint32_t row = begin + threadIdx.x; row < end; row += THREADS)
        if (holds_nan<T>(a, row)) bad = min(bad, row);
    if (threadIdx.x == 0) sh.first = BI_KDTREE_NONE;
    if (__syncthreads_or(bad != BI_KDTREE_NONE)) atomicMin(&sh.first, bad);
    __syncthreads();
    if (threadIdx.x > 0) return;
    a.bad[blockIdx.x] = sh.first;
    bi_notify_host(&a.told[blockIdx.x], sh.first == BI_KDTREE_NONE ? GOOD : FIRST_BAD + (unsigned long long)sh.first);
}

/* There are always all blocks, so that who waits need not know how many rows there are: the last may have none. */
bosc_status bi_kdtree_cuda_begin_look(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim, const struct bi_kdtree_rows *rows,
                                      uint32_t bad[BLOCKS])
{
    look a = {rows->data, rows->stride, (uint32_t)rows->n, 0, dim, bad, nullptr};
    a.told = static_cast<unsigned long long *>(ctx->pinned);
    a.of_block = (uint32_t)bi_div_up(bi_div_up(rows->n, BLOCKS), THREADS) * THREADS;
    for (int b = 0; b < BLOCKS; b++) a.told[b] = 0;
    auto kernel = dtype == BOSC_F32 ? bi_kdtree_look_for_nan<float> : bi_kdtree_look_for_nan<double>;
    return bi_kdtree_cuda_leave_look(ctx, BI_RUN(ctx, kernel, BLOCKS, THREADS, 0, a));
}

bosc_status bi_kdtree_cuda_leave_look(bosc_ctx *ctx, bosc_status status)
{
    if (status != BOSC_OK) (void)cudaStreamSynchronize((cudaStream_t)ctx->stream);
    return status;
}

bosc_status bi_kdtree_cuda_end_look(bosc_ctx *ctx, int64_t *row)
{
    const unsigned long long *told = static_cast<const unsigned long long *>(ctx->pinned);
    *row = INT64_MAX;
    BI_TRY(bi_cuda_await(ctx, told, BLOCKS));
    for (int b = BLOCKS - 1; b >= 0; b--)
        if (told[b] != GOOD) *row = (int64_t)(told[b] - FIRST_BAD);
    return BOSC_OK;
}
