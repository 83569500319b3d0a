/* The bucket build of dense voxel grids: sorts points by dense voxel and id. Points are counted by bucket, which is a
 * range of voxels, and scattered to the buckets; then a block sorts each bucket in shared memory. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/dense_view.cuh"

/* BUCKET_CAPACITY: points of a bucket that shared memory holds. BUCKETS_PER_GROUP: buckets of a group, where there
 * are too many for one pass. MIN_TARGET, MAX_TARGET: aimed points of a bucket. MAX_TARGET: measured, 1 M points: 65 us,
 * with 1,000 points a bucket 73. The others leave room above it for uneven buckets; they are not measured. */
#ifdef BI_EMULATE /* small, so that few points make several buckets and full ones */
enum { BUCKET_CAPACITY = 128, BUCKETS_PER_GROUP = 4, MAX_BUCKETS = 64, MAX_TARGET = 32, MIN_TARGET = 8 };
#else
enum { BUCKET_CAPACITY = 4096, BUCKETS_PER_GROUP = 32, MAX_BUCKETS = 16384, MAX_TARGET = 2048, MIN_TARGET = 64 };
#endif
enum { VOXEL_BITS = 11, MAX_BUCKET_VOXELS = 1 << VOXEL_BITS }; /* voxels of a bucket */

/* Arguments of the kernels. Bucket b holds the voxels numbered from b << shift on. */
struct bucket_build {
    bi_voxelgrid_dense_view view;
    bi_voxelgrid_rows rows;
    uint32_t buckets, entries;
    int32_t shift;
    uint32_t *counts;  /* (buckets), later their begins; then the number of finished blocks and the overflow flag */
    uint32_t *cursors; /* (buckets) next free slot of each; then the same for groups of buckets */
    uint32_t *host_largest; /* page-locked: points of the largest bucket */
    uint4 *by_bucket;       /* (n) points by bucket, unordered within */
    uint4 *points;          /* (n) points by voxel and id; in between perhaps by group of buckets */
    uint32_t *starts;

    __device__ uint32_t *finished_blocks() const { return counts + buckets; }
    __device__ uint32_t *overflow() const { return counts + buckets + 1; } /* not 0: a bucket exceeds BUCKET_CAPACITY */
};

/* --- Scatter ------------------------------------------------------------------------------------------------------ */

/* A tile: the points of a block, POINTS_PER_THREAD for each of THREADS threads, and the most digits (buckets or
 * groups) its shared memory can tabulate. More buckets take a larger tile, or two passes. Measured, 4.2 M points: 0.261
 * ms with large tiles of 8,192 points, 0.264 with 4,096. */
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

/* Scans the counts of all buckets, run by the last block: they become positions and cursors. The host reads the largest
 * count after an event that follows the kernel. Each thread has consecutive buckets. All threads call it. The last
 * bucket ends at n, which is not stored. */
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
 * The tile is grouped by digit in shared memory first, so that the points of a digit are written together. `cursors`,
 * the next free slots in `to`, advance. digits <= MAX_DIGITS. Without ROWS it reads a.points, which the first pass has
 * grouped, and group is 1. Does nothing if a bucket is too large. */
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

/* True if the device has the shared memory that the kernels need. */
static bool allow_buckets(void)
{
    return allow_shared((const void *)bi_voxelgrid_count_buckets, MAX_BUCKETS * sizeof(uint32_t)) &&
           allow_tile<true, tile>() && allow_tile<false, tile>();
}

