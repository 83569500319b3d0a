/* HEURISTIC as published: a block compares a pair at a time, its threads the words. */
#include "core/cuda/launch.cuh"
#include "cellgraph/cuda/cellgraph.cuh"
#include "cellgraph/cuda/published/pairs.cuh"

/* Compares the pairs from `begin` to `end` - 1. */
static __global__ void bi_cellgraph_compare_pairs(const bi_cellgraph_heuristic a, int64_t begin, int64_t end)
{
    const bi_cellgraph_view &v = a.view;
    for (int64_t p = begin + blockIdx.x; p < end; p += gridDim.x) {
        int64_t i, j;
        bi_cellgraph_pair_of(p, v.count, &i, &j);
        if (bi_cellgraph_ruled_out(&a, i, j)) continue;
        const uint64_t *x = bi_cellgraph_row(&v, i), *y = bi_cellgraph_row(&v, j);
        uint32_t letters = 0;
        int32_t at = 0;
        for (int32_t s = (int32_t)threadIdx.x; s < v.shape.words; s += (int32_t)blockDim.x) {
            const uint32_t here = bi_cellgraph_distance(x[s] ^ y[s], &v.shape);
            letters += here;
            if (here) at = s;
        }
        /* An edge: one thread of the block saw differing letters, and it saw one. */
        const bool one_thread = __syncthreads_count(letters > 0) == 1;
        if (one_thread && letters == 1)
            bi_cellgraph_append_edge(&a.found, i, j, bi_cellgraph_position(&v.shape, at, x[at] ^ y[at]));
    }
}

bosc_status bi_cellgraph_cuda_compare_pairs(bosc_ctx *ctx, const struct bi_cellgraph_heuristic *all)
{
    enum { BLOCKS = 4096, WARP = 32 };
    if (all->ends_early) return bi_cellgraph_cuda_compare_segments(ctx, all);
    const int64_t n = all->view.count, blocks = all->blocks ? all->blocks : BLOCKS;
    int64_t threads = all->threads ? all->threads : bi_div_up(all->view.shape.words, WARP) * WARP;
    if (threads > BI_CELLGRAPH_THREADS) threads = BI_CELLGRAPH_THREADS;
    struct bi_batches p = bi_batches_of(ctx, n * (n - 1) / 2, 8);
    while (bi_next_batch(ctx, &p)) {
        const int64_t pairs = p.end - p.begin;
        BI_TRY(BI_RUN_BATCH(ctx, bi_cellgraph_compare_pairs, (unsigned)(blocks < pairs ? blocks : pairs),
                            (unsigned)threads, 0, *all, p.begin, p.end));
    }
    return p.status;
}
