/* First stage of the bucket build: counts the points of each bucket, and scatters them to the buckets. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/build_buckets.cuh"

/* A tile: the points of a block, POINTS_PER_THREAD for each of THREADS threads, and the most digits (buckets or
 * groups) its shared memory can tabulate. More buckets take a larger tile, or two passes. */
#ifdef BI_EMULATE
enum { COUNT_THREADS = 64, POINTS_PER_THREAD = 2 };
struct tile {
    enum { THREADS = 64, MAX_DIGITS = 16 };
};
struct large_tile {
    enum { THREADS = 96, MAX_DIGITS = 24 };
};
#else
enum { COUNT_THREADS = 512, POINTS_PER_THREAD = 8 };
struct tile {
    enum { THREADS = 512, MAX_DIGITS = 2048 };
};
struct large_tile {
    enum { THREADS = 1024, MAX_DIGITS = 4096 };
};
#endif
enum { LOADS_IN_FLIGHT = POINTS_PER_THREAD < 4 ? POINTS_PER_THREAD : 4 };

/* Point i: a row of the caller (ROWS), or a point that the first of two passes wrote. */
template <bool ROWS> static __device__ __forceinline__ uint4 read_point(const bucket_build &a, int64_t i)
{
    if (!ROWS) return __ldg(a.points + i);
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_row(a.rows, i, q);
    return {__float_as_uint(q[0]), __float_as_uint(q[1]), __float_as_uint(q[2]), (uint32_t)i};
}

/* Calls visit(k, point) for the points of this thread in a tile. LOADS_IN_FLIGHT points are read before the first is
 * visited, to overlap the loads. */
template <bool ROWS, int THREADS, class F>
static __device__ __forceinline__ void for_each_in_tile(const bucket_build &a, int64_t first, F &&visit)
{
#pragma unroll
    for (int k = 0; k < POINTS_PER_THREAD; k += LOADS_IN_FLIGHT) {
        uint4 points[LOADS_IN_FLIGHT];
        const int64_t i = first + k * THREADS + threadIdx.x;
#pragma unroll
        for (int j = 0; j < LOADS_IN_FLIGHT; j++)
            if (i + j * THREADS < a.rows.n) points[j] = read_point<ROWS>(a, i + j * THREADS);
#pragma unroll
        for (int j = 0; j < LOADS_IN_FLIGHT; j++)
            if (i + j * THREADS < a.rows.n) visit(k + j, points[j]);
    }
}

static __device__ __forceinline__ uint32_t bucket_of(const bucket_build &a, const uint4 &point)
{
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_point(point, q);
    return bi_voxelgrid_dense_key(a.view, q) >> a.shift;
}

/* Scans the counts of all buckets, run by the last block: they become positions and cursors. The host gets the
 * largest count. Each thread has consecutive buckets. */
static __device__ void scan_bucket_counts(const bucket_build &a, uint32_t *warps)
{
    /* 1. Sum and maximum of the thread's buckets. */
    const uint32_t per_thread = (a.buckets + COUNT_THREADS - 1) / COUNT_THREADS;
    const uint32_t first = min(threadIdx.x * per_thread, a.buckets), end = min(first + per_thread, a.buckets);
    uint32_t sum = 0, total, largest = 0;
#pragma unroll 8
    for (uint32_t k = first; k < end; k++) {
        const uint32_t count = bi_load_relaxed(a.counts + k);
        sum += count;
        largest = max(largest, count);
    }
    /* 2. Counts become positions, and cursors of buckets and groups. */
    uint32_t at = bi_block_exclusive_sum<COUNT_THREADS / 32>(sum, warps, &total);
#pragma unroll 8
    for (uint32_t k = first; k < end; k++) {
        const uint32_t count = bi_load_relaxed(a.counts + k);
        a.counts[k] = a.cursors[k] = at;
        if (k % BUCKETS_PER_GROUP == 0) a.cursors[a.buckets + k / BUCKETS_PER_GROUP] = at;
        at += count;
    }
    /* 3. Maximum over the block; the first thread reports it. */
    largest = bi_warp_max(largest);
    __syncthreads(); /* the scan has read warps[] */
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = largest;
    __syncthreads(); /* maxima of all warps */
    if (threadIdx.x > 0) return;
    for (int w = 1; w < COUNT_THREADS / 32; w++) largest = max(largest, warps[w]);
    *a.overflow() = largest > BUCKET_CAPACITY;
    *a.host_largest = largest;
}

