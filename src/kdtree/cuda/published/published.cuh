/* Shared by the kernels of the published method: launches of whole warps, and rows compared by superkey.
 * Source: Robinson, KdTreeGPU, after Billeter, Olsson, Assarsson, Efficient Stream Compaction on Wide SIMD Many-Core
 * Architectures (2009). */
#ifndef BI_KDTREE_CUDA_PUBLISHED_PUBLISHED_CUH
#define BI_KDTREE_CUDA_PUBLISHED_PUBLISHED_CUH

#include "core/call.h"
#include "core/cuda/superkey.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum {
    BI_KDTREE_BROWN_THREADS = 256,
    BI_KDTREE_BROWN_WARPS = BI_KDTREE_BROWN_THREADS / 32,
    BI_KDTREE_BROWN_EACH = 4, /* references that a lane reads at once, so that loads overlap; chosen */
    BI_KDTREE_BROWN_ROUND = 32 * BI_KDTREE_BROWN_EACH,
    BI_KDTREE_BROWN_WARPS_A_PROCESSOR = 64 /* the most that a multiprocessor holds */
};

/* Returns the number of the warp in the launch. */
static __device__ __forceinline__ int64_t bi_kdtree_brown_warp()
{
    return blockIdx.x * (int64_t)BI_KDTREE_BROWN_WARPS + threadIdx.x / 32;
}

static inline unsigned bi_kdtree_brown_blocks(int64_t warps)
{
    return (unsigned)bi_div_up(warps, BI_KDTREE_BROWN_WARPS);
}

/* Returns the references per warp, whole rounds, such that `n` references keep the device busy. */
static inline int64_t bi_kdtree_brown_piece_size(const bosc_ctx *ctx, int64_t n)
{
    const int64_t warps = (int64_t)ctx->multiprocessors * BI_KDTREE_BROWN_WARPS_A_PROCESSOR;
    return (int64_t)bi_round_up((uint64_t)bi_div_up(n, warps), BI_KDTREE_BROWN_ROUND);
}

template <class K>
static inline bi_superkey<K> bi_kdtree_superkey_rows(const struct bi_kdtree_rows &rows, bosc_dtype dtype, int32_t dim,
                                                     int32_t first)
{
    return {static_cast<const K *>(rows.data), rows.stride, dim, first, bi_key_kind_of(dtype)};
}

#endif
