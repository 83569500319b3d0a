/* The extent of points on CUDA. */
#include <cstring>

#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/small.cuh"

enum { EXTENT_THREADS = 512 };

struct extent_shared {
    unsigned long long warps[BI_VOXELGRID_FOUND][EXTENT_THREADS / 32];
};

/* Every block finds its minima, and lowers those of all; the last one tells them to the host. found[BI_VOXELGRID_FOUND]
 * counts the blocks, from UINT64_MAX on. */
static __global__ void __launch_bounds__(EXTENT_THREADS)
    bi_voxelgrid_find_extent(const bi_voxelgrid_extent a, unsigned long long *told)
{
    BI_SHARED(extent_shared, sh);
    const unsigned warp = threadIdx.x / 32;
    uint64_t least[BI_VOXELGRID_FOUND];
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_FOUND; k++) least[k] = UINT64_MAX;
    const int64_t step = (int64_t)gridDim.x * EXTENT_THREADS;
#pragma unroll 4
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
    for (int k = 0; k < BI_VOXELGRID_FOUND; k++) {
        const unsigned long long x = bi_warp_least((unsigned long long)least[k]);
        if (threadIdx.x % 32 == 0) sh.warps[k][warp] = x;
    }
    __syncthreads();
    if (threadIdx.x >= 32) return;
    unsigned long long *const found = reinterpret_cast<unsigned long long *>(a.found), x = UINT64_MAX, last = 0;
    if (threadIdx.x < BI_VOXELGRID_FOUND) {
        for (int w = 0; w < EXTENT_THREADS / 32; w++) x = sh.warps[threadIdx.x][w] < x ? sh.warps[threadIdx.x][w] : x;
        if (x != UINT64_MAX) atomicMin(found + threadIdx.x, x);
        __threadfence();
    }
    __syncwarp();
    if (threadIdx.x == 0) last = atomicAdd(found + BI_VOXELGRID_FOUND, 1ull) + 2 == gridDim.x;
    if (!__shfl_sync(~0u, last, 0)) return;
    __threadfence();
    if (threadIdx.x < BI_VOXELGRID_FOUND) told[threadIdx.x] = bi_load_relaxed(found + threadIdx.x);
}

enum { ABREAST = 4 /* rows of a thread that are read at once */ };

struct float_extent {
    bi_voxelgrid_rows rows;
    uint32_t *edges; /* the least of all blocks; edges[EDGES] counts those, from UINT32_MAX on */
    unsigned long long *told;
};

/* The same of floats, which need fewer instructions and registers. */
static __global__ void __launch_bounds__(EXTENT_THREADS, 4) bi_voxelgrid_find_float_extent(const float_extent a)
{
    BI_SHARED(small_extent_shared<EXTENT_THREADS / 32>, sh);
    small_place_extent extent;
    const int64_t step = (int64_t)gridDim.x * EXTENT_THREADS;
    int64_t i = blockIdx.x * (int64_t)EXTENT_THREADS + threadIdx.x;
    for (; i + (ABREAST - 1) * step < a.rows.n; i += ABREAST * step) {
        float q[ABREAST][BI_VOXELGRID_DIM];
#pragma unroll
        for (int k = 0; k < ABREAST; k++) bi_voxelgrid_read_row(a.rows, i + k * step, q[k]);
#pragma unroll
        for (int k = 0; k < ABREAST; k++) extent.add((uint32_t)(i + k * step), q[k]);
    }
    for (; i < a.rows.n; i += step) {
        float q[BI_VOXELGRID_DIM];
        bi_voxelgrid_read_row(a.rows, i, q);
        extent.add((uint32_t)i, q);
    }
    sh.set_edges(extent);
    __syncthreads();
    if (threadIdx.x >= 32) return;
    const uint32_t edge = sh.joined_edge();
    uint32_t last = 0;
    if (threadIdx.x < EDGES) atomicMin(a.edges + threadIdx.x, edge);
    __threadfence();
    __syncwarp();
    if (threadIdx.x == 0) last = atomicAdd(a.edges + EDGES, 1u) + 2 == gridDim.x;
    if (!__shfl_sync(~0u, last, 0)) return;
    __threadfence();
    if (threadIdx.x < EDGES)
        bi_notify_host(a.told + TOLD_EDGES + threadIdx.x, TOLD | bi_load_relaxed(a.edges + threadIdx.x));
}

static unsigned extent_blocks(const bosc_ctx *ctx, int64_t n, int64_t each)
{
    const int64_t blocks = bi_div_up(n, ABREAST * EXTENT_THREADS), most = ctx->multiprocessors * each;
    return (unsigned)(blocks < most ? blocks : most);
}

static bosc_status find_float_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found)
{
    unsigned long long *const told = static_cast<unsigned long long *>(ctx->pinned);
    float_extent a = {*rows, NULL, told};
    BI_TRY(bi_scratch_of(ctx, EDGES + 1, sizeof *a.edges, &a.edges));
    BI_TRY(ctx->backend->fill(ctx, a.edges, 0xff, (EDGES + 1) * sizeof *a.edges));
    for (int k = 0; k < EDGES; k++) told[TOLD_EDGES + k] = 0;
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_find_float_extent, extent_blocks(ctx, rows->n, 4), EXTENT_THREADS, 0, a));
    BI_TRY(bi_cuda_await(ctx, told + TOLD_EDGES, EDGES));
    read_told_extent(told, rows->dim, found);
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
