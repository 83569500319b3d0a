/* Second stage of the bucket build: a block sorts the points of each bucket by voxel and id. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/build_buckets.cuh"

#ifdef BI_EMULATE
enum { SORT_THREADS = 64, STAGE_POINTS = 64, COUNTING_LIMIT = 16 };
#else
enum { SORT_THREADS = 512, STAGE_POINTS = 2048, COUNTING_LIMIT = 256 }; /* chosen: 3 blocks a multiprocessor */
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

/* Sorts the points of a bucket, and writes where its voxels start. One block a bucket. */
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

bosc_status bi_cuda_voxelgrid_sort_buckets(bosc_ctx *ctx, const bucket_build &a)
{
    return BI_RUN(ctx, bi_voxelgrid_sort_bucket, a.buckets, SORT_THREADS, 0, a);
}
