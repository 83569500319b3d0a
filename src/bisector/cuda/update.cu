/* An update of a pool in one launch: marks, how many leaves each leaf becomes, their places, and the new leaves, with a
 * barrier of the grid between. Places are those within a tile of leaves, to which each block adds the sums of the tiles
 * before, as all blocks have them in shared memory; so no pass goes over the leaves for them. */
#include "bisector/cuda/update.cuh"
#include "core/cuda/cooperative.cuh"
#include "core/cuda/warp.cuh"

#ifdef BI_EMULATE /* small pools should have many tiles, of more than one row of threads */
enum { THREADS = 32, MOST_TILES = 64, BLOCKS_EACH = 1 };
#else
enum { THREADS = 512, MOST_TILES = 1024, BLOCKS_EACH = 2 /* of a multiprocessor */ };
#endif
enum { WARPS = THREADS / 32, EACH = MOST_TILES / THREADS };
static_assert((int)MOST_TILES <= (int)BI_BISECTOR_TILES && MOST_TILES % THREADS == 0, "tiles");

struct update_args {
    bi_bisector_update u;
    uint32_t *leaves; /* how many there are then */
    int32_t shift;    /* a tile has 2^shift leaves */
    int64_t tiles;
};

struct update_shared {
    uint32_t warps[WARPS], bases[MOST_TILES];
};

/* The places within a tile, whose sum becomes the tile's. */
static __device__ void place_tile(const update_args &args, uint32_t *warps, int64_t tile)
{
    const bi_bisector_change &a = args.u.change;
    const int64_t begin = tile << args.shift, next = begin + ((int64_t)1 << args.shift),
                  end = next < a.view.leaves ? next : a.view.leaves;
    uint32_t before = 0;
    for (int64_t row = begin; row < end; row += THREADS) {
        const int64_t leaf = row + threadIdx.x;
        uint32_t total;
        const uint32_t count = leaf < end ? bi_bisector_count(&a, leaf) : 0;
        const uint32_t place = bi_block_exclusive_sum<WARPS>(count, warps, &total);
        if (leaf < end) a.offsets[leaf] = before + place;
        before += total;
        __syncthreads();
    }
    if (threadIdx.x == 0) args.u.exchange[BI_BISECTOR_SUMS + tile] = before;
}

/* The sums of tiles become those of the tiles before; returns that of all. */
static __device__ uint32_t sum_tiles(const update_args &args, update_shared &sh)
{
    const int64_t first = (int64_t)threadIdx.x * EACH;
    uint32_t own = 0, total;
    for (int64_t t = first; t < first + EACH; t++)
        if (t < args.tiles) own += args.u.exchange[BI_BISECTOR_SUMS + t];
    uint32_t before = bi_block_exclusive_sum<WARPS>(own, sh.warps, &total);
    for (int64_t t = first; t < first + EACH; t++) {
        sh.bases[t] = before;
        if (t < args.tiles) before += args.u.exchange[BI_BISECTOR_SUMS + t];
    }
    __syncthreads();
    return total;
}

/* The new leaves, without marks, and no sources behind them. */
static __device__ void write_all(const bi_bisector_change &a, uint32_t *spare, uint32_t total, int64_t thread,
                                 int64_t threads)
{
    for (int64_t i = thread; i < total; i += threads) spare[i] = 0;
    for (int64_t leaf = thread; leaf < a.view.leaves; leaf += threads) bi_step_write(&a, leaf);
    for (int64_t i = total + thread; a.sources && i < a.capacity; i += threads) a.sources[i] = -1;
}

static __global__ void __launch_bounds__(THREADS) bi_bisector_update_all(const update_args args)
{
    BI_SHARED(update_shared, sh);
    bi_bisector_change a = args.u.change;
    const int64_t thread = blockIdx.x * (int64_t)THREADS + threadIdx.x, threads = gridDim.x * (int64_t)THREADS;
    bi_grid_barrier barrier = {args.u.exchange + BI_BISECTOR_ARRIVED + args.u.turn, 0};
    if (thread == 0) args.u.exchange[BI_BISECTOR_ARRIVED + 1 - args.u.turn] = 0;
    if (args.u.fresh) {
        for (int64_t leaf = thread; leaf < a.view.leaves; leaf += threads) a.marks[leaf] = 0;
        bi_grid_sync(&barrier);
    }
    for (int64_t i = thread; i < args.u.command_count; i += threads) bi_step_mark(&args.u.mark, i);
    bi_grid_sync(&barrier);
    for (int64_t tile = blockIdx.x; tile < args.tiles; tile += gridDim.x) place_tile(args, sh.warps, tile);
    bi_grid_sync(&barrier);
    const uint32_t total = sum_tiles(args, sh);
    a.bases = sh.bases;
    a.base_shift = args.shift;
    if (thread == 0) *args.leaves = total;
    if (total <= args.u.room)
        write_all(a, args.u.spare, total, thread, threads);
    else
        for (int64_t leaf = thread; leaf < a.view.leaves; leaf += threads)
            a.offsets[leaf] += sh.bases[leaf >> args.shift];
}

bosc_status bi_bisector_cuda_update(bosc_ctx *ctx, bi_bisector_update *u, uint32_t *leaves)
{
    update_args args = {*u, (uint32_t *)ctx->pinned, 0, 0};
    const int64_t n = u->change.view.leaves;
    unsigned grid;
    while ((int64_t)1 << args.shift < THREADS || bi_div_up(n, (int64_t)1 << args.shift) > MOST_TILES) args.shift++;
    args.tiles = bi_div_up(n, (int64_t)1 << args.shift);
    BI_TRY(bi_cooperative_grid(ctx, bi_bisector_update_all, THREADS, BLOCKS_EACH, &grid));
    if (args.tiles < grid) grid = (unsigned)args.tiles;
    BI_TRY(BI_RUN_COOPERATIVE(ctx, bi_bisector_update_all, grid, THREADS, args));
    u->turn ^= 1;
    BI_TRY(ctx->backend->sync(ctx));
    *leaves = *(uint32_t *)ctx->pinned;
    return BOSC_OK;
}
