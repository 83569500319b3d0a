/* The table of pools of bisectors on CUDA: steps, and an update in one cooperative launch: marks, counts with offsets,
 * and the new leaves, with barriers of the grid between. Offsets are scanned within tiles of leaves. Each block scans
 * the sums of all tiles in its shared memory and adds the tile's base on the fly, so the global scan takes no further
 * pass over the leaves. */
#define BI_STEP_ROOM bisector

#include "core/cuda/steps.cuh"
#include "bisector/steps/steps.h"
#include "core/cuda/cooperative.cuh"
#include "core/cuda/warp.cuh"

/* Words of a pool's exchange memory: the counter of the grid barrier, two for alternating updates; the number of new
 * leaves of each tile. */
enum { BI_BISECTOR_ARRIVED = 0, BI_BISECTOR_SUMS = 2, BI_BISECTOR_TILES = 1024 };
enum { BI_BISECTOR_EXCHANGE_BYTES = 4 * (BI_BISECTOR_SUMS + BI_BISECTOR_TILES) };

/* Larger pools use separate steps, between which a call can be cancelled. The limit is not measured. */
enum { BI_BISECTOR_UPDATE_MAX_LEAVES = 1 << 25 };

#ifdef BI_EMULATE /* tests: small pools have many tiles of more than one row of threads */
enum { THREADS = 32, MAX_TILES = 64, BLOCKS_EACH = 1 };
#else
enum { THREADS = 512, MAX_TILES = 1024, BLOCKS_EACH = 2 /* blocks a multiprocessor: half of its threads */ };
#endif
enum { WARPS = THREADS / 32, TILES_EACH = MAX_TILES / THREADS };
static_assert((int)MAX_TILES <= (int)BI_BISECTOR_TILES && MAX_TILES % THREADS == 0, "tiles");

struct update_args {
    bi_bisector_update u;
    uint32_t *leaves; /* pinned host memory: the number of new leaves */
    int32_t shift;    /* a tile has 2^shift leaves */
    int64_t tiles;
};

struct update_shared {
    uint32_t warps[WARPS], bases[MAX_TILES];
};

/* Counts the new leaves of a tile and scans them within it; stores the tile's sum. */
static __device__ void scan_tile(const update_args &args, uint32_t *warps, int64_t tile)
{
    const bi_bisector_change &a = args.u.change;
    const int64_t begin = tile << args.shift, next = begin + ((int64_t)1 << args.shift),
                  end = next < a.view.leaves ? next : a.view.leaves;
    uint32_t exclusive_prefix = 0;
    for (int64_t row = begin; row < end; row += THREADS) {
        const int64_t leaf = row + threadIdx.x;
        uint32_t total;
        const uint32_t count = leaf < end ? bi_bisector_count(&a, leaf) : 0;
        const uint32_t prefix = bi_block_exclusive_sum<WARPS>(count, warps, &total);
        if (leaf < end) a.offsets[leaf] = exclusive_prefix + prefix;
        exclusive_prefix += total;
        __syncthreads(); /* `warps` is reused by the next row */
    }
    if (threadIdx.x == 0) args.u.exchange[BI_BISECTOR_SUMS + tile] = exclusive_prefix;
}

/* Scans the sums of tiles into sh.bases; returns the total. */
static __device__ uint32_t scan_tile_sums(const update_args &args, update_shared &sh)
{
    const int64_t first = (int64_t)threadIdx.x * TILES_EACH;
    uint32_t own = 0, total;
    for (int64_t t = first; t < first + TILES_EACH; t++)
        if (t < args.tiles) own += args.u.exchange[BI_BISECTOR_SUMS + t];
    uint32_t exclusive_prefix = bi_block_exclusive_sum<WARPS>(own, sh.warps, &total);
    for (int64_t t = first; t < first + TILES_EACH; t++) {
        sh.bases[t] = exclusive_prefix;
        if (t < args.tiles) exclusive_prefix += args.u.exchange[BI_BISECTOR_SUMS + t];
    }
    __syncthreads(); /* bases of all threads */
    return total;
}

