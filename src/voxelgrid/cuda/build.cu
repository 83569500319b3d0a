/* Builds of dense voxel grids on CUDA. */
#include "voxelgrid/cuda/fused.cuh"
#include "voxelgrid/cuda/place.cuh"

/* The stream goes on; `turn` tells when it has come here. */
static bosc_status mark_turn(bosc_ctx *ctx)
{
    if (!ctx->turn) {
        cudaEvent_t turn;
        BI_TRY(bi_cuda_check(ctx, cudaEventCreateWithFlags(&turn, cudaEventDisableTiming), "voxel grid"));
        ctx->turn = turn;
    }
    return bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)ctx->turn, (cudaStream_t)ctx->stream), "voxel grid");
}

/* Ranges of voxels that have about `goal` points, or fewer, on average. */
static int32_t bucket_shift(int64_t n, int64_t entries)
{
    const int64_t few = FEW, most = GOAL, share = n / 256, goal = share < few ? few : share < most ? share : most;
    int32_t shift = 0;
    while (shift < VOXEL_BITS && (n << (shift + 1)) / entries <= goal) shift++;
    return shift;
}

bosc_status bi_cuda_voxelgrid_place(bosc_ctx *ctx, const bi_voxelgrid_place *place, double *crowd)
{
    const int64_t n = place->rows.n, entries = (int64_t)place->view.last_key + 1;
    const int32_t shift = bucket_shift(n, entries);
    const int64_t buckets = ((entries - 1) >> shift) + 1;
    place_args a = {};
    bool can;
    *crowd = 0;
    if (buckets > MOST_BUCKETS || n / ROOM >= buckets) return BOSC_OK;
    a.view = bi_voxelgrid_dense_of(place->view);
    a.rows = place->rows;
    a.buckets = (uint32_t)buckets;
    a.entries = (uint32_t)entries;
    a.shift = shift;
    a.points = reinterpret_cast<uint4 *>(place->points);
    a.starts = place->starts;
    a.told = static_cast<uint32_t *>(ctx->pinned);
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.mixed, &a.mixed));
    BI_TRY(bi_scratch_of(ctx, buckets + bi_div_up(buckets, GROUP), sizeof *a.cursors, &a.cursors));
    BI_TRY(bi_scratch_of(ctx, buckets + 2, sizeof *a.counts, &a.counts));
    BI_TRY(ctx->backend->fill(ctx, a.counts, 0, (size_t)(buckets + 2) * sizeof *a.counts));
    BI_TRY(bi_cuda_voxelgrid_count_buckets(ctx, a, &can));
    if (!can) return BOSC_OK;
    BI_TRY(mark_turn(ctx));
    BI_TRY(bi_cuda_voxelgrid_deal(ctx, a));
    BI_TRY(bi_cuda_voxelgrid_arrange(ctx, a));
    BI_TRY(bi_cuda_check(ctx, cudaEventSynchronize((cudaEvent_t)ctx->turn), "voxel grid"));
    const uint32_t largest = *static_cast<const uint32_t *>(ctx->pinned);
    if (largest <= ROOM) *crowd = (double)largest / (double)(entries < 1 << shift ? entries : 1 << shift);
    return BOSC_OK;
}
