/* All pairs of a published trie with a chosen launch: a thread looks up a key with each letter replaced. Source:
 * Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015). */
#include "core/cuda/launch.cuh"
#include "trie/steps/steps.h"

/* The step trie_pairs for keys begin to end - 1. */
static __global__ void bi_trie_lookup_pairs(const bi_trie_pairs a, int64_t begin, int64_t end)
{
    /* A grid-stride loop, as the launch is the caller's choice. */
    int64_t k = begin + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    for (; k < end; k += (int64_t)gridDim.x * blockDim.x) bi_step_trie_pairs(&a, k);
}

extern "C" bosc_status bi_trie_cuda_launch_pairs(bosc_ctx *ctx, const struct bi_trie_pairs *args, int32_t blocks,
                                                 int32_t threads)
{
    enum { THREADS = 256 };
    const int32_t block_threads = threads ? threads : THREADS;
    struct bi_batches p = bi_batches_of(ctx, args->view.count, 1);
    while (bi_next_batch(ctx, &p)) {
        const unsigned grid = blocks ? (unsigned)blocks : bi_grid_size(ctx, p.end - p.begin, block_threads);
        BI_TRY(BI_RUN_BATCH(ctx, bi_trie_lookup_pairs, grid, (unsigned)block_threads, 0, *args, p.begin, p.end));
    }
    return p.status;
}