enum { COUNT_TILE = COUNT_THREADS * POINTS_PER_THREAD };

struct count_shared {
    uint32_t warps[COUNT_THREADS / 32];
    bool last;
};

/* Counts the points of each bucket; the last block to finish scans the counts. */
static __global__ void __launch_bounds__(COUNT_THREADS) bi_voxelgrid_count_buckets(const bucket_build a)
{
    BI_SHARED(count_shared, sh);
    BI_SHARED_DYNAMIC(uint32_t, counts);
    /* 1. Count in shared memory. */
    for (uint32_t k = threadIdx.x; k < a.buckets; k += COUNT_THREADS) counts[k] = 0;
    __syncthreads(); /* zeros, before other threads add */
    for (int64_t first = blockIdx.x * (int64_t)COUNT_TILE; first < a.rows.n; first += gridDim.x * (int64_t)COUNT_TILE)
        for_each_in_tile<true, COUNT_THREADS>(
            a, first, [&](int, const uint4 &point) { atomicAdd(&counts[bucket_of(a, point)], 1u); });
    __syncthreads(); /* all counts of the block */
    /* 2. Add the counts to those of all blocks. */
    for (uint32_t k = threadIdx.x; k < a.buckets; k += COUNT_THREADS)
        if (counts[k]) atomicAdd(&a.counts[k], counts[k]);
    /* 3. Detect the last block. Fence: the sums of every thread are visible before this block counts as finished. */
    __threadfence();
    __syncthreads(); /* all threads have passed the fence */
    if (threadIdx.x == 0) sh.last = atomicAdd(a.finished_blocks(), 1u) == gridDim.x - 1;
    __syncthreads(); /* sh.last */
    if (!sh.last) return;
    __threadfence(); /* reads of the counts come after that of the number of finished blocks */
    scan_bucket_counts(a, sh.warps);
}

template <class TILE> struct scatter_shared {
    enum { THREADS = TILE::THREADS, MAX_DIGITS = TILE::MAX_DIGITS, POINTS = THREADS * POINTS_PER_THREAD };
    uint4 points[POINTS];
    uint32_t counts[MAX_DIGITS];  /* of a digit, then its begin in the tile */
    uint32_t offsets[MAX_DIGITS]; /* its first output slot less its begin */
    uint32_t warps[THREADS / 32];
    uint16_t digits[POINTS]; /* of the grouped points */
};

/* Scatters the points of a tile to digits, which are buckets (group 1) or groups of `group` buckets, in no order.
 * The tile is grouped by digit in shared memory first, so that the points of a digit are written together. */
template <bool ROWS, class TILE>
static __global__ void __launch_bounds__(TILE::THREADS, 1024 / TILE::THREADS)
    bi_voxelgrid_scatter_points(const bucket_build a, uint32_t group, uint32_t digits, uint32_t *cursors, uint4 *to)
{
    enum { THREADS = TILE::THREADS, MAX_DIGITS = TILE::MAX_DIGITS };
    BI_SHARED_DYNAMIC(scatter_shared<TILE>, memory);
    scatter_shared<TILE> &sh = *memory;
    const int64_t first = blockIdx.x * (int64_t)(THREADS * POINTS_PER_THREAD);
    uint32_t ranks[POINTS_PER_THREAD], total, tile_count = 0, low = 0;
    if (*a.overflow()) return;
    /* Second pass: groups ascend, so the table begins at the group of the tile's first point. */
    if (!ROWS) low = bucket_of(a, a.points[first]) / BUCKETS_PER_GROUP * BUCKETS_PER_GROUP;
    /* 1. Count the digits; a point's rank and digit share a word. Points beyond the table are written directly. */
    for (uint32_t k = threadIdx.x; k < digits; k += THREADS) sh.counts[k] = 0;
    __syncthreads(); /* zeros, before other threads add */
    for_each_in_tile<ROWS, THREADS>(a, first, [&](int k, const uint4 &point) {
        const uint32_t digit = bucket_of(a, point) / group - low;
        ranks[k] = digit < digits ? atomicAdd(&sh.counts[digit], 1u) * MAX_DIGITS + digit : UINT32_MAX;
        if (digit >= digits) to[atomicAdd(cursors + low + digit, 1u)] = point;
    });
    __syncthreads(); /* all counts */
    /* 2. Scan the counts to begins in the tile, and reserve output slots by one atomic a digit. */
    for (uint32_t k = 0; k < digits; k += THREADS) {
        const uint32_t own = k + threadIdx.x, count = own < digits ? sh.counts[own] : 0;
        const uint32_t at = tile_count + bi_block_exclusive_sum<THREADS / 32>(count, sh.warps, &total);
        if (count) sh.offsets[own] = atomicAdd(cursors + low + own, count) - at;
        if (own < digits) sh.counts[own] = at;
        tile_count += total;
        __syncthreads(); /* sh.warps may be reused; at last begins and offsets are complete */
    }
    /* 3. Group the points by digit in shared memory. */
    for_each_in_tile<ROWS, THREADS>(a, first, [&](int k, const uint4 &point) {
        if (ranks[k] == UINT32_MAX) return;
        const uint32_t digit = ranks[k] % MAX_DIGITS, at = sh.counts[digit] + ranks[k] / MAX_DIGITS;
        sh.points[at] = point;
        sh.digits[at] = (uint16_t)digit;
    });
    __syncthreads(); /* all points are grouped */
    /* 4. Write the runs of equal digits. */
    for (uint32_t k = threadIdx.x; k < tile_count; k += THREADS) to[sh.offsets[sh.digits[k]] + k] = sh.points[k];
}

