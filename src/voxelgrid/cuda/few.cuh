/* Builds of very few points by blocks that need not wait for each other: each reads all points, finds the extent, and
 * places the points of a range of voxels. */
#ifndef BI_VOXELGRID_CUDA_FEW_CUH
#define BI_VOXELGRID_CUDA_FEW_CUH

#include "voxelgrid/cuda/small.cuh"

#ifdef BI_EMULATE
enum { FEW_THREADS = 64, FEW_POINTS = 2 };
#else
enum { FEW_THREADS = 1024, FEW_POINTS = 8 /* of a thread, at most, and as many blocks */ };
#endif
enum { FEW_WARPS = FEW_THREADS / 32, EACH_VOXEL = 4 /* of a thread */, RANGE = EACH_VOXEL * FEW_THREADS };

struct few_place_shared : small_place_shared<FEW_WARPS> {
    alignas(16) uint32_t counts[RANGE + 1]; /* by voxel of the range; then where it begins */
    uint16_t ids[FEW_POINTS * FEW_THREADS];
    uint32_t below; /* points in voxels before the range */
};

template <int POINTS> struct few_place {
    const small_place &a;
    few_place_shared &sh;
    uint32_t first, voxels; /* the block's range */
    float q[POINTS][BI_VOXELGRID_DIM];
    uint32_t voxel[POINTS]; /* in the range, RANGE and more: elsewhere */
    uint32_t rank[POINTS];

    __device__ few_place(const small_place &args, few_place_shared &shared) : a(args), sh(shared) {}

    /* Calls f(k, i) for the thread's points i. */
    template <class F> __device__ __forceinline__ void each(F &&f)
    {
#pragma unroll
        for (int k = 0; k < POINTS; k++) {
            const uint32_t i = k * FEW_THREADS + threadIdx.x;
            if (i < a.place.rows.n) f(k, i);
        }
    }

    __device__ __forceinline__ uint4 *own_counts() const { return reinterpret_cast<uint4 *>(sh.counts) + threadIdx.x; }

    /* Reads the points, and finds the range. */
    __device__ __forceinline__ void read_points()
    {
        small_place_extent extent;
        each([&](int k, uint32_t i) { bi_voxelgrid_read_row(a.place.rows, i, q[k]); });
        *own_counts() = {0, 0, 0, 0};
        if (threadIdx.x == 0) sh.below = 0;
        each([&](int k, uint32_t i) { extent.add(i, q[k]); });
        sh.set_edges(extent);
        __syncthreads();
        if (threadIdx.x < 32) sh.make_view(a, sh.joined_edge());
        __syncthreads();
        const uint32_t share = (sh.entries + gridDim.x - 1) / gridDim.x;
        first = min(blockIdx.x * share, sh.entries);
        voxels = min(share, sh.entries - first);
    }

    __device__ __forceinline__ void count_points()
    {
        uint32_t below = 0;
        each([&](int k, uint32_t) {
            const uint32_t key = bi_voxelgrid_dense_key(sh.view, q[k]);
            voxel[k] = key - first < voxels ? key - first : (uint32_t)RANGE;
            below += key < first;
            if (voxel[k] < RANGE) rank[k] = atomicAdd(&sh.counts[voxel[k]], 1u);
        });
        below = bi_warp_sum(below);
        if (threadIdx.x % 32 == 0 && below > 0) atomicAdd(&sh.below, below);
        __syncthreads();
    }

    /* Counts become positions, and the host is told how many points there are at most. Whether they may be placed. */
    __device__ __forceinline__ bool add_up()
    {
        uint32_t total;
        *own_counts() = sh.add_up(*own_counts(), &total);
        if (threadIdx.x == 0) sh.counts[RANGE] = total;
        __syncthreads();
        const bool may = sh.largest <= SMALL_CROWD;
        if (threadIdx.x == 0) tell_done(a, blockIdx.x, may ? sh.entries : 0, sh.most);
        return may;
    }

    __device__ __forceinline__ void write_starts() const
    {
        uint32_t *const starts = a.place.starts + first;
        for (uint32_t k = threadIdx.x; k < voxels; k += FEW_THREADS) starts[k] = sh.below + sh.counts[k];
        if (blockIdx.x + 1 == gridDim.x && threadIdx.x == 0) starts[voxels] = (uint32_t)a.place.rows.n;
    }

    /* Points go to where their ids are in order. */
    __device__ __forceinline__ void place_points()
    {
        uint4 *const to = reinterpret_cast<uint4 *>(a.place.points) + sh.below;
        each([&](int k, uint32_t i) {
            if (voxel[k] < RANGE) sh.ids[sh.counts[voxel[k]] + rank[k]] = (uint16_t)i;
        });
        __syncthreads();
        each([&](int k, uint32_t i) {
            if (voxel[k] >= RANGE) return;
            const uint32_t begin = sh.counts[voxel[k]], end = sh.counts[voxel[k] + 1];
            uint32_t at = begin;
            for (uint32_t other = begin; other < end; other++) at += sh.ids[other] < i;
            to[at] = {__float_as_uint(q[k][0]), __float_as_uint(q[k][1]), __float_as_uint(q[k][2]), i};
        });
    }
};

#endif
