/* All pairs of a published trie with a chosen launch. As in the paper a block has a key, and each of its threads looks
 * it up with one letter replaced, down to the first missing child; or a thread has a key and all of its letters.
 * Source: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM 2015), Algorithm 4. */
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

/* The step trie_append_pairs for keys begin to end - 1. */
static __global__ void bi_trie_append_by_threads(const bi_trie_append a, int64_t begin, int64_t end)
{
    /* A grid-stride loop, as the launch is the caller's choice. */
    int64_t k = begin + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    for (; k < end; k += (int64_t)gridDim.x * blockDim.x) bi_step_trie_append_pairs(&a, k);
}

/* The same, a block a key and a thread a letter. */
static __global__ void bi_trie_append_by_blocks(const bi_trie_append a, int64_t begin, int64_t end)
{
    /* Strides over keys and letters, as the launch is the caller's choice. Threads of a block need not wait. */
    for (int64_t k = begin + blockIdx.x; k < end; k += gridDim.x)
        for (int32_t p = (int32_t)threadIdx.x; p < a.view.shape.letters.length; p += (int32_t)blockDim.x)
            bi_trie_append_replaced(&a, k, p);
}

extern "C" bosc_status bi_trie_cuda_launch_append(bosc_ctx *ctx, const struct bi_trie_append *args, bool block_a_key,
                                                  int32_t blocks, int32_t threads)
{
    enum { THREADS = 256, KEY_BLOCKS = 4096, KEY_THREADS = 32 }; /* of a block a key: the paper's best on its K40 */
    const int32_t block_threads = threads ? threads : block_a_key ? KEY_THREADS : THREADS;
    struct bi_batches p = bi_batches_of(ctx, args->view.count, 1);
    while (bi_next_batch(ctx, &p)) {
        const int64_t keys = p.end - p.begin;
        const unsigned filled =
            block_a_key ? (unsigned)(keys < KEY_BLOCKS ? keys : KEY_BLOCKS) : bi_grid_size(ctx, keys, block_threads);
        const unsigned grid = blocks ? (unsigned)blocks : filled;
        if (block_a_key)
            BI_TRY(
                BI_RUN_BATCH(ctx, bi_trie_append_by_blocks, grid, (unsigned)block_threads, 0, *args, p.begin, p.end));
        else
            BI_TRY(
                BI_RUN_BATCH(ctx, bi_trie_append_by_threads, grid, (unsigned)block_threads, 0, *args, p.begin, p.end));
    }
    return p.status;
}
