/* Points are counted by bucket, and dealt to buckets. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/place.cuh"

/* Tiles of THREADS threads, and the buckets to which one is dealt; many of them are dealt to from a larger tile. */
#ifdef BI_EMULATE
enum { COUNT_THREADS = 64, DEALT = 2 /* points of a thread */ };
struct tile {
    enum { THREADS = 64, DIGITS = 16 };
};
struct large_tile {
    enum { THREADS = 96, DIGITS = 24 };
};
#else
enum { COUNT_THREADS = 512, DEALT = 8 };
struct tile {
    enum { THREADS = 512, DIGITS = 2048 };
};
struct large_tile {
    enum { THREADS = 1024, DIGITS = 4096 };
};
#endif
enum { ABREAST = DEALT < 4 ? DEALT : 4 };

/* Point i, from the caller's rows or from points dealt to groups. */
template <bool ROWS> static __device__ __forceinline__ uint4 point_at(const place_args &a, int64_t i)
{
    if (!ROWS) return __ldg(a.points + i);
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_row(a.rows, i, q);
    return {__float_as_uint(q[0]), __float_as_uint(q[1]), __float_as_uint(q[2]), (uint32_t)i};
}

/* Calls deal(k, point) for the points of this thread in a tile; some are read at once. */
template <bool ROWS, int THREADS, class F>
static __device__ __forceinline__ void each_dealt(const place_args &a, int64_t first, F &&deal)
{
#pragma unroll
    for (int k = 0; k < DEALT; k += ABREAST) {
        uint4 points[ABREAST];
        const int64_t i = first + k * THREADS + threadIdx.x;
#pragma unroll
        for (int j = 0; j < ABREAST; j++)
            if (i + j * THREADS < a.rows.n) points[j] = point_at<ROWS>(a, i + j * THREADS);
#pragma unroll
        for (int j = 0; j < ABREAST; j++)
            if (i + j * THREADS < a.rows.n) deal(k + j, points[j]);
    }
}

static __device__ __forceinline__ uint32_t bucket_of(const place_args &a, const uint4 &point)
{
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_point(point, q);
    return bi_voxelgrid_dense_key(a.view, q) >> a.shift;
}

/* The last block: counts become positions; the host is told the largest. Each thread has buckets beside each other. */
static __device__ void add_up_buckets(const place_args &a, uint32_t *warps)
{
    const uint32_t each = (a.buckets + COUNT_THREADS - 1) / COUNT_THREADS;
    const uint32_t first = min(threadIdx.x * each, a.buckets), end = min(first + each, a.buckets);
    uint32_t sum = 0, total, largest = 0;
#pragma unroll 8
    for (uint32_t k = first; k < end; k++) {
        const uint32_t count = bi_load_relaxed(a.counts + k);
        sum += count;
        largest = max(largest, count);
    }
    uint32_t at = bi_block_exclusive_sum<COUNT_THREADS / 32>(sum, warps, &total);
#pragma unroll 8
    for (uint32_t k = first; k < end; k++) {
        const uint32_t count = bi_load_relaxed(a.counts + k);
        a.counts[k] = a.cursors[k] = at;
        if (k % GROUP == 0) a.cursors[a.buckets + k / GROUP] = at;
        at += count;
    }
    largest = bi_warp_greatest(largest);
    __syncthreads();
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = largest;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (int w = 1; w < COUNT_THREADS / 32; w++) largest = max(largest, warps[w]);
    *a.crowded() = largest > ROOM;
    *a.told = largest;
}

enum { COUNT_TILE = COUNT_THREADS * DEALT };

struct count_shared {
    uint32_t warps[COUNT_THREADS / 32];
    bool last;
};

/* Counts the points of each bucket. */
static __global__ void __launch_bounds__(COUNT_THREADS) bi_voxelgrid_count_buckets(const place_args a)
{
    BI_SHARED(count_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, counts);
    for (uint32_t k = threadIdx.x; k < a.buckets; k += COUNT_THREADS) counts[k] = 0;
    __syncthreads();
    for (int64_t first = blockIdx.x * (int64_t)COUNT_TILE; first < a.rows.n; first += gridDim.x * (int64_t)COUNT_TILE)
        each_dealt<true, COUNT_THREADS>(a, first,
                                        [&](int, const uint4 &point) { atomicAdd(&counts[bucket_of(a, point)], 1u); });
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < a.buckets; k += COUNT_THREADS)
        if (counts[k]) atomicAdd(&a.counts[k], counts[k]);
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) sh.last = atomicAdd(a.done(), 1u) == gridDim.x - 1;
    __syncthreads();
    if (!sh.last) return;
    __threadfence();
    add_up_buckets(a, sh.warps);
}

template <class TILE> struct deal_shared {
    enum { THREADS = TILE::THREADS, DIGITS = TILE::DIGITS, POINTS = THREADS * DEALT };
    uint4 points[POINTS];
    uint32_t counts[DIGITS], places[DIGITS]; /* of a bucket: where it begins in the tile, and where that goes to */
    uint32_t warps[THREADS / 32];
    uint16_t digits[POINTS]; /* of the points */
};