/* Writes the new leaves, clears their marks, and writes -1 to sources beyond them. */
static __device__ void write_all(const bi_bisector_change &a, uint32_t *next_marks, uint32_t total, int64_t thread,
                                 int64_t threads)
{
    for (int64_t i = thread; i < total; i += threads) next_marks[i] = 0;
    for (int64_t leaf = thread; leaf < a.view.leaves; leaf += threads) bi_step_write(&a, leaf);
    const bool fills = a.sources && !a.new_sources_only;
    for (int64_t i = total + thread; fills && i < a.capacity; i += threads) a.sources[i] = -1;
}

/* Marks, counts and writes all leaves in one launch. A leaf becomes 0 to 4 leaves; counting also marks merged leaves,
 * which the write reads. The grid is cooperative, and the barrier's word of this parity is 0 before. Marks that earlier
 * calls have recorded apply too. If the new leaves exceed next_capacity, none is written, and no source. */
static __global__ void __launch_bounds__(THREADS) bi_bisector_update_all(const update_args args)
{
    BI_SHARED(update_shared, sh);
    bi_bisector_change a = args.u.change;
    const int64_t thread = blockIdx.x * (int64_t)THREADS + threadIdx.x, threads = gridDim.x * (int64_t)THREADS;
    bi_grid_barrier barrier = {args.u.exchange + BI_BISECTOR_ARRIVED + args.u.parity, 0};
    /* 1. Reset the barrier of the next update; clear the marks unless the previous update did. */
    if (thread == 0) args.u.exchange[BI_BISECTOR_ARRIVED + 1 - args.u.parity] = 0;
    if (args.u.marks_unset) {
        for (int64_t leaf = thread; leaf < a.view.leaves; leaf += threads) a.marks[leaf] = 0;
        bi_grid_sync(&barrier); /* all marks are 0 */
    }
    /* 2. Commands become marks. */
    for (int64_t i = thread; i < args.u.command_count; i += threads) bi_step_mark(&args.u.mark, i);
    bi_grid_sync(&barrier); /* all marks are set */
    /* 3. Counts and offsets. */
    for (int64_t tile = blockIdx.x; tile < args.tiles; tile += gridDim.x) scan_tile(args, sh.warps, tile);
    bi_grid_sync(&barrier); /* offsets, and sums of all tiles */
    const uint32_t total = scan_tile_sums(args, sh);
    a.bases = sh.bases;
    a.base_shift = args.shift;
    if (thread == 0) *args.leaves = total;
    /* 4. The new leaves if they fit; else global offsets, for the step `write`. */
    if (total <= args.u.next_capacity)
        write_all(a, args.u.next_marks, total, thread, threads);
    else
        for (int64_t leaf = thread; leaf < a.view.leaves; leaf += threads)
            a.offsets[leaf] += sh.bases[leaf >> args.shift];
}

static bosc_status update_in_one_launch(bosc_ctx *ctx, bi_bisector_update *u, uint32_t *leaves)
{
    update_args args = {*u, (uint32_t *)ctx->pinned, 0, 0};
    const int64_t n = u->change.view.leaves;
    unsigned grid;
    /* The smallest tiles of THREADS leaves or more, at most MAX_TILES of them. */
    while ((int64_t)1 << args.shift < THREADS || bi_div_up(n, (int64_t)1 << args.shift) > MAX_TILES) args.shift++;
    args.tiles = bi_div_up(n, (int64_t)1 << args.shift);
    BI_TRY(bi_cooperative_grid(ctx, bi_bisector_update_all, THREADS, BLOCKS_EACH, &grid));
    if (args.tiles < grid) grid = (unsigned)args.tiles;
    BI_TRY(BI_RUN_COOPERATIVE(ctx, bi_bisector_update_all, grid, THREADS, args));
    u->parity ^= 1;
    BI_TRY(ctx->backend->sync(ctx));
    *leaves = *(uint32_t *)ctx->pinned;
    return BOSC_OK;
}

/* ---- the table ---- */

#define STEP_LIST "bisector/steps/steps.def"
#define STEP_TABLE static const bi_bisector_steps cuda_steps
#include "core/step_table.inc"

extern "C" const bi_bisector_ops bi_bisector_ops_cuda = {&cuda_steps, BI_BISECTOR_EXCHANGE_BYTES, update_in_one_launch,
                                                         BI_BISECTOR_UPDATE_MAX_LEAVES};
