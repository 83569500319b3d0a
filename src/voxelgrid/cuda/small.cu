/* Builds of few points in one launch, of blocks by themselves or of blocks that run together. The host is told of the
 * extent, and whether points are placed, before they are. */
#include "voxelgrid/cuda/few.cuh"
#include "voxelgrid/cuda/joint.cuh"

template <int POINTS>
static __global__ void __launch_bounds__(FEW_THREADS, 1) bi_voxelgrid_place_few(const small_place a)
{
    BI_SHARED(few_place_shared, sh);
    few_place<POINTS> build(a, sh);
    build.read_points();
    if (sh.entries == 0) {
        if (threadIdx.x == 0) tell_done(a, blockIdx.x, 0, 0);
        return;
    }
    build.count_points();
    if (!build.add_up()) return;
    build.write_starts();
    build.place_points();
}

static __global__ void __launch_bounds__(JOINT_THREADS, 2) bi_voxelgrid_place_jointly(const small_place a)
{
    BI_SHARED(joint_place_shared, sh);
    joint_place build(a, sh);
    build.find_edges();
    build.meet();
    build.make_view();
    if (sh.entries == 0) {
        if (blockIdx.x == 0 && threadIdx.x == 0) tell_done(a, 0, 0, 0);
        return;
    }
    build.count_point();
    build.meet();
    build.add_up();
    build.meet();
    if (!build.may_place()) return;
    build.place_id();
    build.meet();
    build.place_point();
}

static bosc_status run_few(bosc_ctx *ctx, unsigned blocks, const small_place &a)
{
    const int64_t each = bi_div_up(a.place.rows.n, FEW_THREADS);
    if (each <= 1) return BI_RUN(ctx, bi_voxelgrid_place_few<1>, blocks, FEW_THREADS, 0, a);
    if (each <= 2) return BI_RUN(ctx, bi_voxelgrid_place_few<2>, blocks, FEW_THREADS, 0, a);
    if (each <= 4) return BI_RUN(ctx, bi_voxelgrid_place_few<4>, blocks, FEW_THREADS, 0, a);
    return BI_RUN(ctx, bi_voxelgrid_place_few<FEW_POINTS>, blocks, FEW_THREADS, 0, a);
}

static bosc_status run_jointly(bosc_ctx *ctx, unsigned blocks, small_place &a)
{
    const int64_t voxels = EACH_JOINT_VOXEL * JOINT_THREADS * (int64_t)blocks;
    const size_t bytes = sizeof *a.words + (size_t)voxels * sizeof *a.counts;
    BI_TRY(bi_scratch_of(ctx, 1, bytes, &a.words));
    a.counts = reinterpret_cast<uint32_t *>(a.words + 1);
    BI_TRY(bi_scratch_of(ctx, blocks, EDGES * sizeof *a.edges, &a.edges));
    BI_TRY(bi_scratch_of(ctx, blocks, sizeof *a.sums, &a.sums));
    BI_TRY(bi_scratch_of(ctx, a.place.rows.n, sizeof *a.ids, &a.ids));
    BI_TRY(ctx->backend->fill(ctx, a.words, 0, bytes));
    return BI_RUN_COOPERATIVE(ctx, bi_voxelgrid_place_jointly, blocks, JOINT_THREADS, a);
}

/* The crowd that the host was told of by `words`, 0 if points are not placed. */
static void read_told_crowd(const unsigned long long *told, int words, double *crowd)
{
    const unsigned long long near = 128; /* voxels of a warp */
    uint32_t most = 0;
    *crowd = 0;
    for (int w = 0; w < words; w++) {
        const unsigned long long done = told[TOLD_DONE + w] & ~TOLD, voxels = done >> TOLD_VOXELS;
        if (!voxels) {
            *crowd = 0;
            return;
        }
        most = most > (uint32_t)done ? most : (uint32_t)done;
        *crowd = (double)most / (double)(voxels < near ? voxels : near);
    }
}

bosc_status bi_cuda_voxelgrid_place_small(bosc_ctx *ctx, const bi_voxelgrid_place *place, uint64_t *found,
                                          double *crowd)
{
    unsigned long long *told = static_cast<unsigned long long *>(ctx->pinned);
    const bool few = place->rows.n <= FEW_POINTS * FEW_THREADS;
    const unsigned blocks = (unsigned)bi_div_up(place->rows.n, few ? (int)FEW_THREADS : (int)JOINT_THREADS);
    const int words = few ? (int)blocks : 1;
    unsigned most = blocks;
    small_place a = {};
    a.place = *place;
    a.told = told;
    *crowd = 0;
    if (!few) BI_TRY(bi_cooperative_grid(ctx, bi_voxelgrid_place_jointly, JOINT_THREADS, 2, &most));
    if (blocks > most) return bi_cuda_voxelgrid_extent(ctx, &place->rows, found);
    for (int k = 0; k < TOLD_DONE + words; k++) told[k] = 0;
    BI_TRY(few ? run_few(ctx, blocks, a) : run_jointly(ctx, blocks, a));
    BI_TRY(bi_cuda_await(ctx, told, TOLD_DONE + words));
    read_told_extent(told, place->view.dim, found);
    read_told_crowd(told, words, crowd);
    return BOSC_OK;
}
