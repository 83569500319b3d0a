/* Builds of few points in one launch, of one block or of blocks that run together. The host is told of the extent, and
 * whether points are placed, before they are. */
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/cuda/small.cuh"

#ifdef BI_EMULATE
enum { GRID_THREADS = 32, BLOCK_THREADS = 64 };
#else
enum { GRID_THREADS = 512, BLOCK_THREADS = 1024 };
#endif

template <int THREADS, bool ONE>
static __global__ void __launch_bounds__(THREADS, ONE ? 1 : 2) bi_voxelgrid_place_few(const small_args a)
{
    typedef small_shared<THREADS, ONE> shared;
    BI_SHARED(shared, sh);
    small_build<THREADS, ONE> build(a, sh);
    build.find_edges();
    build.meet();
    build.make_view();
    if (sh.entries == 0) {
        tell(a, 0, 0);
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

/* The two kernels: of one block, and of blocks that run together. */
static constexpr auto place_by_block = bi_voxelgrid_place_few<BLOCK_THREADS, true>;
static constexpr auto place_by_grid = bi_voxelgrid_place_few<GRID_THREADS, false>;

static bosc_status run_grid(bosc_ctx *ctx, unsigned blocks, small_args *a)
{
    const int64_t voxels = 4 * GRID_THREADS * (int64_t)blocks;
    const size_t bytes = sizeof *a->words + (size_t)voxels * sizeof *a->counts;
    BI_TRY(bi_scratch_of(ctx, 1, bytes, &a->words));
    a->counts = reinterpret_cast<uint32_t *>(a->words + 1);
    BI_TRY(bi_scratch_of(ctx, blocks, EDGES * sizeof *a->edges, &a->edges));
    BI_TRY(bi_scratch_of(ctx, blocks, sizeof *a->sums, &a->sums));
    BI_TRY(bi_scratch_of(ctx, a->place.rows.n, sizeof *a->ids, &a->ids));
    BI_TRY(ctx->backend->fill(ctx, a->words, 0, bytes));
    return BI_RUN_COOPERATIVE(ctx, place_by_grid, blocks, GRID_THREADS, *a);
}

bosc_status bi_cuda_voxelgrid_place_small(bosc_ctx *ctx, const bi_voxelgrid_place *place, uint64_t *found,
                                          double *crowd)
{
    const unsigned long long near = 128; /* voxels of a warp */
    unsigned long long *told = static_cast<unsigned long long *>(ctx->pinned);
    const bool one = place->rows.n <= BLOCK_THREADS;
    const unsigned blocks = (unsigned)bi_div_up(place->rows.n, GRID_THREADS);
    uint32_t least[EDGES];
    unsigned most = blocks;
    small_args a = {};
    a.place = *place;
    a.told = told;
    *crowd = 0;
    if (!one) BI_TRY(bi_cooperative_grid(ctx, place_by_grid, GRID_THREADS, 2, &most));
    if (blocks > most) return bi_cuda_voxelgrid_extent(ctx, &place->rows, found);
    for (int k = 0; k < TOLD_WORDS; k++) told[k] = 0;
    BI_TRY(one ? BI_RUN(ctx, place_by_block, 1, BLOCK_THREADS, 0, a) : run_grid(ctx, blocks, &a));
    BI_TRY(bi_cuda_await(ctx, told, TOLD_WORDS));
    for (int k = 0; k < EDGES; k++) least[k] = (uint32_t)told[TOLD_EDGES + k];
    found_of(least, place->view.dim, found);
    const unsigned long long done = told[TOLD_DONE] & ~TOLD, voxels = done >> TOLD_VOXELS;
    if (voxels) *crowd = (double)(uint32_t)done / (double)(voxels < near ? voxels : near);
    return BOSC_OK;
}
