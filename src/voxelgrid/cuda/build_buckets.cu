/* The bucket build of dense voxel grids: count, scatter, sort within buckets. */
#include "voxelgrid/cuda/table_entries.cuh"
#include "voxelgrid/cuda/build_buckets.cuh"

/* Records the context's event, which streams otherwise use to wait for each other, after the counts, so that the host
 * can wait for those while later kernels run. */
static bosc_status record_counts_event(bosc_ctx *ctx)
{
    if (!ctx->turn) {
        cudaEvent_t turn;
        BI_TRY(bi_cuda_check(ctx, cudaEventCreateWithFlags(&turn, cudaEventDisableTiming), "voxel grid"));
        ctx->turn = turn;
    }
    return bi_cuda_check(ctx, cudaEventRecord((cudaEvent_t)ctx->turn, (cudaStream_t)ctx->stream), "voxel grid");
}

/* log2 of the voxels of a bucket: the most with an average of at most `goal` points, n / 256 within the targets.
 * Chosen. */
static int32_t choose_bucket_shift(int64_t n, int64_t entries)
{
    const int64_t least = MIN_TARGET, greatest = MAX_TARGET, share = n / 256,
                  goal = share < least      ? least
                         : share < greatest ? share
                                            : greatest;
    int32_t shift = 0;
    while (shift < VOXEL_BITS && (n << (shift + 1)) / entries <= goal) shift++;
    return shift;
}

/* Builds a dense view by buckets of voxels: counts, scatters, sorts each bucket by voxel and id. *peak_density: points
 * a voxel, averaged over the densest few voxels; 0 if the points do not suit this build. */
bosc_status bi_cuda_voxelgrid_sort_by_buckets(bosc_ctx *ctx, const bi_voxelgrid_dense_target *target,
                                              double *peak_density)
{
    const int64_t n = target->rows.n, entries = (int64_t)target->view.last_key + 1;
    const int32_t shift = choose_bucket_shift(n, entries);
    const int64_t buckets = ((entries - 1) >> shift) + 1;
    bucket_build a = {};
    bool supported;
    *peak_density = 0;
    /* 1. Too many buckets, or too full on average: the radix sort of build.c does it. */
    if (buckets > MAX_BUCKETS || n / BUCKET_CAPACITY >= buckets) return BOSC_OK;
    /* 2. Arguments and scratch. */
    a.view = bi_voxelgrid_make_dense_view(target->view);
    a.rows = target->rows;
    a.buckets = (uint32_t)buckets;
    a.entries = (uint32_t)entries;
    a.shift = shift;
    a.points = reinterpret_cast<uint4 *>(target->points);
    a.starts = target->starts;
    a.host_largest = static_cast<uint32_t *>(ctx->pinned);
    BI_TRY(bi_scratch_of(ctx, n, sizeof *a.by_bucket, &a.by_bucket));
    BI_TRY(bi_scratch_of(ctx, buckets + bi_div_up(buckets, BUCKETS_PER_GROUP), sizeof *a.cursors, &a.cursors));
    BI_TRY(bi_scratch_of(ctx, buckets + 2, sizeof *a.counts, &a.counts));
    BI_TRY(ctx->backend->fill(ctx, a.counts, 0, (size_t)(buckets + 2) * sizeof *a.counts));
    /* 3. Launch all stages without waiting; kernels return at once if a bucket is too large. */
    BI_TRY(bi_cuda_voxelgrid_count_buckets(ctx, a, &supported));
    if (!supported) return BOSC_OK;
    BI_TRY(record_counts_event(ctx));
    BI_TRY(bi_cuda_voxelgrid_scatter_to_buckets(ctx, a));
    BI_TRY(bi_cuda_voxelgrid_sort_buckets(ctx, a));
    /* 4. Wait for the counts alone. */
    BI_TRY(bi_cuda_check(ctx, cudaEventSynchronize((cudaEvent_t)ctx->turn), "voxel grid"));
    const uint32_t largest = *static_cast<const uint32_t *>(ctx->pinned);
    if (largest <= BUCKET_CAPACITY)
        *peak_density = (double)largest / (double)(entries < 1 << shift ? entries : 1 << shift);
    return BOSC_OK;
}
