/* Reductions: warps sum tiles, blocks sum their tiles, then one block sums the totals, all by the aligned tree of
 * core/tiles.h. */
#include "core/call.h"
#include "core/cuda/collectives.cuh"
#include "core/cuda/ops.cuh"

enum { TOTALS_THREADS = 256, TOTALS_WARPS = TOTALS_THREADS / 32, FINAL_THREADS = 512 };

/* Combines with the value of the lane `d` away, the lower lane's first; both lanes get the result. */
template <class P> static __device__ __forceinline__ typename P::value combine_lanes(typename P::value x, int d)
{
    typename P::value other = __shfl_xor_sync(~0u, x, d);
    return threadIdx.x & d ? P::combine(other, x) : P::combine(x, other);
}

/* Sums the tile that begins at `begin` by the aligned tree. A whole warp calls it, and all lanes have the result. */
template <class P, class T, class R>
static __device__ __forceinline__ typename P::value tile_total(const T *in, int64_t begin, int64_t n, R read, T other)
{
    constexpr int EACH = bi_vector_length<T>, CHUNK = 32 * EACH, CHUNKS = BI_TILE / CHUNK;
    int lane = (int)(threadIdx.x % 32);
    int64_t i = begin + lane * EACH;
    /* 1. A vector a lane of each chunk. */
    bi_vector<T> x[CHUNKS];
    typename P::value sum[CHUNKS];
    bi_load_vectors<CHUNKS>(in, i, CHUNK, n, other, x);
#pragma unroll
    for (int c = 0; c < CHUNKS; c++) {
        typename P::value v[EACH];
        for (int k = 0; k < EACH; k++) v[k] = i + c * CHUNK + k < n ? read(x[c].of[k]) : P::identity();
        for (int d = 1; d < EACH; d *= 2)
            for (int k = 0; k < EACH; k += 2 * d) v[k] = P::combine(v[k], v[k + d]);
        sum[c] = v[0];
    }
    /* 2. Across lanes. Of two chunks, lanes with bit d combine the second one, the others the first. So lane l ends
     * with chunk l % CHUNKS. */
#pragma unroll
    for (int d = 1; d < CHUNKS; d *= 2)
        for (int c = 0; c < CHUNKS / d / 2; c++) {
            bool second = lane & d;
            typename P::value own = second ? sum[2 * c + 1] : sum[2 * c];
            typename P::value received = __shfl_xor_sync(~0u, second ? sum[2 * c] : sum[2 * c + 1], d);
            sum[c] = second ? P::combine(received, own) : P::combine(own, received);
        }
    for (int d = CHUNKS; d < 32; d *= 2) sum[0] = combine_lanes<P>(sum[0], d);
    /* 3. Across chunks. */
    for (int d = 1; d < CHUNKS; d *= 2) sum[0] = combine_lanes<P>(sum[0], d);
    return sum[0];
}

template <class P> struct read_element {
    __device__ typename P::value operator()(typename P::element x) const { return P::to_value(x); }
};
template <class P> struct read_total {
    __device__ typename P::value operator()(typename P::value x) const { return x; }
};

template <class P> struct totals_shared {
    typename P::value warp[TOTALS_WARPS];
};

/* Sums a tile a warp, then the tiles of the block: totals[b] is that of block b. */
template <class P>
static __global__ void __launch_bounds__(TOTALS_THREADS)
    bi_core_totals(const typename P::element *in, int64_t n, typename P::value *totals)
{
    typedef totals_shared<P> shared_type;
    BI_SHARED(shared_type, sh);
    int64_t begin = (blockIdx.x * (int64_t)TOTALS_WARPS + threadIdx.x / 32) * BI_TILE;
    /* 1. Tiles; those beyond the end are the identity. */
    typename P::value x = tile_total<P>(in, begin, n, read_element<P>(), typename P::element());
    if (threadIdx.x % 32 == 0) sh.warp[threadIdx.x / 32] = x;
    __syncthreads(); /* the totals of all tiles */
    /* 2. The same tree over them. */
    if (threadIdx.x >= 32) return;
    x = sh.warp[threadIdx.x % TOTALS_WARPS];
    for (int d = 1; d < TOTALS_WARPS; d *= 2) x = combine_lanes<P>(x, d);
    if (threadIdx.x == 0) totals[blockIdx.x] = x;
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
        int64_t blocks = bi_div_up(n, TOTALS_WARPS * BI_TILE), total_count = 1;
        for (int64_t count = blocks; count > 1; count = bi_div_up(count, BI_TILE)) total_count += count;
        void *totals;
        BI_TRY(bi_scratch(ctx, (size_t)total_count * sizeof(typename P::value), &totals));
        typename P::value *t = (typename P::value *)totals;
        if (n > 0)
            BI_TRY(BI_RUN(ctx, bi_core_totals<P>, (unsigned)blocks, TOTALS_THREADS, 0, (const typename P::element *)in,
                          n, t));
        return BI_RUN(ctx, bi_core_total<P>, 1, FINAL_THREADS, 0, t, blocks, (typename P::element *)result);
    }
};

bosc_status bi_cuda_reduce(bosc_ctx *ctx, bosc_op op, bosc_dtype dtype, const void *in, int64_t n, void *result)
{
    struct reduce_call call = {in, n, result};
    BI_RETURN_WITH_SCRATCH(ctx, bi_with_operation(ctx, op, dtype, call));
}