/* Allows a kernel this much dynamic shared memory; false if the device has less. */
static bool allow_shared(const void *kernel, size_t bytes)
{
    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) == cudaSuccess)
        return true;
    (void)cudaGetLastError();
    return false;
}

template <bool ROWS, class TILE> static bool allow_tile()
{
    return allow_shared((const void *)bi_voxelgrid_scatter_points<ROWS, TILE>, sizeof(scatter_shared<TILE>));
}

bosc_status bi_cuda_voxelgrid_count_buckets(bosc_ctx *ctx, const bucket_build &a, bool *supported)
{
    const int64_t tiles = bi_div_up(a.rows.n, COUNT_TILE), max_blocks = (int64_t)ctx->multiprocessors * 2;
    *supported = allow_shared((const void *)bi_voxelgrid_count_buckets, MAX_BUCKETS * sizeof(uint32_t)) &&
                 allow_tile<true, tile>() && allow_tile<false, tile>();
    if (!*supported) return BOSC_OK;
    return BI_RUN(ctx, bi_voxelgrid_count_buckets, (unsigned)(tiles < max_blocks ? tiles : max_blocks), COUNT_THREADS,
                  a.buckets * sizeof(uint32_t), a);
}

template <bool ROWS, class TILE>
static bosc_status launch_scatter(bosc_ctx *ctx, const bucket_build &a, uint32_t group, uint32_t digits,
                                  uint32_t *cursors, uint4 *to)
{
    return BI_RUN(ctx, (bi_voxelgrid_scatter_points<ROWS, TILE>),
                  (unsigned)bi_div_up(a.rows.n, TILE::THREADS * POINTS_PER_THREAD), TILE::THREADS,
                  sizeof(scatter_shared<TILE>), a, group, digits, cursors, to);
}

/* Scatters the points to buckets. Where a tile has fewer digits than there are buckets: to groups first, then to
 * buckets. */
bosc_status bi_cuda_voxelgrid_scatter_to_buckets(bosc_ctx *ctx, const bucket_build &a)
{
    if (a.buckets <= tile::MAX_DIGITS) return launch_scatter<true, tile>(ctx, a, 1, a.buckets, a.cursors, a.by_bucket);
    if (a.buckets <= large_tile::MAX_DIGITS && allow_tile<true, large_tile>())
        return launch_scatter<true, large_tile>(ctx, a, 1, a.buckets, a.cursors, a.by_bucket);
    BI_TRY((launch_scatter<true, tile>(ctx, a, BUCKETS_PER_GROUP, (uint32_t)bi_div_up(a.buckets, BUCKETS_PER_GROUP),
                                       a.cursors + a.buckets, a.points)));
    return launch_scatter<false, tile>(ctx, a, 1, tile::MAX_DIGITS, a.cursors, a.by_bucket);
}