/* Counts (counts are 0 before), sets cursors and *host_largest. */
static bosc_status count_buckets(bosc_ctx *ctx, const bucket_build &a)
{
    const int64_t tiles = bi_div_up(a.rows.n, COUNT_TILE),
                  max_blocks = (int64_t)ctx->multiprocessors * 2; /* measured: 3 and 4 take as long */
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
static bosc_status scatter_to_buckets(bosc_ctx *ctx, const bucket_build &a)
{
    if (a.buckets <= tile::MAX_DIGITS) return launch_scatter<true, tile>(ctx, a, 1, a.buckets, a.cursors, a.by_bucket);
    if (a.buckets <= large_tile::MAX_DIGITS && allow_tile<true, large_tile>())
        return launch_scatter<true, large_tile>(ctx, a, 1, a.buckets, a.cursors, a.by_bucket);
    BI_TRY((launch_scatter<true, tile>(ctx, a, BUCKETS_PER_GROUP, (uint32_t)bi_div_up(a.buckets, BUCKETS_PER_GROUP),
                                       a.cursors + a.buckets, a.points)));
    return launch_scatter<false, tile>(ctx, a, 1, tile::MAX_DIGITS, a.cursors, a.by_bucket);
}

/* --- Sort --------------------------------------------------------------------------------------------------------- */

/* A block sorts the points of each bucket by voxel and id. */

#ifdef BI_EMULATE
enum { SORT_THREADS = 64, STAGE_POINTS = 64, COUNTING_LIMIT = 16 };
#else
/* For 3 blocks a multiprocessor: measured, 1 M points: 65 us, with 4 72. COUNTING_LIMIT: ranks by
 * counting are quadratic in it; not measured. */
enum { SORT_THREADS = 512, STAGE_POINTS = 2048, COUNTING_LIMIT = 256 };
#endif
enum { THREAD_POINTS = BUCKET_CAPACITY / SORT_THREADS }; /* points of a thread */

struct sort_shared {
    uint32_t starts[MAX_BUCKET_VOXELS + 1], warps[SORT_THREADS / 32];
    union {
        uint4 points[STAGE_POINTS];
        uint32_t ids[BUCKET_CAPACITY];
        unsigned long long keys[BUCKET_CAPACITY];
    };
};

/* Scans the counts of the bucket's voxels: sh.starts gets their begins in the bucket, a.starts those in the grid.
 * Returns the largest count among the thread's voxels. */
static __device__ uint32_t scan_voxel_counts(const bucket_build &a, sort_shared &sh, uint32_t begin, uint32_t voxels)
{
    uint32_t running_total = 0, total, largest = 0, *starts = a.starts + ((size_t)blockIdx.x << a.shift);
    for (uint32_t k = 0; k < voxels; k += SORT_THREADS) {
        const uint32_t own = k + threadIdx.x, count = own < voxels ? sh.starts[own] : 0;
        const uint32_t at = running_total + bi_block_exclusive_sum<SORT_THREADS / 32>(count, sh.warps, &total);
        if (own < voxels) {
            sh.starts[own] = at;
            starts[own] = begin + at;
        }
        running_total += total;
        largest = max(largest, count);
        __syncthreads(); /* sh.warps may be reused */
    }
    if (threadIdx.x > 0) return largest;
    sh.starts[voxels] = running_total;
    if (blockIdx.x + 1 == gridDim.x) starts[voxels] = begin + running_total;
    return largest;
}

/* Sorts keys in shared memory by Batcher's bitonic network, in the form whose comparators all put the smaller key
 * first. Source: Sorting Networks and their Applications (1968). */
static __device__ void sort_keys(unsigned long long *keys, uint32_t count)
{
    for (uint32_t half = 1; half < count; half *= 2)
        for (uint32_t step = half; step > 0; step /= 2) {
            for (uint32_t p = threadIdx.x;; p += SORT_THREADS) {
                const uint32_t below = p & (step - 1), first = 2 * (p - below) + below;
                if (first >= count) break;
                const uint32_t other = step == half ? first ^ (2 * step - 1) : first + step;
                if (other >= count || keys[first] < keys[other]) continue;
                const unsigned long long key = keys[first];
                keys[first] = keys[other];
                keys[other] = key;
            }
            __syncthreads(); /* a stage is complete */
        }
}

/* The points of a bucket that belong to this thread. They are read again when needed, as registers do not hold them. */
struct bucket_points {
    const uint4 *points;           /* of the bucket */
    uint32_t count;                /* of the bucket */
    uint32_t codes[THREAD_POINTS]; /* voxel within the bucket, arrival rank above VOXEL_BITS; later the slot */

    template <class F> __device__ __forceinline__ void for_each(F &&f)
    {
#pragma unroll
        for (int j = 0; j < THREAD_POINTS; j++) {
            const uint32_t at = j * SORT_THREADS + threadIdx.x;
            if (at < count) f(points + at, codes[j]);
        }
    }
};

/* Sets each code to the point's slot, ordered by id within a voxel: each point counts the smaller ids of its voxel.
 * Quadratic in the points of a voxel. */
static __device__ __forceinline__ void rank_by_counting(sort_shared &sh, bucket_points &own)
{
    own.for_each([&](const uint4 *point, uint32_t code) {
        sh.ids[sh.starts[code % MAX_BUCKET_VOXELS] + (code >> VOXEL_BITS)] = __ldg(&point->w);
    });
    __syncthreads(); /* all ids */
    own.for_each([&](const uint4 *point, uint32_t &code) {
        const uint32_t begin = sh.starts[code % MAX_BUCKET_VOXELS], end = sh.starts[code % MAX_BUCKET_VOXELS + 1];
        const uint32_t id = __ldg(&point->w);
        code = begin;
        for (uint32_t k = begin; k < end; k++) code += sh.ids[k] < id;
    });
}

/* The same by sorting (voxel, id) keys, where a voxel has more than COUNTING_LIMIT points. */
static __device__ __forceinline__ void rank_by_sorting(sort_shared &sh, bucket_points &own)
{
    const auto key_of = [](const uint4 *point, uint32_t code) {
        return (unsigned long long)(code % MAX_BUCKET_VOXELS) << 32 | __ldg(&point->w);
    };
    own.for_each([&](const uint4 *point, uint32_t code) {
        sh.keys[sh.starts[code % MAX_BUCKET_VOXELS] + (code >> VOXEL_BITS)] = key_of(point, code);
    });
    __syncthreads(); /* all keys */
    sort_keys(sh.keys, own.count);
    own.for_each([&](const uint4 *point, uint32_t &code) {
        uint32_t begin = sh.starts[code % MAX_BUCKET_VOXELS], end = sh.starts[code % MAX_BUCKET_VOXELS + 1];
        const unsigned long long key = key_of(point, code);
        while (end - begin > 1) {
            const uint32_t middle = (begin + end) / 2;
            (sh.keys[middle] <= key ? begin : end) = middle;
        }
        code = begin;
    });
}

/* Sorts the points of a bucket from a.by_bucket to a.points, and writes where its voxels start. One block a bucket.
 * a.counts holds the begins of the buckets. If any bucket is too large, no block does anything. */
static __global__ void __launch_bounds__(SORT_THREADS, 3) bi_voxelgrid_sort_bucket(const bucket_build a)
{
    BI_SHARED(sort_shared, sh);
    /* 1. Count the points of each voxel; the atomic returns the arrival rank of a point in its voxel. */
    if (*a.overflow()) return;
    const uint32_t first = blockIdx.x << a.shift, begin = a.counts[blockIdx.x];
    const uint32_t voxels = min(1u << a.shift, a.entries - first);
    bucket_points own;
    own.points = a.by_bucket + begin;
    own.count = (blockIdx.x + 1 < gridDim.x ? a.counts[blockIdx.x + 1] : (uint32_t)a.rows.n) - begin;
    for (uint32_t k = threadIdx.x; k < voxels; k += SORT_THREADS) sh.starts[k] = 0;
    __syncthreads(); /* zeros, before other threads add */
    own.for_each([&](const uint4 *point, uint32_t &code) {
        float q[BI_VOXELGRID_DIM];
        bi_voxelgrid_read_point(__ldg(point), q);
        code = bi_voxelgrid_dense_key(a.view, q) - first;
        code |= atomicAdd(&sh.starts[code], 1u) << VOXEL_BITS;
    });
    __syncthreads(); /* all counts */
    /* 2. Scan the counts, and rank the points by id. Counting is quadratic, so crowded voxels are sorted. */
    if (__syncthreads_or(scan_voxel_counts(a, sh, begin, voxels) > COUNTING_LIMIT))
        rank_by_sorting(sh, own);
    else
        rank_by_counting(sh, own);
    /* 3. Reorder a part at a time through shared memory, so that writes are coalesced. Barriers: sh.points shares
     * memory with the ids or keys, and with the part before. */
    for (uint32_t from = 0; from < own.count; from += STAGE_POINTS) {
        __syncthreads();
        own.for_each([&](const uint4 *point, uint32_t to) {
            if (to - from < (uint32_t)STAGE_POINTS) sh.points[to - from] = __ldg(point);
        });
        __syncthreads();
        const uint32_t end = min(own.count - from, (uint32_t)STAGE_POINTS);
        for (uint32_t k = threadIdx.x; k < end; k += SORT_THREADS) a.points[begin + from + k] = sh.points[k];
    }
}

static bosc_status sort_buckets(bosc_ctx *ctx, const bucket_build &a)
{
    return BI_RUN(ctx, bi_voxelgrid_sort_bucket, a.buckets, SORT_THREADS, 0, a);
}

/* --- The build ---------------------------------------------------------------------------------------------------- */

/* Records the context's event, which streams otherwise use to wait for each other, after the counts, so that the host
 * can wait for those while later kernels run. */
static bosc_status record_counts_event(bosc_ctx *ctx)
{
    if (!ctx->turn) {
        cudaEvent_t turn;
        BI_TRY(bi_cuda_check(ctx, cudaEventCreateWithFlags(&turn, cudaEventDisableTiming), "voxel grid"));
        ctx->turn = turn;
    }
    return bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)ctx->turn, (cudaStream_t)ctx->stream), "voxel grid");
}

