/* What the kernels of the published method share: whole warps that compact, and rows compared by superkey.
 * Source: Robinson, KdTreeGPU, after Billeter, Olsson, Assarsson, Efficient Stream Compaction on Wide SIMD Many-Core
 * Architectures (2009). */
#ifndef BI_KDTREE_CUDA_BROWN_BROWN_CUH
#define BI_KDTREE_CUDA_BROWN_BROWN_CUH

#include "core/call.h"
#include "core/cuda/superkey.cuh"
#include "core/cuda/warp.cuh"
#include "kdtree/cuda/cuda.cuh"
#include "kdtree/shape.h"

enum {
    BI_KDTREE_BROWN_THREADS = 256,
    BI_KDTREE_BROWN_WARPS = BI_KDTREE_BROWN_THREADS / 32,
    BI_KDTREE_BROWN_EACH = 4, /* references that a lane reads before it compares, to wait for memory once */
    BI_KDTREE_BROWN_ROUND = 32 * BI_KDTREE_BROWN_EACH,
    BI_KDTREE_BROWN_WARPS_A_PROCESSOR = 64
};

/* The warp among all of the launch. */
static __device__ __forceinline__ int64_t bi_kdtree_brown_warp()
{
    return blockIdx.x * (int64_t)BI_KDTREE_BROWN_WARPS + threadIdx.x / 32;
}

static inline unsigned bi_kdtree_brown_blocks(int64_t warps)
{
    return (unsigned)bi_div_up(warps, BI_KDTREE_BROWN_WARPS);
}

/* How many of `n` references a warp takes, so that the device is busy: whole rounds. */
static inline int64_t bi_kdtree_brown_piece_size(const bosc_ctx *ctx, int64_t n)
{
    const int64_t warps = (int64_t)ctx->multiprocessors * BI_KDTREE_BROWN_WARPS_A_PROCESSOR;
    return (int64_t)bi_round_up((uint64_t)bi_div_up(n, warps), BI_KDTREE_BROWN_ROUND);
}

template <class K>
static inline bi_superkey<K> bi_kdtree_superkey_rows(const struct bi_kdtree_rows &rows, bosc_dtype dtype, int32_t dim,
                                                     int32_t first)
{
    return {static_cast<const K *>(rows.data), rows.stride, dim, first, bi_kind_of(dtype)};
}

/* The level before which rows are to be numbered anew, 0 for none; and doing so (number_rows.cu): *names = the
 * row of each new number. The new ones are what the lists then hold and r->rows has. */
int32_t bi_kdtree_brown_numbering_level(const bosc_ctx *ctx, const struct bi_kdtree_references *r);
bosc_status bi_kdtree_brown_number_rows_of(bosc_ctx *ctx, struct bi_kdtree_references *r, int32_t level,
                                           const uint32_t **names);

#endif