/* Deals the points of a tile to their buckets, or to groups of `group` buckets, in no order. They are grouped in shared
 * memory first, so that those of a bucket are written together. */
template <bool ROWS, class TILE>
static __global__ void __launch_bounds__(TILE::THREADS, 1024 / TILE::THREADS)
    bi_voxelgrid_deal_points(const place_args a, uint32_t group, uint32_t digits, uint32_t *cursors, uint4 *to)
{
    enum { THREADS = TILE::THREADS, DIGITS = TILE::DIGITS };
    BI_SHARED_DYNAMIC(deal_shared<TILE>, memory);
    deal_shared<TILE> &sh = *memory;
    const int64_t first = blockIdx.x * (int64_t)(THREADS * DEALT);
    uint32_t places[DEALT], total, before = 0, low = 0;
    if (*a.crowded()) return;
    if (!ROWS) low = bucket_of(a, a.points[first]) / GROUP * GROUP; /* the points before have no greater groups */
    for (uint32_t k = threadIdx.x; k < digits; k += THREADS) sh.counts[k] = 0;
    __syncthreads();
    each_dealt<ROWS, THREADS>(a, first, [&](int k, const uint4 &point) {
        const uint32_t digit = bucket_of(a, point) / group - low;
        places[k] = digit < digits ? atomicAdd(&sh.counts[digit], 1u) * DIGITS + digit : UINT32_MAX;
        if (digit >= digits) to[atomicAdd(cursors + low + digit, 1u)] = point;
    });
    __syncthreads();
    for (uint32_t k = 0; k < digits; k += THREADS) {
        const uint32_t own = k + threadIdx.x, count = own < digits ? sh.counts[own] : 0;
        const uint32_t at = before + bi_block_exclusive_sum<THREADS / 32>(count, sh.warps, &total);
        if (count) sh.places[own] = atomicAdd(cursors + low + own, count) - at;
        if (own < digits) sh.counts[own] = at;
        before += total;
        __syncthreads();
    }
    each_dealt<ROWS, THREADS>(a, first, [&](int k, const uint4 &point) {
        if (places[k] == UINT32_MAX) return;
        const uint32_t digit = places[k] % DIGITS, at = sh.counts[digit] + places[k] / DIGITS;
        sh.points[at] = point;
        sh.digits[at] = (uint16_t)digit;
    });
    __syncthreads();
    for (uint32_t k = threadIdx.x; k < before; k += THREADS) to[sh.places[sh.digits[k]] + k] = sh.points[k];
}

/* Whether kernels may have so much shared memory. */
static bool allow_shared(const void *kernel, size_t bytes)
{
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    return false;
}

template <bool ROWS, class TILE> static bool allow_tile()
{
    return allow_shared((const void *)bi_voxelgrid_deal_points<ROWS, TILE>, sizeof(deal_shared<TILE>));
}

bosc_status bi_cuda_voxelgrid_count_buckets(bosc_ctx *ctx, const place_args &a, bool *can)
{
    const int64_t tiles = bi_div_up(a.rows.n, COUNT_TILE), most = (int64_t)ctx->multiprocessors * 2;
    *can = allow_shared((const void *)bi_voxelgrid_count_buckets, MOST_BUCKETS * sizeof(uint32_t)) &&
           allow_tile<true, tile>() && allow_tile<false, tile>();
    if (!*can) return BOSC_OK;
    return BI_RUN(ctx, bi_voxelgrid_count_buckets, (unsigned)(tiles < most ? tiles : most), COUNT_THREADS,
                  a.buckets * sizeof(uint32_t), a);
}

template <bool ROWS, class TILE>
static bosc_status deal(bosc_ctx *ctx, const place_args &a, uint32_t group, uint32_t digits, uint32_t *cursors,
                        uint4 *to)
{
    return BI_RUN(ctx, (bi_voxelgrid_deal_points<ROWS, TILE>), (unsigned)bi_div_up(a.rows.n, TILE::THREADS * DEALT),
                  TILE::THREADS, sizeof(deal_shared<TILE>), a, group, digits, cursors, to);
}

/* Deals the points to buckets: of more than a tile has digits first to groups. */
bosc_status bi_cuda_voxelgrid_deal(bosc_ctx *ctx, const place_args &a)
{
    if (a.buckets <= tile::DIGITS) return deal<true, tile>(ctx, a, 1, a.buckets, a.cursors, a.mixed);
    if (a.buckets <= large_tile::DIGITS && allow_tile<true, large_tile>())
        return deal<true, large_tile>(ctx, a, 1, a.buckets, a.cursors, a.mixed);
    BI_TRY((deal<true, tile>(ctx, a, GROUP, (uint32_t)bi_div_up(a.buckets, GROUP), a.cursors + a.buckets, a.points)));
    return deal<false, tile>(ctx, a, 1, tile::DIGITS, a.cursors, a.mixed);
}