/* log2 of the voxels of a bucket: the most with an average of at most `goal` points, n / 256 within the targets:
 * 256 buckets are about two for each multiprocessor of an H200. Not measured. */
static int32_t choose_bucket_shift(int64_t n, int64_t entries)
{
    const int64_t least = MIN_TARGET, greatest = MAX_TARGET, share = n / 256,
                  goal = share < least      ? least
                         : share < greatest ? share
                                            : greatest;
    int32_t shift = 0;
    while (shift < VOXEL_BITS && (n << (shift + 1)) / entries <= goal) shift++;
    return shift;
}

/* Builds a dense view by buckets of voxels: counts, scatters, sorts each bucket by voxel and id. *peak_density: points
 * a voxel, averaged over the densest few voxels; 0 if the points do not suit this build: starts and points then hold
 * nothing of use, and the caller sorts otherwise. n > 0. Later kernels may still run on return. */
bosc_status bi_cuda_voxelgrid_sort_by_buckets(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                              double *peak_density)
{
    const int64_t n = target->rows.n, entries = (int64_t)target->view.last_key + 1;
    const int32_t shift = choose_bucket_shift(n, entries);
    const int64_t buckets = ((entries - 1) >> shift) + 1;
    bucket_build a = {};
    *peak_density = 0;
    /* 1. Too many buckets, too full on average, or too large for shared memory: the radix sort of build.c does it. */
    if (buckets > MAX_BUCKETS || n / BUCKET_CAPACITY >= buckets || !allow_buckets()) return BOSC_OK;
    /* 2. Arguments and scratch. */
    a.view = bi_voxelgrid_make_dense_view(target->view);
    a.rows = target->rows;
    a.buckets = (uint32_t)buckets;
    a.entries = (uint32_t)entries;
    a.shift = shift;
    a.points = reinterpret_cast<uint4 *>(target->points);
    a.starts = target->starts;
    a.host_largest = static_cast<uint32_t *>(ctx->pinned);
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.by_bucket, &a.by_bucket));
    BI_TRY(bi_scratch_of(ctx, buckets + bi_div_up(buckets, BUCKETS_PER_GROUP), sizeof *a.cursors, &a.cursors));
    BI_TRY(bi_scratch_of(ctx, buckets + 2, sizeof *a.counts, &a.counts));
    BI_TRY(ctx->backend->fill(ctx, a.counts, 0, (size_t)(buckets + 2) * sizeof *a.counts));
    /* 3. Launch all stages without waiting; kernels return at once if a bucket is too large. */
    BI_TRY(count_buckets(ctx, a));
    BI_TRY(record_counts_event(ctx));
    BI_TRY(scatter_to_buckets(ctx, a));
    BI_TRY(sort_buckets(ctx, a));
    /* 4. Wait for the counts alone. */
    BI_TRY(bi_cuda_check(ctx, cudaEventSynchronize((cudaEvent_t)ctx->turn), "voxel grid"));
    const uint32_t largest = *static_cast<const uint32_t *>(ctx->pinned);
    if (largest <= BUCKET_CAPACITY)
        *peak_density = (double)largest / (double)(entries < 1 << shift ? entries : 1 << shift);
    return BOSC_OK;
}
