/* The bounding box of dense rows. Consecutive threads read consecutive coordinates; a thread keeps to one, as its step
 * is a multiple of the dimension. */
#include "ranks/cuda/box.cuh"

#include "core/cuda/launch.cuh"

namespace
{

enum { THREADS = 256, BATCH = 8 /* loads of a thread in flight; not measured */ };

/* low, high (dim): all ones and zeros before. */
template <int DTYPE>
__global__ void __launch_bounds__(THREADS)
    bi_ranks_widen_box(const bi_ranks_kdtree_box a, unsigned long long *low, unsigned long long *high)
{
    BI_SHARED_DYNAMIC(unsigned long long, block_box);
    const int64_t step = (int64_t)gridDim.x * THREADS, all = a.rows.n * a.dim,
                  first = (int64_t)blockIdx.x * THREADS + threadIdx.x;
    const int32_t c = (int32_t)(first % a.dim);
    unsigned long long *lows = block_box, *highs = block_box + a.dim, own_low = ~0ull, own_high = 0;
    for (int32_t i = (int32_t)threadIdx.x; i < a.dim; i += THREADS) lows[i] = ~0ull, highs[i] = 0;
    /* 1. The thread's coordinate of its rows; beyond the last the loads repeat the first. */
    for (int64_t at = first; at < all; at += step * BATCH) {
        uint64_t keys[BATCH];
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            const int64_t i = at + k * step;
            keys[k] = bi_kdtree_key(a.rows.data, i < all ? i : at, (bosc_dtype)DTYPE);
        }
#pragma unroll
        for (int k = 0; k < BATCH; k++) {
            own_low = keys[k] < own_low ? keys[k] : own_low;
            own_high = keys[k] > own_high ? keys[k] : own_high;
        }
    }
    /* 2. The block's box, then that of all blocks. */
    __syncthreads(); /* the block's box is empty */
    atomicMin(&lows[c], own_low);
    atomicMax(&highs[c], own_high);
    __syncthreads(); /* all threads have widened it */
    for (int32_t i = (int32_t)threadIdx.x; i < a.dim; i += THREADS) {
        atomicMin(&low[i], lows[i]);
        atomicMax(&high[i], highs[i]);
    }
}

bosc_status launch_widen(bosc_ctx *ctx, const bi_ranks_kdtree_box *rows, unsigned long long *box)
{
    const size_t bytes = (size_t)rows->dim * sizeof *box;
    /* A multiple of `dim` blocks, so that the step is one too. */
    const unsigned dim = (unsigned)rows->dim, fit = bi_grid_size(ctx, rows->rows.n * rows->dim / BATCH, THREADS),
                   grid = fit < dim ? dim : fit / dim * dim;
    BI_TRY(ctx->backend->fill(ctx, box, 0xff, bytes));
    BI_TRY(ctx->backend->fill(ctx, box + dim, 0, bytes));
#define LAUNCH(dtype) return BI_RUN(ctx, bi_ranks_widen_box<dtype>, grid, THREADS, 2 * bytes, *rows, box, box + dim)
    switch (rows->dtype) {
    case BOSC_F32: LAUNCH(BOSC_F32);
    case BOSC_F64: LAUNCH(BOSC_F64);
    case BOSC_I32: LAUNCH(BOSC_I32);
    default: LAUNCH(BOSC_I64);
    }
#undef LAUNCH
}

bosc_status find_box(bosc_ctx *ctx, const bi_ranks_kdtree_box *rows, uint64_t *box)
{
    const size_t bytes = 2 * (size_t)rows->dim * sizeof *box;
    unsigned long long *found;
    BI_TRY(bi_scratch_of(ctx, 1, bytes, &found));
    BI_TRY(launch_widen(ctx, rows, found));
    BI_TRY(ctx->backend->copy(ctx, box, found, bytes));
    return ctx->backend->sync(ctx);
}

} // namespace

bosc_status bi_ranks_cuda_find_box(bosc_ctx *ctx, const bi_ranks_kdtree_box *rows, uint64_t *box)
{
    BI_RETURN_WITH_SCRATCH(ctx, find_box(ctx, rows, box));
}
