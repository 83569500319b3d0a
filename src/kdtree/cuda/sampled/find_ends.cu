/* Finds the least and the greatest key of each coordinate of rows, by which the fast builder rounds them. */
#include "kdtree/cuda/sampled/keys.cuh"

enum { ENDS_THREADS = 256 };

/* Raises *ends, 0 at first, to the ends of all rows. */
template <int DIM>
static __global__ void __launch_bounds__(ENDS_THREADS)
    bi_kdtree_find_ends(const bi_kdtree_rounded_keys keys, bi_kdtree_ends *ends)
{
    struct ends_shared {
        bi_kdtree_ends of_block;
    };
    BI_SHARED(ends_shared, sh);
    /* 1. Each thread finds the ends of its rows. */
    unsigned long long least[DIM], greatest[DIM]; /* least: complements */
    const int64_t step = (int64_t)gridDim.x * ENDS_THREADS;
#pragma unroll
    for (int c = 0; c < DIM; c++) least[c] = greatest[c] = 0;
    for (int64_t i = (int64_t)blockIdx.x * ENDS_THREADS + threadIdx.x; i < keys.rows.n; i += step)
#pragma unroll
        for (int c = 0; c < DIM; c++) {
            const unsigned long long key = keys.key((uint32_t)i, c);
            least[c] = max(least[c], ~key);
            greatest[c] = max(greatest[c], key);
        }
    /* 2. Reduce over the warp, then over the block. The first barrier makes the zeros visible, the second the maxima.
     * */
    if (threadIdx.x < 4) sh.of_block.least[threadIdx.x] = sh.of_block.greatest[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int c = 0; c < DIM; c++) {
        for (int o = 16; o > 0; o >>= 1) {
            least[c] = max(least[c], __shfl_xor_sync(~0u, least[c], o));
            greatest[c] = max(greatest[c], __shfl_xor_sync(~0u, greatest[c], o));
        }
        if (threadIdx.x % 32 == 0) {
            atomicMax(&sh.of_block.least[c], least[c]);
            atomicMax(&sh.of_block.greatest[c], greatest[c]);
        }
    }
    __syncthreads();
    /* 3. Reduce over blocks. */
    if (threadIdx.x >= DIM) return;
    atomicMax(&ends->least[threadIdx.x], sh.of_block.least[threadIdx.x]);
    atomicMax(&ends->greatest[threadIdx.x], sh.of_block.greatest[threadIdx.x]);
}

bosc_status bi_kdtree_run_find_ends(bosc_ctx *ctx, const bi_kdtree_rounded_keys &keys, int dim, bi_kdtree_ends *ends)
{
    auto kernel = dim == 2 ? bi_kdtree_find_ends<2> : dim == 3 ? bi_kdtree_find_ends<3> : bi_kdtree_find_ends<4>;
    /* Rows per thread and blocks per multiprocessor are chosen. */
    const unsigned blocks = (unsigned)bi_div_up(keys.rows.n, 8 * ENDS_THREADS),
                   most = 4u * (unsigned)ctx->multiprocessors;
    BI_TRY(ctx->backend->fill(ctx, ends, 0, sizeof *ends));
    return BI_RUN(ctx, kernel, blocks < most ? blocks : most, ENDS_THREADS, 0, keys, ends);
}
