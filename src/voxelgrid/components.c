/* Connected components of the points within a radius of each other, by union-find. */
#include "voxelgrid/drivers.h"

static bosc_status find_components(bosc_ctx *ctx, struct bi_voxelgrid_components *components, int64_t *count)
{
    const struct bi_voxelgrid_steps *steps = ctx->ops->voxelgrid->steps;
    int64_t n = components->view.n, found, *found_at;
    struct bi_out labels;
    bool staged = false;
    BI_TRY(bi_stage_out(ctx, components->labels, components->labels ? (size_t)n * (components->ids_64bit ? 8 : 4) : 0,
                        &labels, &staged));
    BI_TRY(bi_scratch_of(ctx, n, sizeof(uint32_t), &components->parent));
    BI_TRY(bi_scratch_of(ctx, n, 1, &components->roots));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof found, &found_at));
    components->labels = labels.reachable;
    struct bi_flatten flatten = {components->parent};
    BI_TRY(steps->singletons(ctx, n, components));
    BI_TRY_WITH_COST(ctx, BI_VOXELGRID_SEARCH_COST, steps->unite(ctx, n, components));
    BI_TRY(steps->flatten(ctx, n, &flatten));
    BI_TRY(steps->roots(ctx, n, components));
    BI_TRY(ctx->backend->core->compact(ctx, 1, components->roots, components->roots, n, NULL, found_at));
    BI_TRY(bi_read_back(ctx, &found, found_at, sizeof found));
    if (components->labels) BI_TRY(steps->label(ctx, n, components));
    BI_TRY(bi_stage_back(ctx, &labels));
    BI_TRY(ctx->backend->sync(ctx));
    if (count) *count = found;
    return BOSC_OK;
}

bosc_status bosc_voxelgrid_components(bosc_ctx *ctx, const bosc_voxelgrid *grid, double radius, void *labels,
                                      int64_t *count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_voxelgrid_check(ctx, grid));
    BI_TRY(bi_voxelgrid_check_radius(ctx, radius));
    BI_TRY(bi_voxelgrid_check_answers(ctx, grid, "labels", labels, NULL));
    if (grid->view.n == 0) {
        if (count) *count = 0;
        return BOSC_OK;
    }
    struct bi_voxelgrid_components args = {.view = grid->view, .labels = labels, .ids_64bit = grid->opts.id_bits == 64};
    bi_voxelgrid_square_radius(grid, radius, &args.r2, &args.reach);
    bi_progress_set_total(ctx, (5 + BI_VOXELGRID_SEARCH_COST) * (double)grid->view.n);
    BI_RETURN_WITH_SCRATCH(ctx, find_components(ctx, &args, count));
}
