/* The extent of points on CUDA: first NaN, least and greatest coordinates. */
#include <cstring>

#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/build_one_launch.cuh"

enum { EXTENT_THREADS = 512 };

struct extent_shared {
    unsigned long long warps[BI_VOXELGRID_FOUND][EXTENT_THREADS / 32];
};

/* Finds the smallest and largest key of each coordinate and the first row with a NaN, whose key counts as -infinity.
 * Every block reduces its rows and lowers the minima of all by atomics; the last block reports them to the host.
 * The launch has set all words of a.found to UINT64_MAX, one more than BI_VOXELGRID_FOUND: that counts finished blocks.
 * host_words is page-locked; the host reads it after it has synchronised. a.items is not used. */
static __global__ void __launch_bounds__(EXTENT_THREADS)
    bi_voxelgrid_find_extent(const bi_voxelgrid_extent a, unsigned long long *host_words)
{
    BI_SHARED(extent_shared, sh);
    const unsigned warp = threadIdx.x / 32;
    uint64_t least[BI_VOXELGRID_FOUND];
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_FOUND; k++) least[k] = UINT64_MAX;
    const int64_t step = (int64_t)gridDim.x * EXTENT_THREADS;
#pragma unroll 4
    /* 1. Minima of the thread's rows: keys, complements of keys, and rows with a NaN. */
    for (int64_t i = blockIdx.x * (int64_t)EXTENT_THREADS + threadIdx.x; i < a.rows.n; i += step) {
#pragma unroll
        for (int c = 0; c < BI_VOXELGRID_DIM; c++) {
            if (c >= a.rows.dim) continue;
            const uint64_t key = bi_voxelgrid_extent_key(&a.rows, i, c, &least[BI_VOXELGRID_NAN]);
            uint64_t &low = least[BI_VOXELGRID_LOW + c], &not_high = least[BI_VOXELGRID_HIGH + c];
            low = key < low ? key : low;
            not_high = ~key < not_high ? ~key : not_high;
        }
    }
#pragma unroll
    /* 2. Minima of the block. */
    for (int k = 0; k < BI_VOXELGRID_FOUND; k++) {
        const unsigned long long x = bi_warp_min((unsigned long long)least[k]);
        if (threadIdx.x % 32 == 0) sh.warps[k][warp] = x;
    }
    __syncthreads(); /* minima of all warps */
    if (threadIdx.x >= 32) return;
    unsigned long long *const found = reinterpret_cast<unsigned long long *>(a.found), x = UINT64_MAX, last = 0;
    if (threadIdx.x < BI_VOXELGRID_FOUND) {
        for (int w = 0; w < EXTENT_THREADS / 32; w++) x = sh.warps[threadIdx.x][w] < x ? sh.warps[threadIdx.x][w] : x;
        /* 3. Minima of all; the fence makes them visible before the block counts as finished. */
        if (x != UINT64_MAX) atomicMin(found + threadIdx.x, x);
        __threadfence();
    }
    __syncwarp();
    /* 4. The last block reports: + 2, as the count starts at -1 and excludes this block. */
    if (threadIdx.x == 0) last = atomicAdd(found + BI_VOXELGRID_FOUND, 1ull) + 2 == gridDim.x;
    if (!__shfl_sync(~0u, last, 0)) return;
    __threadfence(); /* the minima are read after the count */
    if (threadIdx.x < BI_VOXELGRID_FOUND) host_words[threadIdx.x] = bi_load_relaxed(found + threadIdx.x);
}

enum { LOADS_IN_FLIGHT = 4 }; /* rows a thread reads at once */

struct float_extent {
    bi_voxelgrid_rows rows;
    uint32_t *bounds; /* minima of all blocks; bounds[BOUNDS] counts finished blocks, from UINT32_MAX on */
    unsigned long long *host_words;
};

/* The same for floats, with fewer instructions and registers. a.bounds is all ones before. The host waits for the
 * words of a.host_words, which are 0 before, not for the kernel. */
