/* Reductions over the rows of voxels: a thread a voxel with few rows, a warp a voxel with many. */
#include "voxels/cuda/voxels.cuh"

enum { THREADS = 256, WARP = 32 };
static_assert((int)WARP == (int)BI_VOXELS_LANES, "a lane adds one of the sums of a mean");

/* Copies the run of lane `lane` to all lanes. */
static __device__ __forceinline__ bi_voxels_run share_run(bi_voxels_run run, int lane)
{
    const bi_voxels_run shared = {__shfl_sync(~0u, run.first, lane), __shfl_sync(~0u, run.count, lane)};
    return shared;
}

/* Means: item i as in bi_step_mean. Blocks are whole warps, which loop together. */
static __global__ void bi_voxels_mean_kernel(const bi_voxels_mean a, int64_t n)
{
    const int64_t voxels = bi_voxels_voxel_count(&a.view), step = (int64_t)gridDim.x * THREADS;
    const int lane = (int)threadIdx.x % WARP;
    for (int64_t base = blockIdx.x * (int64_t)THREADS + threadIdx.x - lane; base < n; base += step) {
        /* 1. Each lane: an item with few rows. */
        const int64_t i = base + lane, voxel = a.blocks == 1 ? i : i / a.blocks;
        const bool is_item = i < n && voxel < voxels;
        const bi_voxels_run run = is_item ? bi_voxels_run_of(&a.view, voxel) : bi_voxels_run{0, 0};
        if (run.count > 0 && run.count <= WARP) bi_step_mean(&a, i);
        /* 2. The warp: the items with many rows, one after the other; lane l adds sum l, and all lanes add the sums. */
        for (unsigned left = __ballot_sync(~0u, run.count > WARP); left; left &= left - 1) {
            const int owner = bi_lowest_bit(left);
            const bi_voxels_run long_run = share_run(run, owner);
            const int64_t item = base + owner, at = a.blocks == 1 ? item : item / a.blocks;
            const int32_t first = (int32_t)(item - at * a.blocks) * BI_VOXELS_MEAN_COLUMNS;
            double own[BI_VOXELS_MEAN_COLUMNS] = {0}, sums[BI_VOXELS_MEAN_COLUMNS] = {0};
            bi_voxels_add_lane(&a, long_run, lane, WARP, first, own);
            for (int l = 0; l < WARP; l++)
#pragma unroll
                for (int c = 0; c < BI_VOXELS_MEAN_COLUMNS; c++) sums[c] += __shfl_sync(~0u, own[c], l);
            if (lane == 0) bi_voxels_write_mean(&a, at, long_run.count, first, sums);
        }
    }
}

/* The rows nearest to the centres, likewise; lanes compare by (distance, row). */
static __global__ void bi_voxels_nearest_kernel(const bi_voxels_nearest a, int64_t n)
{
    const int64_t voxels = bi_voxels_voxel_count(&a.view), step = (int64_t)gridDim.x * THREADS;
    const int lane = (int)threadIdx.x % WARP;
    for (int64_t base = blockIdx.x * (int64_t)THREADS + threadIdx.x - lane; base < n; base += step) {
        /* 1. Each lane: a voxel with few rows. */
        const int64_t i = base + lane;
        const bi_voxels_run run = i < n && i < voxels ? bi_voxels_run_of(&a.view, i) : bi_voxels_run{0, 0};
        if (run.count > 0 && run.count <= WARP) bi_step_nearest(&a, i);
        /* 2. The warp: the voxels with many rows. */
        for (unsigned left = __ballot_sync(~0u, run.count > WARP); left; left &= left - 1) {
            const int owner = bi_lowest_bit(left);
            double centre[BI_VOXELS_DIM], nearest = 0;
            uint32_t id = BI_VOXELS_NONE;
            bi_voxels_centre(&a.view, base + owner, centre);
            bi_voxels_find_nearest(&a, share_run(run, owner), lane, WARP, centre, &nearest, &id);
            for (int d = WARP / 2; d > 0; d /= 2) {
                const double other = __shfl_xor_sync(~0u, nearest, d);
                const uint32_t other_id = __shfl_xor_sync(~0u, id, d);
                if (other < nearest || (other == nearest && other_id < id)) nearest = other, id = other_id;
            }
            if (lane == 0) bi_set_word(a.ids, a.ids_64bit, base + owner, id);
        }
    }
}

bosc_status bi_cuda_voxels_mean(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxels_mean *a = static_cast<const bi_voxels_mean *>(args);
    return BI_RUN(ctx, bi_voxels_mean_kernel, bi_grid_size(ctx, n, THREADS), THREADS, 0, *a, n);
}

bosc_status bi_cuda_voxels_nearest(bosc_ctx *ctx, int64_t n, const void *args)
{
    const bi_voxels_nearest *a = static_cast<const bi_voxels_nearest *>(args);
    return BI_RUN(ctx, bi_voxels_nearest_kernel, bi_grid_size(ctx, n, THREADS), THREADS, 0, *a, n);
}
