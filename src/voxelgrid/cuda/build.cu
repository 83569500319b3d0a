/* Builds of dense voxel grids on CUDA: the extent by blocks, and a sort by counting. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/build.h"

enum { EXTENT_THREADS = 512, PLACE_THREADS = 256, MOST_IN_VOXEL = 128 };

struct extent_shared {
    unsigned long long warps[BI_VOXELGRID_FOUND][EXTENT_THREADS / 32];
};

/* Every block finds its minima, and lowers those of all. */
static __global__ void __launch_bounds__(EXTENT_THREADS) bi_voxelgrid_find_extent(const bi_voxelgrid_extent a)
{
    BI_SHARED(extent_shared, sh);
    const unsigned warp = threadIdx.x / 32;
    uint64_t least[BI_VOXELGRID_FOUND];
#pragma unroll
    for (int k = 0; k < BI_VOXELGRID_FOUND; k++) least[k] = UINT64_MAX;
    const int64_t step = (int64_t)gridDim.x * EXTENT_THREADS;
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
    if (threadIdx.x >= BI_VOXELGRID_FOUND) return;
    unsigned long long x = sh.warps[threadIdx.x][0];
    for (int w = 1; w < EXTENT_THREADS / 32; w++) x = sh.warps[threadIdx.x][w] < x ? sh.warps[threadIdx.x][w] : x;
    if (x != UINT64_MAX) bi_atomic_min_u64(&a.found[threadIdx.x], x);
}

bosc_status bi_cuda_voxelgrid_extent(bosc_ctx *ctx, const bi_voxelgrid_extent *extent)
{
    const int64_t rows = 4; /* a thread, at least */
    int64_t blocks = bi_div_up(extent->rows.n, rows * EXTENT_THREADS), most = (int64_t)ctx->multiprocessors * 2;
    return BI_RUN(ctx, bi_voxelgrid_find_extent, (unsigned)(blocks < most ? blocks : most), EXTENT_THREADS, 0, *extent);
}

/* What a placing keeps from one kernel to the next. */
struct place_args {
    bi_voxelgrid_place to;
    uint32_t *voxels;          /* (n) by row */
    uint8_t *ranks;            /* (n) by row: which of its voxel's points came before it, in no fixed order */
    bi_voxelgrid_point *mixed; /* (n) in the order of voxels and ranks */
    bi_voxelgrid_rows as_rows; /* `mixed` as rows */
};

/* Counts the points of each voxel. */
static __global__ void __launch_bounds__(PLACE_THREADS) bi_voxelgrid_count_points(const place_args a)
{
    const int64_t step = (int64_t)gridDim.x * PLACE_THREADS;
    for (int64_t i = blockIdx.x * (int64_t)PLACE_THREADS + threadIdx.x; i < a.to.rows.n; i += step) {
        if (bi_load_hint(a.to.crowded)) return;
        const bi_voxelgrid_coords voxel = bi_voxelgrid_voxel_of(&a.to.rows, a.to.view.cell, i);
        const uint32_t key = (uint32_t)bi_voxelgrid_pack(&a.to.view, &voxel), rank = atomicAdd(&a.to.starts[key], 1u);
        a.voxels[i] = key;
        a.ranks[i] = (uint8_t)rank;
        if (rank >= MOST_IN_VOXEL) bi_store_relaxed(a.to.crowded, 1u);
    }
}

/* Groups the points by voxel. */
static __global__ void __launch_bounds__(PLACE_THREADS) bi_voxelgrid_scatter_points(const place_args a)
{
    if (bi_load_hint(a.to.crowded)) return;
    const int64_t step = (int64_t)gridDim.x * PLACE_THREADS;
    for (int64_t i = blockIdx.x * (int64_t)PLACE_THREADS + threadIdx.x; i < a.to.rows.n; i += step)
        a.mixed[a.to.starts[a.voxels[i]] + a.ranks[i]] = bi_voxelgrid_point_of(&a.to.rows, i);
}

/* Orders the points of each voxel by id, whatever order they came in: each counts those before it. */
static __global__ void __launch_bounds__(PLACE_THREADS) bi_voxelgrid_order_points(const place_args a)
{
    if (bi_load_hint(a.to.crowded)) return;
    const int64_t step = (int64_t)gridDim.x * PLACE_THREADS;
    for (int64_t i = blockIdx.x * (int64_t)PLACE_THREADS + threadIdx.x; i < a.to.rows.n; i += step) {
        const bi_voxelgrid_point point = a.mixed[i];
        const bi_voxelgrid_coords voxel = bi_voxelgrid_voxel_of(&a.as_rows, a.to.view.cell, i);
        const uint32_t key = (uint32_t)bi_voxelgrid_pack(&a.to.view, &voxel);
        const uint32_t begin = a.to.starts[key], end = a.to.starts[key + 1];
        uint32_t to = begin;
        for (uint32_t k = begin; k < end; k++) to += a.mixed[k].id < point.id;
        a.to.points[to] = point;
    }
}

bosc_status bi_cuda_voxelgrid_place(bosc_ctx *ctx, const bi_voxelgrid_place *place)
{
    const int64_t n = place->rows.n, entries = (int64_t)place->view.last_key + 2;
    const int32_t dim = place->rows.dim;
    const unsigned blocks = bi_grid(ctx, n, PLACE_THREADS);
    place_args a = {*place, NULL, NULL, NULL, {}};
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.mixed, &a.mixed));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.voxels, &a.voxels));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.ranks, &a.ranks));
    a.as_rows = {a.mixed->at + BI_VOXELGRID_DIM - dim, n, sizeof *a.mixed / sizeof(float), BOSC_F32, dim};
    BI_TRY(ctx->backend->fill(ctx, place->starts, 0, (size_t)entries * sizeof *place->starts));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_count_points, blocks, PLACE_THREADS, 0, a));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, place->starts, entries, place->starts));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_scatter_points, blocks, PLACE_THREADS, 0, a));
    return BI_RUN(ctx, bi_voxelgrid_order_points, blocks, PLACE_THREADS, 0, a);
}
