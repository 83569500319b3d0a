/* The one-launch build of few points, by blocks of a cooperative launch: the phases between barriers of the grid. */
#ifndef BI_VOXELGRID_CUDA_BUILD_COOPERATIVE_CUH
#define BI_VOXELGRID_CUDA_BUILD_COOPERATIVE_CUH

#include "core/cuda/cooperative.cuh"
#include "voxelgrid/cuda/build_one_launch.cuh"

#ifdef BI_EMULATE
enum { COOPERATIVE_THREADS = 64 };
#else
enum { COOPERATIVE_THREADS = 512 };
#endif
enum { COOPERATIVE_WARPS = COOPERATIVE_THREADS / 32 };
enum { COOPERATIVE_VOXELS = 4 /* of a thread, a uint4: enough, as bi_voxelgrid_max_entries allows 4 a point */ };

struct cooperative_shared : build_shared<COOPERATIVE_WARPS> {
    uint32_t all_bounds[BOUNDS];
    uint32_t bases[COOPERATIVE_THREADS]; /* by block: points in voxels of earlier blocks */
};

/* State of a thread: one point, and four consecutive voxels. */
struct cooperative_build {
    const one_launch_build &a;
    cooperative_shared &sh;
    bi_grid_barrier barrier;
    int64_t i;
    bool has_point; /* i is below n */
    float q[BI_VOXELGRID_DIM];
    uint32_t voxel, rank, start, end; /* of the point: voxel, arrival rank in it, and its range of positions */
    uint4 exclusive_prefix;           /* of the thread's voxels, within the block */

    __device__ cooperative_build(const one_launch_build &args, cooperative_shared &shared)
        : a(args), sh(shared), barrier{&args.words->arrived, 0},
          i(blockIdx.x * (int64_t)COOPERATIVE_THREADS + threadIdx.x), has_point(i < args.target.rows.n), q{0, 0, 0},
          voxel(0), rank(0), start(0), end(0), exclusive_prefix{0, 0, 0, 0}
    {
        if (has_point) bi_voxelgrid_read_row(a.target.rows, i, q);
    }

    __device__ void sync_grid() { bi_grid_sync(&barrier); }
    __device__ uint4 *own_counts() const { return reinterpret_cast<uint4 *>(a.counts) + i; }

    /* Stores the block's bounds for the other blocks. */
    __device__ void publish_bounds() const
    {
        point_bounds extent;
        if (has_point) extent.add((uint32_t)i, q);
        sh.store_warp_bounds(extent);
        __syncthreads(); /* bounds of all warps */
        if (threadIdx.x >= 32) return;
        const uint32_t bound = sh.reduce_block_bound();
        if (threadIdx.x < BOUNDS) a.bounds[blockIdx.x * BOUNDS + threadIdx.x] = bound;
    }

    /* Reduces the bounds of all blocks, and makes the view. */
    __device__ void make_view() const
    {
        for (unsigned k = threadIdx.x / 32; k < BOUNDS; k += COOPERATIVE_WARPS) {
            uint32_t x = UINT32_MAX;
            for (unsigned b = threadIdx.x % 32; b < gridDim.x; b += 32) x = min(x, a.bounds[b * BOUNDS + k]);
            x = bi_warp_min(x);
            if (threadIdx.x % 32 == 0) sh.all_bounds[k] = x;
        }
        __syncthreads(); /* all_bounds */
        if (threadIdx.x < 32) sh.make_view(a, sh.all_bounds[threadIdx.x < BOUNDS ? threadIdx.x : 0]);
        __syncthreads(); /* the view */
    }

    __device__ void count_point()
    {
        if (!has_point) return;
        voxel = bi_voxelgrid_dense_key(sh.view, q);
        rank = atomicAdd(a.counts + voxel, 1u);
    }

    /* Scans the counts of the block's voxels, and updates the maxima of all. */
    __device__ void scan_voxels()
    {
        uint32_t total;
        *own_counts() = exclusive_prefix = sh.scan_counts(*own_counts(), &total);
        __syncthreads(); /* maxima of all warps */
        if (threadIdx.x > 0) return;
        a.sums[blockIdx.x] = total;
        atomicMax(&a.words->densest, sh.densest);
        atomicMax(&a.words->fullest, sh.fullest);
    }

    /* True if no voxel has too many points; block 0 reports the result. */
    __device__ bool check_fits() const
    {
        const uint32_t densest = bi_load_relaxed(&a.words->densest);
        const bool fits = bi_load_relaxed(&a.words->fullest) <= MAX_VOXEL_POINTS;
        if (blockIdx.x == 0 && threadIdx.x == 0) report_result(a, 0, fits ? sh.entries : 0, densest);
        return fits;
    }

    /* Position of the first point of voxel v. */
    __device__ uint32_t start_of(uint32_t v) const
    {
        if (v == sh.entries) return (uint32_t)a.target.rows.n;
        return sh.bases[v / (COOPERATIVE_THREADS * COOPERATIVE_VOXELS)] + a.counts[v];
    }

    /* Writes the starts of the thread's voxels, and the point's id into its voxel. */
    __device__ void write_id()
    {
        const uint32_t first = (uint32_t)i * COOPERATIVE_VOXELS, entries = sh.entries;
        uint32_t total;
        sh.bases[threadIdx.x] = bi_block_exclusive_sum<COOPERATIVE_WARPS>(
            threadIdx.x < gridDim.x ? a.sums[threadIdx.x] : 0, sh.warps, &total);
        __syncthreads(); /* bases of all blocks */
        const uint32_t base = sh.bases[blockIdx.x];
        const uint32_t starts[COOPERATIVE_VOXELS] = {base + exclusive_prefix.x, base + exclusive_prefix.y,
                                                     base + exclusive_prefix.z, base + exclusive_prefix.w};
#pragma unroll
        for (int k = 0; k < COOPERATIVE_VOXELS; k++)
            if (first + k < entries) a.target.starts[first + k] = starts[k];
        if (first == 0) a.target.starts[entries] = (uint32_t)a.target.rows.n;
        if (!has_point) return;
        start = start_of(voxel);
        end = start_of(voxel + 1);
        a.ids[start + rank] = (uint32_t)i;
    }

    /* Writes the point, ordered by id within its voxel. */
    __device__ void write_point() const
    {
        uint32_t at = start;
        for (uint32_t k = start; k < end; k++) at += a.ids[k] < (uint32_t)i;
        const uint4 point = {__float_as_uint(q[0]), __float_as_uint(q[1]), __float_as_uint(q[2]), (uint32_t)i};
        if (has_point) reinterpret_cast<uint4 *>(a.target.points)[at] = point;
    }
};

#endif
