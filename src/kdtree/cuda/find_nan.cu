/* Finds a NaN in rows. A check is one launch; each of its blocks writes a word to pinned memory, and the host polls
 * these words. So it does not wait for kernels launched later, which read the same result on the device. */
#include "core/cuda/launch.cuh"
#include "kdtree/cuda/cuda.cuh"

enum {
    THREADS = 256,
    BLOCKS = BI_KDTREE_NAN_BLOCKS,
    GOOD = 1,     /* the word of a block without a bad row */
    FIRST_BAD = 2 /* else the word is this plus the first bad row */
};
static_assert(BLOCKS * sizeof(unsigned long long) <= BI_PINNED_BYTES, "each block has a word");

struct nan_check {
    const void *rows;
    int64_t stride;
    uint32_t n, rows_per_block; /* n: rows */
    int32_t dim;
    uint32_t *bad;             /* first bad row of each block, for later kernels */
    unsigned long long *words; /* likewise in pinned memory, for the host */
};

template <class T> static __device__ __forceinline__ bool holds_nan(const nan_check &a, uint32_t row)
{
    const T *x = static_cast<const T *>(a.rows) + row * a.stride;
    bool nan = false;
    for (int32_t c = 0; c < a.dim; c++) nan |= x[c] != x[c];
    return nan;
}

struct nan_check_shared {
    uint32_t first;
};

template <class T> static __global__ void __launch_bounds__(THREADS) bi_kdtree_find_nan_rows(const nan_check a)
{
    BI_SHARED(nan_check_shared, sh);
    /* 1. Each thread finds its first bad row. */
    uint32_t bad = BI_KDTREE_NONE;
    const uint32_t begin = blockIdx.x * a.rows_per_block, end = min(begin + a.rows_per_block, a.n);
#pragma unroll 4
    for (uint32_t row = begin + threadIdx.x; row < end; row += THREADS)
        if (holds_nan<T>(a, row)) bad = min(bad, row);
    /* 2. The block finds the least of them. The first barrier makes sh.first = NONE visible, the second the minimum. */
    if (threadIdx.x == 0) sh.first = BI_KDTREE_NONE;
    if (__syncthreads_or(bad != BI_KDTREE_NONE)) atomicMin(&sh.first, bad);
    __syncthreads();
    /* 3. Publish it to later kernels and to the host. */
    if (threadIdx.x > 0) return;
    a.bad[blockIdx.x] = sh.first;
    bi_notify_host(&a.words[blockIdx.x], sh.first == BI_KDTREE_NONE ? GOOD : FIRST_BAD + (unsigned long long)sh.first);
}

/* Always launches BLOCKS blocks, so that the waiter needs no row count; the last blocks may have no rows. */
bosc_status bi_kdtree_cuda_start_nan_check(bosc_ctx *ctx, bosc_dtype dtype, int32_t dim,
                                           const struct bi_kdtree_rows *rows, uint32_t bad[BLOCKS])
{
    nan_check a = {rows->data, rows->stride, (uint32_t)rows->n, 0, dim, bad, nullptr};
    a.words = static_cast<unsigned long long *>(ctx->pinned);
    a.rows_per_block = (uint32_t)bi_div_up(bi_div_up(rows->n, BLOCKS), THREADS) * THREADS;
    for (int b = 0; b < BLOCKS; b++) a.words[b] = 0;
    auto kernel = dtype == BOSC_F32 ? bi_kdtree_find_nan_rows<float> : bi_kdtree_find_nan_rows<double>;
    return bi_kdtree_cuda_drain_if_failed(ctx, BI_RUN(ctx, kernel, BLOCKS, THREADS, 0, a));
}

bosc_status bi_kdtree_cuda_drain_if_failed(bosc_ctx *ctx, bosc_status status)
{
    if (status != BOSC_OK) (void)cudaStreamSynchronize((cudaStream_t)ctx->stream);
    return status;
}

bosc_status bi_kdtree_cuda_wait_nan_check(bosc_ctx *ctx, int64_t *row)
{
    const unsigned long long *words = static_cast<const unsigned long long *>(ctx->pinned);
    *row = INT64_MAX;
    BI_TRY(bi_cuda_await(ctx, words, BLOCKS));
    for (int b = BLOCKS - 1; b >= 0; b--)
        if (words[b] != GOOD) *row = (int64_t)(words[b] - FIRST_BAD);
    return BOSC_OK;
}
