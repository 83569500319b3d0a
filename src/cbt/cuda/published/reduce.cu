/* The sum reduction of the published heap (Dupuy 2020) on CUDA, in one cooperative launch: level by level from the bits
 * up, with a barrier of the grid after each. So a failure before the launch leaves the sums, and with them the tree, as
 * they were. */
#include "cbt/cuda/cbt.cuh"
#include "core/cuda/cooperative.cuh"

enum { THREADS = 256, BLOCKS_EACH = 4 /* blocks a multiprocessor: half of its threads, so that all are resident */ };

static __global__ void __launch_bounds__(THREADS) bi_cbt_reduce_heap(const bi_cbt_reduction a)
{
    const int64_t thread = blockIdx.x * (int64_t)THREADS + threadIdx.x, threads = gridDim.x * (int64_t)THREADS;
    const int32_t depth = a.view.depth;
    bi_grid_barrier barrier = {a.arrived, 0};
    for (int64_t word = thread; word < bi_cbt_bit_words(depth); word += threads) bi_cbt_change_bits(&a, word);
    bi_grid_sync(&barrier); /* all bits are set before they are summed */
    for (int32_t level = depth - 1; level >= 6; level--) {
        const bi_cbt_heap sums = bi_cbt_level_of(&a.view, level);
        for (int64_t i = thread; i < bi_cbt_level_words(depth, level); i += threads) bi_step_cbt_heap_level(&sums, i);
        bi_grid_sync(&barrier); /* this level is complete before the next one reads it */
    }
    if (thread == 0) bi_cbt_reduce_top(&a.view);
}

bosc_status bi_cbt_cuda_reduce_heap(bosc_ctx *ctx, const bi_cbt_reduction *a)
{
    unsigned grid;
    const int64_t need = bi_div_up(bi_cbt_bit_words(a->view.depth), THREADS);
    BI_TRY(ctx->backend->fill(ctx, a->arrived, 0, sizeof *a->arrived));
    BI_TRY(bi_cooperative_grid(ctx, bi_cbt_reduce_heap, THREADS, BLOCKS_EACH, &grid));
    if (need < grid) grid = (unsigned)need;
    return BI_RUN_COOPERATIVE(ctx, bi_cbt_reduce_heap, grid, THREADS, *a);
}