static __global__ void __launch_bounds__(EXTENT_THREADS, 4) bi_voxelgrid_find_float_extent(const float_extent a)
{
    BI_SHARED(bounds_shared<EXTENT_THREADS / 32>, sh);
    point_bounds extent;
    const int64_t step = (int64_t)gridDim.x * EXTENT_THREADS;
    int64_t i = blockIdx.x * (int64_t)EXTENT_THREADS + threadIdx.x;
    /* 1. Bounds of the thread's rows; LOADS_IN_FLIGHT are read at once, to overlap the loads. */
    for (; i + (LOADS_IN_FLIGHT - 1) * step < a.rows.n; i += LOADS_IN_FLIGHT * step) {
        float q[LOADS_IN_FLIGHT][BI_VOXELGRID_DIM];
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++) bi_voxelgrid_read_row(a.rows, i + k * step, q[k]);
#pragma unroll
        for (int k = 0; k < LOADS_IN_FLIGHT; k++) extent.add((uint32_t)(i + k * step), q[k]);
    }
    for (; i < a.rows.n; i += step) {
        float q[BI_VOXELGRID_DIM];
        bi_voxelgrid_read_row(a.rows, i, q);
        extent.add((uint32_t)i, q);
    }
    /* 2. Bounds of the block. */
    sh.store_warp_bounds(extent);
    __syncthreads(); /* bounds of all warps */
    if (threadIdx.x >= 32) return;
    const uint32_t bound = sh.reduce_block_bound();
    uint32_t last = 0;
    /* 3. Bounds of all; the fence makes them visible before the block counts as finished. */
    if (threadIdx.x < BOUNDS) atomicMin(a.bounds + threadIdx.x, bound);
    __threadfence();
    __syncwarp();
    /* 4. The last block reports to the host. */
    if (threadIdx.x == 0) last = atomicAdd(a.bounds + BOUNDS, 1u) + 2 == gridDim.x;
    if (!__shfl_sync(~0u, last, 0)) return;
    __threadfence(); /* the minima are read after the count */
    if (threadIdx.x < BOUNDS)
        bi_notify_host(a.host_words + BOUND_WORDS + threadIdx.x, READY_BIT | bi_load_relaxed(a.bounds + threadIdx.x));
}

static unsigned extent_blocks(const bosc_ctx *ctx, int64_t n, int64_t per_multiprocessor)
{
    const int64_t blocks = bi_div_up(n, LOADS_IN_FLIGHT * EXTENT_THREADS),
                  max_blocks = ctx->multiprocessors * per_multiprocessor;
    return (unsigned)(blocks < max_blocks ? blocks : max_blocks);
}

static bosc_status find_float_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found)
{
    unsigned long long *const host_words = static_cast<unsigned long long *>(ctx->pinned);
    float_extent a = {*rows, NULL, host_words};
    BI_TRY(bi_scratch_of(ctx, BOUNDS + 1, sizeof *a.bounds, &a.bounds));
    BI_TRY(ctx->backend->fill(ctx, a.bounds, 0xff, (BOUNDS + 1) * sizeof *a.bounds));
    for (int k = 0; k < BOUNDS; k++) host_words[BOUND_WORDS + k] = 0;
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_find_float_extent, extent_blocks(ctx, rows->n, 4), EXTENT_THREADS, 0, a));
    BI_TRY(bi_cuda_await(ctx, host_words + BOUND_WORDS, BOUNDS));
    decode_extent(host_words, rows->dim, found);
    return BOSC_OK;
}

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found)
{
    const size_t bytes = BI_VOXELGRID_FOUND * sizeof *found;
    bi_voxelgrid_extent extent = {*rows, 0, NULL};
    if (rows->dtype == BOSC_F32) return find_float_extent(ctx, rows, found);
    BI_TRY(bi_scratch_of(ctx, BI_VOXELGRID_FOUND + 1, sizeof *found, &extent.found));
    BI_TRY(ctx->backend->fill(ctx, extent.found, 0xff, bytes + sizeof *found));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_find_extent, extent_blocks(ctx, rows->n, 2), EXTENT_THREADS, 0, extent,
                  static_cast<unsigned long long *>(ctx->pinned)));
    BI_TRY(ctx->backend->sync(ctx));
    memcpy(found, ctx->pinned, bytes);
    return BOSC_OK;
}
