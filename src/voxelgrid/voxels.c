/* The list of occupied voxels. */
#include "voxelgrid/drivers.h"

/* Finds the first positions of the voxels, and their number. */
static bosc_status find_heads(bosc_ctx *ctx, struct bi_voxelgrid_voxel_list *voxels)
{
    int64_t n = voxels->view.n;
    struct bi_voxelgrid_voxel_heads heads = {.view = voxels->view};
    void *count;
    uint32_t *list;
    BI_TRY(bi_scratch_of(ctx, n, 1, &heads.is_head));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &heads.positions));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *list, &list));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof voxels->count, &count));
    BI_TRY(ctx->ops->voxelgrid->steps->voxel_heads(ctx, n, &heads));
    BI_TRY(ctx->backend->core->compact(ctx, sizeof *list, heads.positions, heads.is_head, n, list, count));
    voxels->heads = list;
    return bi_read_back(ctx, &voxels->count, count, sizeof voxels->count);
}

static bosc_status list_voxels(bosc_ctx *ctx, struct bi_voxelgrid_voxel_list *voxels, int64_t capacity, int64_t *count)
{
    struct bi_out coords, counts;
    bool staged = false;
    BI_TRY(find_heads(ctx, voxels));
    if (!voxels->coords && !voxels->counts) {
        *count = voxels->count;
        return BOSC_OK;
    }
    if (capacity < voxels->count) {
        *count = voxels->count;
        return bi_fail(ctx, BOSC_ERR_SPACE, "capacity: %lld voxels, but %lld are occupied", (long long)capacity,
                       (long long)voxels->count);
    }
    size_t bytes = (size_t)voxels->count * sizeof(int64_t);
    BI_TRY(bi_stage_out(ctx, voxels->coords, voxels->coords ? bytes * (size_t)voxels->view.dim : 0, &coords, &staged));
    BI_TRY(bi_stage_out(ctx, voxels->counts, voxels->counts ? bytes : 0, &counts, &staged));
    voxels->coords = coords.reachable;
    voxels->counts = counts.reachable;
    BI_TRY(ctx->ops->voxelgrid->steps->list_voxels(ctx, voxels->count, voxels));
    BI_TRY(bi_stage_back(ctx, &coords));
    BI_TRY(bi_stage_back(ctx, &counts));
    BI_TRY(ctx->backend->sync(ctx));
    *count = voxels->count;
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_voxels(bosc_ctx *ctx, const bosc_voxelgrid *grid, int64_t *coords, int64_t *counts,
                                  int64_t capacity, int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(bi_check_aligned(ctx, "coords", coords, sizeof *coords));
    BI_TRY(bi_check_aligned(ctx, "counts", counts, sizeof *counts));
    if ((coords || counts) && capacity < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "capacity: %lld is less than 0", (long long)capacity);
    if (!count) return bi_fail(ctx, BOSC_ERR_ARG, "count: NULL");
    if (grid->view.n == 0) {
        *count = 0;
        return BOSC_OK;
    }
    struct bi_voxelgrid_voxel_list args = {.view = grid->view, .coords = coords, .counts = counts};
    bi_progress_set_total(ctx, 3 * (double)grid->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, list_voxels(ctx, &args, capacity, count));
}
