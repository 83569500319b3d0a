/* The extent of points on CUDA. */
#include <cstring>

#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/build.h"

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

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_rows *rows, uint64_t *found)
{
    const size_t bytes = BI_VOXELGRID_FOUND * sizeof *found;
    const int64_t each = 4; /* rows of a thread, at least */
    int64_t blocks = bi_div_up(rows->n, each * EXTENT_THREADS), most = (int64_t)ctx->multiprocessors * 2;
    bi_voxelgrid_extent extent = {*rows, 0, NULL};
    BI_TRY(bi_scratch_of(ctx, BI_VOXELGRID_FOUND + 1, sizeof *found, &extent.found));
    BI_TRY(ctx->backend->fill(ctx, extent.found, 0xff, bytes + sizeof *found));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_find_extent, (unsigned)(blocks < most ? blocks : most), EXTENT_THREADS, 0, extent,
                  static_cast<unsigned long long *>(ctx->pinned)));
    BI_TRY(ctx->backend->sync(ctx));
    memcpy(found, ctx->pinned, bytes);
    return BOSC_OK;
}
