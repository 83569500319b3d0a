/* Builds of few points by blocks that run together: what they do between barriers. */
#ifndef BI_VOXELGRID_CUDA_JOINT_CUH
#define BI_VOXELGRID_CUDA_JOINT_CUH

#include "core/cuda/cooperative.cuh"
#include "voxelgrid/cuda/small.cuh"

#ifdef BI_EMULATE
enum { JOINT_THREADS = 64 };
#else
enum { JOINT_THREADS = 512 };
#endif
enum { JOINT_WARPS = JOINT_THREADS / 32, EACH_JOINT_VOXEL = 4 /* of a thread */ };

struct joint_place_shared : small_place_shared<JOINT_WARPS> {
    uint32_t all_edges[EDGES];
    uint32_t bases[JOINT_THREADS]; /* by block: points in voxels of those before it */
};

/* The part of a thread: a point, and voxels beside each other. */
struct joint_place {
    const small_place &a;
    joint_place_shared &sh;
    bi_grid_barrier barrier;
    int64_t i;
    bool is; /* there is a point i */
    float q[BI_VOXELGRID_DIM];
    uint32_t voxel, rank, start, end; /* of the point: its voxel, and where that begins and ends */
    uint4 before;                     /* of the thread's voxels: points in those of the block that come before */

    __device__ joint_place(const small_place &args, joint_place_shared &shared)
        : a(args), sh(shared), barrier{&args.words->arrived, 0}, i(blockIdx.x * (int64_t)JOINT_THREADS + threadIdx.x),
          is(i < args.place.rows.n), q{0, 0, 0}, voxel(0), rank(0), start(0), end(0), before{0, 0, 0, 0}
    {
        if (is) bi_voxelgrid_read_row(a.place.rows, i, q);
    }

    __device__ void meet() { bi_grid_sync(&barrier); }
    __device__ uint4 *own_counts() const { return reinterpret_cast<uint4 *>(a.counts) + i; }

    /* Tells other blocks of the edges of this one. */
    __device__ void find_edges() const
    {
        small_place_extent extent;
        if (is) extent.add((uint32_t)i, q);
        sh.set_edges(extent);
        __syncthreads();
        if (threadIdx.x >= 32) return;
        const uint32_t edge = sh.joined_edge();
        if (threadIdx.x < EDGES) a.edges[blockIdx.x * EDGES + threadIdx.x] = edge;
    }

    /* Makes the view of all blocks' edges. */
    __device__ void make_view() const
    {
        for (unsigned k = threadIdx.x / 32; k < EDGES; k += JOINT_WARPS) {
            uint32_t x = UINT32_MAX;
            for (unsigned b = threadIdx.x % 32; b < gridDim.x; b += 32) x = min(x, a.edges[b * EDGES + k]);
            x = bi_warp_least(x);
            if (threadIdx.x % 32 == 0) sh.all_edges[k] = x;
        }
        __syncthreads();
        if (threadIdx.x < 32) sh.make_view(a, sh.all_edges[threadIdx.x < EDGES ? threadIdx.x : 0]);
        __syncthreads();
    }

    __device__ void count_point()
    {
        if (!is) return;
        voxel = bi_voxelgrid_dense_key(sh.view, q);
        rank = atomicAdd(a.counts + voxel, 1u);
    }

    /* Adds up the voxels of the block, and finds where most points are. */
    __device__ void add_up()
    {
        uint32_t total;
        *own_counts() = before = sh.add_up(*own_counts(), &total);
        __syncthreads();
        if (threadIdx.x > 0) return;
        a.sums[blockIdx.x] = total;
        atomicMax(&a.words->most, sh.most);
        atomicMax(&a.words->largest, sh.largest);
    }

    /* Whether no voxel has too many points; the host is told. */
    __device__ bool may_place() const
    {
        const uint32_t most = bi_load_relaxed(&a.words->most);
        const bool may = bi_load_relaxed(&a.words->largest) <= SMALL_CROWD;
        if (blockIdx.x == 0 && threadIdx.x == 0) tell_done(a, 0, may ? sh.entries : 0, most);
        return may;
    }

    __device__ uint32_t start_of(uint32_t v) const
    {
        if (v == sh.entries) return (uint32_t)a.place.rows.n;
        return sh.bases[v / (JOINT_THREADS * EACH_JOINT_VOXEL)] + a.counts[v];
    }

    /* Writes where voxels start, and puts the id into the voxel. */
    __device__ void place_id()
    {
        const uint32_t first = (uint32_t)i * EACH_JOINT_VOXEL, entries = sh.entries;
        uint32_t total;
        sh.bases[threadIdx.x] =
            bi_block_exclusive_sum<JOINT_WARPS>(threadIdx.x < gridDim.x ? a.sums[threadIdx.x] : 0, sh.warps, &total);
        __syncthreads();
        const uint32_t base = sh.bases[blockIdx.x];
        const uint32_t starts[EACH_JOINT_VOXEL] = {base + before.x, base + before.y, base + before.z, base + before.w};
#pragma unroll
        for (int k = 0; k < EACH_JOINT_VOXEL; k++)
            if (first + k < entries) a.place.starts[first + k] = starts[k];
        if (first == 0) a.place.starts[entries] = (uint32_t)a.place.rows.n;
        if (!is) return;
        start = start_of(voxel);
        end = start_of(voxel + 1);
        a.ids[start + rank] = (uint32_t)i;
    }

    /* The point goes to where its id is in order. */
    __device__ void place_point() const
    {
        uint32_t at = start;
        for (uint32_t k = start; k < end; k++) at += a.ids[k] < (uint32_t)i;
        const uint4 point = {__float_as_uint(q[0]), __float_as_uint(q[1]), __float_as_uint(q[2]), (uint32_t)i};
        if (is) reinterpret_cast<uint4 *>(a.place.points)[at] = point;
    }
};

#endif
