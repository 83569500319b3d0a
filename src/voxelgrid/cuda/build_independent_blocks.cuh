/* The one-launch build of very few points, by blocks that never wait for each other: each reads all points, finds
 * the extent, and writes the points of its own range of voxels. */
#ifndef BI_VOXELGRID_CUDA_BUILD_INDEPENDENT_BLOCKS_CUH
#define BI_VOXELGRID_CUDA_BUILD_INDEPENDENT_BLOCKS_CUH

#include "voxelgrid/cuda/build_one_launch.cuh"

#ifdef BI_EMULATE
enum { INDEPENDENT_THREADS = 64, INDEPENDENT_POINTS = 2 };
#else
enum { INDEPENDENT_THREADS = 1024, INDEPENDENT_POINTS = 8 }; /* most points of a thread, and most blocks */
#endif
enum {
    INDEPENDENT_WARPS = INDEPENDENT_THREADS / 32,
    VOXELS_PER_THREAD = 4, /* a uint4; enough, as bi_voxelgrid_max_entries allows 4 a point */
    BLOCK_VOXELS = VOXELS_PER_THREAD * INDEPENDENT_THREADS
};

struct independent_shared : build_shared<INDEPENDENT_WARPS> {
    alignas(16) uint32_t counts[BLOCK_VOXELS + 1]; /* by voxel of the range; then its begin */
    uint16_t ids[INDEPENDENT_POINTS * INDEPENDENT_THREADS];
    uint32_t points_before; /* points in voxels before the range */
};

template <int POINTS> struct independent_build {
    const one_launch_build &a;
    independent_shared &sh;
    uint32_t first, voxels; /* the block's range */
    float q[POINTS][BI_VOXELGRID_DIM];
    uint32_t voxel[POINTS]; /* within the range; BLOCK_VOXELS: outside */
    uint32_t rank[POINTS];

    __device__ independent_build(const one_launch_build &args, independent_shared &shared) : a(args), sh(shared) {}

    /* Calls f(k, i) for the thread's points i. */
    template <class F> __device__ __forceinline__ void for_each(F &&f)
    {
#pragma unroll
        for (int k = 0; k < POINTS; k++) {
            const uint32_t i = k * INDEPENDENT_THREADS + threadIdx.x;
            if (i < a.target.rows.n) f(k, i);
        }
    }

    __device__ __forceinline__ uint4 *own_counts() const { return reinterpret_cast<uint4 *>(sh.counts) + threadIdx.x; }

    /* Reads the points, makes the view, and finds the block's range of voxels. */
    __device__ __forceinline__ void read_points()
    {
        point_bounds extent;
        for_each([&](int k, uint32_t i) { bi_voxelgrid_read_row(a.target.rows, i, q[k]); });
        *own_counts() = {0, 0, 0, 0};
        if (threadIdx.x == 0) sh.points_before = 0;
        for_each([&](int k, uint32_t i) { extent.add(i, q[k]); });
        sh.store_warp_bounds(extent);
        __syncthreads(); /* bounds of all warps; zero counts */
        if (threadIdx.x < 32) sh.make_view(a, sh.reduce_block_bound());
        __syncthreads(); /* the view */
        const uint32_t share = (sh.entries + gridDim.x - 1) / gridDim.x;
        first = min(blockIdx.x * share, sh.entries);
        voxels = min(share, sh.entries - first);
    }

    /* Counts the points of each voxel of the range, and those in voxels before it. */
    __device__ __forceinline__ void count_points()
    {
        uint32_t points_before = 0;
        for_each([&](int k, uint32_t) {
            const uint32_t key = bi_voxelgrid_dense_key(sh.view, q[k]);
            voxel[k] = key - first < voxels ? key - first : (uint32_t)BLOCK_VOXELS;
            points_before += key < first;
            if (voxel[k] < BLOCK_VOXELS) rank[k] = atomicAdd(&sh.counts[voxel[k]], 1u);
        });
        points_before = bi_warp_sum(points_before);
        if (threadIdx.x % 32 == 0 && points_before > 0) atomicAdd(&sh.points_before, points_before);
        __syncthreads(); /* all counts */
    }

    /* Counts become positions. Reports the block's result; true if its points can be written. */
    __device__ __forceinline__ bool scan_voxels()
    {
        uint32_t total;
        *own_counts() = sh.scan_counts(*own_counts(), &total);
        if (threadIdx.x == 0) sh.counts[BLOCK_VOXELS] = total;
        __syncthreads(); /* prefixes and maxima of all warps */
        const bool fits = sh.fullest <= MAX_VOXEL_POINTS;
        if (threadIdx.x == 0) report_result(a, blockIdx.x, fits ? sh.entries : 0, sh.densest);
        return fits;
    }

    __device__ __forceinline__ void write_starts() const
    {
        uint32_t *const starts = a.target.starts + first;
        for (uint32_t k = threadIdx.x; k < voxels; k += INDEPENDENT_THREADS)
            starts[k] = sh.points_before + sh.counts[k];
        if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) starts[voxels] = (uint32_t)a.target.rows.n;
    }

    /* Writes the points, ordered by id within a voxel: each counts the smaller ids of its voxel. */
    __device__ __forceinline__ void write_points()
    {
        uint4 *const to = reinterpret_cast<uint4 *>(a.target.points) + sh.points_before;
        for_each([&](int k, uint32_t i) {
            if (voxel[k] < BLOCK_VOXELS) sh.ids[sh.counts[voxel[k]] + rank[k]] = (uint16_t)i;
        });
        __syncthreads(); /* all ids */
        for_each([&](int k, uint32_t i) {
            if (voxel[k] >= BLOCK_VOXELS) return;
            const uint32_t begin = sh.counts[voxel[k]], end = sh.counts[voxel[k] + 1];
            uint32_t at = begin;
            for (uint32_t other = begin; other < end; other++) at += sh.ids[other] < i;
            to[at] = {__float_as_uint(q[k][0]), __float_as_uint(q[k][1]), __float_as_uint(q[k][2]), i};
        });
    }
};

#endif
