/* Reductions: warps sum tiles, then one block sums the totals by the same tree (core/tiles.h). */
#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/ops.cuh"

enum { CHUNK = 128, CHUNKS = BI_TILE / CHUNK, FINAL_THREADS = 512 };

/* Sums the tile that begins at `begin` by the aligned tree. A whole warp calls it; lane 0 has the result. */
template <class P, class T, class R>
static __device__ __forceinline__ typename P::value tile_total(const T *in, int64_t begin, int64_t n, R read, T other)
{
    int lane = (int)(threadIdx.x % 32);
    /* 1. Four elements a lane: blocks of 4. Each chunk is 128 contiguous elements. */
    typename P::value sum[CHUNKS];
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        T x[4];
        bi_load_four(in, begin + c * CHUNK + lane * 4, n, other, x);
        typename P::value v[4];
        for (int k = 0; k < 4; k++) v[k] = begin + c * CHUNK + lane * 4 + k < n ? read(x[k]) : P::identity();
        sum[c] = P::combine(P::combine(v[0], v[1]), P::combine(v[2], v[3]));
    }
    /* 2. Across lanes, the lower lane's block first. */
#pragma unroll
    for (int c = 0; c < CHUNKS; c++)
        for (int d = 1; d < 32; d *= 2) {
            typename P::value other_half = __shfl_xor_sync(~0u, sum[c], d);
            sum[c] = lane & d ? P::combine(other_half, sum[c]) : P::combine(sum[c], other_half);
        }
        /* 3. Across chunks. */
#pragma unroll
    for (int d = 1; d < CHUNKS; d *= 2)
        for (int c = 0; c < CHUNKS; c += 2 * d) sum[c] = P::combine(sum[c], sum[c + d]);
    return sum[0];
}

template <class P> struct read_element {
    __device__ typename P::value operator()(typename P::element x) const { return P::to_value(x); }
};
template <class P> struct read_total {
    __device__ typename P::value operator()(typename P::value x) const { return x; }
};

template <class P>
static __global__ void __launch_bounds__(256)
    bi_core_totals(const typename P::element *in, int64_t n, typename P::value *totals)
{
    int64_t tiles = (n + BI_TILE - 1) / BI_TILE, step = (int64_t)gridDim.x * (blockDim.x / 32);
    for (int64_t t = blockIdx.x * (int64_t)(blockDim.x / 32) + threadIdx.x / 32; t < tiles; t += step) {
        typename P::value total = tile_total<P>(in, t * BI_TILE, n, read_element<P>(), typename P::element());
        if (threadIdx.x % 32 == 0) totals[t] = total;
    }
}

/* One block sums `count` totals in rounds of tiles; each round writes behind the last, until one total is left. */
template <class P>
static __global__ void __launch_bounds__(FINAL_THREADS)
    bi_core_total(typename P::value *totals, int64_t count, typename P::element *result)
{
    while (count > 1) {
        int64_t tiles = (count + BI_TILE - 1) / BI_TILE;
        typename P::value *next = totals + count;
        for (int64_t t = threadIdx.x / 32; t < tiles; t += FINAL_THREADS / 32) {
            typename P::value total = tile_total<P>(totals, t * BI_TILE, count, read_total<P>(), typename P::value());
            if (threadIdx.x % 32 == 0) next[t] = total;
        }
        __syncthreads(); /* all warps have written their totals, which the next round reads */
        totals = next;
        count = tiles;
    }
    if (threadIdx.x == 0) *result = count == 0 ? P::empty_result() : P::to_element(totals[0]);
}

struct reduce_call {
    const void *in;
    int64_t n;
    void *result;

    template <class P> bosc_status launch(bosc_ctx *ctx) const
    {
        int64_t tiles = bi_div_up(n, BI_TILE), total_count = 1;
        for (int64_t count = tiles; count > 1; count = bi_div_up(count, BI_TILE)) total_count += count;
        void *totals;
        BI_TRY(bi_scratch(ctx, (size_t)total_count * sizeof(typename P::value), &totals));
        typename P::value *t = (typename P::value *)totals;
        if (n > 0)
            BI_TRY(BI_RUN(ctx, bi_core_totals<P>, bi_grid_size(ctx, tiles * 32, 256), 256, 0,
                          (const typename P::element *)in, n, t));
        return BI_RUN(ctx, bi_core_total<P>, 1, FINAL_THREADS, 0, t, tiles, (typename P::element *)result);
    }
};

bosc_status bi_cuda_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    struct reduce_call call = {in, n, result};
    BI_RETURN_WITH_SCRATCH(ctx, bi_with_operation(ctx, op, dtype, call));
}
