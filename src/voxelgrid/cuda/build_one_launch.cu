/* Builds of few points in one launch: by independent blocks, or by a cooperative launch. The extent, and whether the
 * build succeeds, reach the host before the points are written. */
#include "core/cuda/cooperative.cuh"
#include "voxelgrid/cuda/build_one_launch.cuh"

/* --- By a cooperative launch -------------------------------------------------------------------------------------- */

/* The one-launch build of few points, by blocks of a cooperative launch: the phases between barriers of the grid. */

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

/* --- By independent blocks ---------------------------------------------------------------------------------------- */

/* The one-launch build of very few points, by blocks that never wait for each other: each reads all points, finds
 * the extent, and writes the points of its own range of voxels. */

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

/* --- Launches ----------------------------------------------------------------------------------------------------- */

/* Builds by independent blocks, POINTS points a thread. */
template <int POINTS>
static __global__ void __launch_bounds__(INDEPENDENT_THREADS, 1)
    bi_voxelgrid_build_independently(const one_launch_build a)
{
    BI_SHARED(independent_shared, sh);
    independent_build<POINTS> build(a, sh);
    /* 1. Points, view, and the range of voxels of the block. */
    build.read_points();
    if (sh.entries == 0) {
        if (threadIdx.x == 0) report_result(a, blockIdx.x, 0, 0);
        return;
    }
    /* 2. Counts and their scan; the host gets the result. */
    build.count_points();
    if (!build.scan_voxels()) return;
    /* 3. Starts and points. */
    build.write_starts();
    build.write_points();
}

/* Builds by a cooperative launch; sync_grid() makes the writes of all blocks visible to all. */
static __global__ void __launch_bounds__(COOPERATIVE_THREADS, 2)
    bi_voxelgrid_build_cooperatively(const one_launch_build a)
{
    BI_SHARED(cooperative_shared, sh);
    cooperative_build build(a, sh);
    /* 1. Bounds and view. */
    build.publish_bounds();
    build.sync_grid();
    build.make_view();
    if (sh.entries == 0) {
        if (blockIdx.x == 0 && threadIdx.x == 0) report_result(a, 0, 0, 0);
        return;
    }
    /* 2. Count the points of each voxel, and scan the counts. */
    build.count_point();
    build.sync_grid();
    build.scan_voxels();
    build.sync_grid();
    /* 3. Ids by voxel, then points by id. */
    if (!build.check_fits()) return;
    build.write_id();
    build.sync_grid();
    build.write_point();
}

static bosc_status launch_independent(bosc_ctx *ctx, unsigned blocks, const one_launch_build &a)
{
    const int64_t per_thread = bi_div_up(a.target.rows.n, INDEPENDENT_THREADS);
    if (per_thread <= 1) return BI_RUN(ctx, bi_voxelgrid_build_independently<1>, blocks, INDEPENDENT_THREADS, 0, a);
    if (per_thread <= 2) return BI_RUN(ctx, bi_voxelgrid_build_independently<2>, blocks, INDEPENDENT_THREADS, 0, a);
    if (per_thread <= 4) return BI_RUN(ctx, bi_voxelgrid_build_independently<4>, blocks, INDEPENDENT_THREADS, 0, a);
    return BI_RUN(ctx, bi_voxelgrid_build_independently<INDEPENDENT_POINTS>, blocks, INDEPENDENT_THREADS, 0, a);
}

static bosc_status launch_cooperative(bosc_ctx *ctx, unsigned blocks, one_launch_build &a)
{
    const int64_t voxels = COOPERATIVE_VOXELS * COOPERATIVE_THREADS * (int64_t)blocks;
    const size_t bytes = sizeof *a.words + (size_t)voxels * sizeof *a.counts;
    BI_TRY(bi_scratch_of(ctx, 1, bytes, &a.words));
    a.counts = reinterpret_cast<uint32_t *>(a.words + 1);
    BI_TRY(bi_scratch_of(ctx, blocks, BOUNDS * sizeof *a.bounds, &a.bounds));
    BI_TRY(bi_scratch_of(ctx, blocks, sizeof *a.sums, &a.sums));
    BI_TRY(bi_scratch_of(ctx, a.target.rows.n, sizeof *a.ids, &a.ids));
    BI_TRY(ctx->backend->fill(ctx, a.words, 0, bytes));
    return BI_RUN_COOPERATIVE(ctx, bi_voxelgrid_build_cooperatively, blocks, COOPERATIVE_THREADS, a);
}

/* The density in the words of all reporting blocks: most points in the voxels of a warp, divided by those voxels. 0
 * if a block failed. */
static void decode_density(const unsigned long long *host_words, int words, double *peak_density)
{
    const unsigned long long warp_voxels = 128; /* 32 threads of 4 voxels */
    uint32_t densest = 0;
    *peak_density = 0;
    for (int w = 0; w < words; w++) {
        const unsigned long long result = host_words[RESULT_WORDS + w] & ~READY_BIT,
                                 voxels = result >> RESULT_VOXEL_SHIFT;
        if (!voxels) {
            *peak_density = 0;
            return;
        }
        densest = densest > (uint32_t)result ? densest : (uint32_t)result;
        *peak_density = (double)densest / (double)(voxels < warp_voxels ? voxels : warp_voxels);
    }
}

bosc_status bi_cuda_voxelgrid_build_in_one_launch(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                                  uint64_t *found, double *peak_density)
{
    unsigned long long *host_words = static_cast<unsigned long long *>(ctx->pinned);
    /* 1. Choose the kernel by the number of points. */
    const bool independent = target->rows.n <= INDEPENDENT_POINTS * INDEPENDENT_THREADS;
    const unsigned blocks =
        (unsigned)bi_div_up(target->rows.n, independent ? (int)INDEPENDENT_THREADS : (int)COOPERATIVE_THREADS);
    const int words = independent ? (int)blocks : 1;
    unsigned limit = blocks;
    one_launch_build a = {};
    a.target = *target;
    a.host_words = host_words;
    *peak_density = 0;
    if (!independent)
        BI_TRY(bi_cooperative_grid(ctx, bi_voxelgrid_build_cooperatively, COOPERATIVE_THREADS, 2, &limit));
    /* 2. Blocks of a cooperative launch must all be resident; otherwise only the extent is found. */
    if (blocks > limit) return bi_cuda_voxelgrid_extent(ctx, &target->rows, found);
    /* 3. Launch, and wait for the reported words alone. */
    for (int k = 0; k < RESULT_WORDS + words; k++) host_words[k] = 0;
    BI_TRY(independent ? launch_independent(ctx, blocks, a) : launch_cooperative(ctx, blocks, a));
    BI_TRY(bi_cuda_await(ctx, host_words, RESULT_WORDS + words));
    decode_extent(host_words, target->view.dim, found);
    decode_density(host_words, words, peak_density);
    return BOSC_OK;
}
