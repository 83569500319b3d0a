/* All pairs of a published trie by a launch of the caller's choice: a thread takes a key and looks it up with each
 * letter replaced. Source: Kaczmarski, Rzazewski, Wolant, Massively Parallel Construction of the Cell Graph (PPAM
 * 2015). */
#include "core/cuda/launch.cuh"
#include "trie/cuda/trie.cuh"

static __global__ void bi_trie_look_up_pairs(const bi_trie_pairs a, int64_t begin, int64_t end)
{
    int64_t k = begin + blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    for (; k < end; k += (int64_t)gridDim.x * blockDim.x) bi_step_trie_pairs(&a, k);
}

bosc_status bi_trie_cuda_launch_pairs(bosc_ctx *ctx, const struct bi_trie_pairs *args, int32_t blocks, int32_t threads)
{
    enum { THREADS = 256 };
    const int32_t wide = threads ? threads : THREADS;
    struct bi_parts p = bi_parts_of(ctx, args->view.count, 1);
    while (bi_next_part(ctx, &p)) {
        const unsigned grid = blocks ? (unsigned)blocks : bi_grid(ctx, p.end - p.begin, wide);
        BI_TRY(BI_RUN_PART(ctx, bi_trie_look_up_pairs, grid, (unsigned)wide, 0, *args, p.begin, p.end));
    }
    return p.status;
}
