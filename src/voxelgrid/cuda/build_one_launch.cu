/* Builds of few points in one launch: by independent blocks, or by a cooperative launch. The extent, and whether the
 * build succeeds, reach the host before the points are written. */
#include "voxelgrid/cuda/build_independent_blocks.cuh"
#include "voxelgrid/cuda/build_cooperative.cuh"

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
