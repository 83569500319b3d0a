/* Points of a bucket are put in order. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/place.cuh"

#ifdef BI_EMULATE
enum { ARRANGE_THREADS = 64, STAGE = 64, CROWD = 16 };
#else
enum { ARRANGE_THREADS = 512, STAGE = 2048, CROWD = 256 };
#endif
enum { EACH = ROOM / ARRANGE_THREADS /* points of a thread */ };

struct arrange_shared {
    uint32_t starts[MOST_VOXELS + 1], warps[ARRANGE_THREADS / 32];
    union {
        uint4 points[STAGE];
        uint32_t ids[ROOM];
        unsigned long long keys[ROOM];
    };
};

/* Counts become starts, of the bucket and of the view; the largest is given back, to each warp that of its threads. */
static __device__ uint32_t add_up_voxels(const place_args &a, arrange_shared &sh, uint32_t begin, uint32_t voxels)
{
    uint32_t before = 0, total, largest = 0, *starts = a.starts + ((size_t)blockIdx.x << a.shift);
    for (uint32_t k = 0; k < voxels; k += ARRANGE_THREADS) {
        const uint32_t own = k + threadIdx.x, count = own < voxels ? sh.starts[own] : 0;
        const uint32_t at = before + bi_block_exclusive_sum<ARRANGE_THREADS / 32>(count, sh.warps, &total);
        if (own < voxels) {
            sh.starts[own] = at;
            starts[own] = begin + at;
        }
        before += total;
        largest = max(largest, count);
        __syncthreads();
    }
    if (threadIdx.x > 0) return largest;
    sh.starts[voxels] = before;
    if (blockIdx.x + 1 == gridDim.x) starts[voxels] = begin + before;
    return largest;
}

/* Sorts keys in shared memory by a network whose comparisons all put the smaller first. Source: Batcher, Sorting
 * Networks and their Applications (1968). */
static __device__ void sort_keys(unsigned long long *keys, uint32_t count)
{
    for (uint32_t half = 1; half < count; half *= 2)
        for (uint32_t step = half; step > 0; step /= 2) {
            for (uint32_t p = threadIdx.x;; p += ARRANGE_THREADS) {
                const uint32_t below = p & (step - 1), first = 2 * (p - below) + below;
                if (first >= count) break;
                const uint32_t other = step == half ? first ^ (2 * step - 1) : first + step;
                if (other >= count || keys[first] < keys[other]) continue;
                const unsigned long long key = keys[first];
                keys[first] = keys[other];
                keys[other] = key;
            }
            __syncthreads();
        }
}

/* The points of a bucket that a thread has: where they are is kept, they are read again when they are needed. */
struct arranged {
    const uint4 *points;   /* of the bucket */
    uint32_t count;        /* of the bucket */
    uint32_t voxels[EACH]; /* of the bucket, and the rank that the point came with above VOXEL_BITS; then its place */

    template <class F> __device__ __forceinline__ void each(F &&f)
    {
#pragma unroll
        for (int j = 0; j < EACH; j++) {
            const uint32_t at = j * ARRANGE_THREADS + threadIdx.x;
            if (at < count) f(points + at, voxels[j]);
        }
    }
};

/* Places of the points, in the order of ids within a voxel: each counts those before it. */
static __device__ __forceinline__ void place_few(arrange_shared &sh, arranged &own)
{
    own.each([&](const uint4 *point, uint32_t voxel) {
        sh.ids[sh.starts[voxel % MOST_VOXELS] + (voxel >> VOXEL_BITS)] = __ldg(&point->w);
    });
    __syncthreads();
    own.each([&](const uint4 *point, uint32_t &voxel) {
        const uint32_t begin = sh.starts[voxel % MOST_VOXELS], end = sh.starts[voxel % MOST_VOXELS + 1];
        const uint32_t id = __ldg(&point->w);
        voxel = begin;
        for (uint32_t k = begin; k < end; k++) voxel += sh.ids[k] < id;
    });
}

/* The same where a voxel has many points: by sorting. */
static __device__ __forceinline__ void place_many(arrange_shared &sh, arranged &own)
{
    const auto key_of = [](const uint4 *point, uint32_t voxel) {
        return (unsigned long long)(voxel % MOST_VOXELS) << 32 | __ldg(&point->w);
    };
    own.each([&](const uint4 *point, uint32_t voxel) {
        sh.keys[sh.starts[voxel % MOST_VOXELS] + (voxel >> VOXEL_BITS)] = key_of(point, voxel);
    });
    __syncthreads();
    sort_keys(sh.keys, own.count);
    own.each([&](const uint4 *point, uint32_t &voxel) {
        uint32_t begin = sh.starts[voxel % MOST_VOXELS], end = sh.starts[voxel % MOST_VOXELS + 1];
        const unsigned long long key = key_of(point, voxel);
        while (end - begin > 1) {
            const uint32_t middle = (begin + end) / 2;
            (sh.keys[middle] <= key ? begin : end) = middle;
        }
        voxel = begin;
    });
}

/* Puts the points of a bucket in order, and says where its voxels start. */
static __global__ void __launch_bounds__(ARRANGE_THREADS, 3) bi_voxelgrid_arrange_bucket(const place_args a)
{
    BI_SHARED(arrange_shared, sh);
    if (*a.crowded()) return;
    const uint32_t first = blockIdx.x << a.shift, begin = a.counts[blockIdx.x];
    const uint32_t voxels = min(1u << a.shift, a.entries - first);
    arranged own;
    own.points = a.mixed + begin;
    own.count = (blockIdx.x + 1 < gridDim.x ? a.counts[blockIdx.x + 1] : (uint32_t)a.rows.n) - begin;
    for (uint32_t k = threadIdx.x; k < voxels; k += ARRANGE_THREADS) sh.starts[k] = 0;
    __syncthreads();
    own.each([&](const uint4 *point, uint32_t &voxel) {
        float q[BI_VOXELGRID_DIM];
        bi_voxelgrid_read_point(__ldg(point), q);
        voxel = bi_voxelgrid_dense_key(a.view, q) - first;
        voxel |= atomicAdd(&sh.starts[voxel], 1u) << VOXEL_BITS;
    });
    __syncthreads();
    if (__syncthreads_or(add_up_voxels(a, sh, begin, voxels) > CROWD))
        place_many(sh, own);
    else
        place_few(sh, own);
    for (uint32_t from = 0; from < own.count; from += STAGE) {
        __syncthreads();
        own.each([&](const uint4 *point, uint32_t to) {
            if (to - from < (uint32_t)STAGE) sh.points[to - from] = __ldg(point);
        });
        __syncthreads();
        const uint32_t end = min(own.count - from, (uint32_t)STAGE);
        for (uint32_t k = threadIdx.x; k < end; k += ARRANGE_THREADS) a.points[begin + from + k] = sh.points[k];
    }
}

bosc_status bi_cuda_voxelgrid_arrange(bosc_ctx *ctx, const place_args &a)
{
    return BI_RUN(ctx, bi_voxelgrid_arrange_bucket, a.buckets, ARRANGE_THREADS, 0, a);
}
