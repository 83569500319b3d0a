/* Builds of dense voxel grids on CUDA: the extent by blocks, and a sort by counting. */
#include "core/cuda/warp.cuh"
#include "voxelgrid/cuda/dense.cuh"
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/steps/build.h"

enum {
    EXTENT_THREADS = 512,
    PLACE_THREADS = 256,
    MOST_IN_VOXEL = 128,
    MOST_PLACED = 1 << 21 /* points, which fit into a cache of 50 MB: of more a radix sort is quicker */
};

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
    bi_voxelgrid_dense view;
    bi_voxelgrid_rows rows;
    uint32_t *starts, *crowded;
    uint32_t *voxels; /* (n) by row */
    uint8_t *ranks;   /* (n) by row: how many of its voxel's points came before it, in no fixed order */
    uint4 *mixed;     /* (n) in the order of voxels and ranks */
    uint4 *points;    /* (n) in that of voxels and ids */
};

/* Counts the points of each voxel. */
static __global__ void __launch_bounds__(PLACE_THREADS) bi_voxelgrid_count_points(const place_args a)
{
    const int64_t i = blockIdx.x * (int64_t)PLACE_THREADS + threadIdx.x;
    if (i >= a.rows.n || bi_load_hint(a.crowded)) return;
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_row(a.rows, i, q);
    const uint32_t key = bi_voxelgrid_dense_key(a.view, q), rank = atomicAdd(&a.starts[key], 1u);
    a.voxels[i] = key;
    a.ranks[i] = (uint8_t)rank;
    if (rank >= MOST_IN_VOXEL) bi_store_relaxed(a.crowded, 1u);
}

/* Groups the points by voxel. */
static __global__ void __launch_bounds__(PLACE_THREADS) bi_voxelgrid_scatter_points(const place_args a)
{
    const int64_t i = blockIdx.x * (int64_t)PLACE_THREADS + threadIdx.x;
    if (i >= a.rows.n || bi_load_hint(a.crowded)) return;
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_row(a.rows, i, q);
    a.mixed[a.starts[a.voxels[i]] + a.ranks[i]] = {__float_as_uint(q[0]), __float_as_uint(q[1]), __float_as_uint(q[2]),
                                                   (uint32_t)i};
}

/* Orders the points of each voxel by id, whatever order they came in: each counts those before it. */
static __global__ void __launch_bounds__(PLACE_THREADS) bi_voxelgrid_order_points(const place_args a)
{
    const int64_t i = blockIdx.x * (int64_t)PLACE_THREADS + threadIdx.x;
    if (i >= a.rows.n || bi_load_hint(a.crowded)) return;
    const uint4 point = a.mixed[i];
    float q[BI_VOXELGRID_DIM];
    bi_voxelgrid_read_point(point, q);
    const uint32_t key = bi_voxelgrid_dense_key(a.view, q), begin = a.starts[key], end = a.starts[key + 1];
    uint32_t to = begin;
    for (uint32_t k = begin; k < end; k++) to += a.mixed[k].w < point.w;
    a.points[to] = point;
}

/* Begins to read *crowded back: the stream goes on, and `turn` tells when it is there. */
static bosc_status begin_reading(bosc_ctx *ctx, const uint32_t *crowded)
{
    if (!ctx->turn) {
        cudaEvent_t turn;
        BI_TRY(bi_cuda_check(ctx, cudaEventCreateWithFlags(&turn, cudaEventDisableTiming), "voxel grid"));
        ctx->turn = turn;
    }
    BI_TRY(ctx->backend->copy(ctx, ctx->pinned, crowded, sizeof *crowded));
    return bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)ctx->turn, (cudaStream_t)ctx->stream), "voxel grid");
}

bosc_status bi_cuda_voxelgrid_place(bosc_ctx *ctx, const bi_voxelgrid_place *place, bool *placed)
{
    const int64_t n = place->rows.n, entries = (int64_t)place->view.last_key + 2;
    const unsigned blocks = (unsigned)bi_div_up(n, PLACE_THREADS);
    place_args a = {bi_voxelgrid_dense_of(place->view),      place->rows, place->starts, NULL, NULL, NULL, NULL,
                    reinterpret_cast<uint4 *>(place->points)};
    *placed = false;
    if (n > MOST_PLACED) return BOSC_OK;
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.mixed, &a.mixed));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.voxels, &a.voxels));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.ranks, &a.ranks));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a.crowded, &a.crowded));
    BI_TRY(ctx->backend->fill(ctx, a.crowded, 0, sizeof *a.crowded));
    BI_TRY(ctx->backend->fill(ctx, a.starts, 0, (size_t)entries * sizeof *a.starts));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_count_points, blocks, PLACE_THREADS, 0, a));
    BI_TRY(begin_reading(ctx, a.crowded));
    BI_TRY(ctx->backend->core->scan(ctx, BOSC_SUM, BOSC_EXCLUSIVE, BOSC_U32, a.starts, entries, a.starts));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_scatter_points, blocks, PLACE_THREADS, 0, a));
    BI_TRY(BI_RUN(ctx, bi_voxelgrid_order_points, blocks, PLACE_THREADS, 0, a));
    BI_TRY(bi_cuda_check(ctx, cudaEventSynchronize((cudaEvent_t)ctx->turn), "voxel grid"));
    *placed = !*static_cast<const uint32_t *>(ctx->pinned);
    return BOSC_OK;
}
