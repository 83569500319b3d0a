/* Selects meshes by goals: error bounds, cameras, triangle budgets. */
#include "base/bits.h"
#include "terrain/drivers.h"

/* Number of triangles of the coarsest mesh. */
static int64_t count_coarsest_triangles(const struct bi_terrain_grid *g)
{
    int64_t last = g->tall ? g->last_y : g->last_x;
    return g->half ? 1 : 2 * (((last - 1) >> g->side) + 1);
}

/* *threshold becomes the smallest error ratio above which the splits keep to the budget. */
static bosc_status find_threshold(bosc_ctx *ctx, const bosc_terrain *terrain,
                                  const struct bi_terrain_criterion *criterion, float min_threshold, int64_t budget,
                                  float *threshold)
{
    struct bi_terrain_budget step = {.criterion = *criterion,
                                     .old_bits = bi_cbt_view_of(terrain->tree)->bits,
                                     .threshold = threshold,
                                     .min_threshold = min_threshold};
    int64_t left = budget - count_coarsest_triangles(&terrain->grid);
    uint64_t start[2] = {0, left > 0 ? (uint64_t)left : 0};
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *step.prefix, &step.prefix));
    BI_TRY(bi_scratch_of(ctx, 256, sizeof *step.gain, &step.gain));
    BI_TRY(ctx->backend->copy(ctx, step.prefix, start, sizeof start));
    BI_TRY(ctx->backend->fill(ctx, step.gain, 0, 256 * sizeof *step.gain));
    for (step.shift = 24; step.shift >= 0; step.shift -= 8) {
        if (ctx->ops->terrain->count_gain)
            BI_TRY(ctx->ops->terrain->count_gain(ctx, &step));
        else
            BI_TRY(BI_TERRAIN_STEP(ctx, count_gain, bi_terrain_slots(&terrain->grid), &step));
        BI_TRY(BI_TERRAIN_STEP(ctx, select_digit, 1, &step));
    }
    return ctx->backend->sync(ctx); /* the copy reads `start`, which is on the stack */
}

/* The largest float not greater than x. */
static float round_down(double x)
{
    float f = (float)x;
    return (double)f > x ? bi_f32_from_bits(bi_f32_bits(f) - 1) : f;
}

static bosc_status select_mesh(bosc_ctx *ctx, bosc_terrain *terrain, const bosc_terrain_goal *goal,
                               struct bi_terrain_criterion *criterion)
{
    struct bi_terrain_refinement step = {.min_threshold = criterion->plain ? round_down(goal->error) : 1};
    bool waits = goal->region_count > 0 || goal->triangles > 0;
    if (goal->region_count > 0) {
        bosc_terrain_region *regions;
        BI_TRY(bi_scratch_of(ctx, goal->region_count, sizeof *regions, &regions));
        BI_TRY(ctx->backend->copy(ctx, regions, goal->regions, (size_t)goal->region_count * sizeof *regions));
        criterion->regions = regions;
    }
    if (goal->triangles > 0) {
        float *threshold;
        BI_TRY(bi_scratch_of(ctx, 1, sizeof *threshold, &threshold));
        BI_TRY(find_threshold(ctx, terrain, criterion, step.min_threshold, goal->triangles, threshold));
        step.threshold = threshold;
    }
    step.criterion = *criterion;
    BI_TRY(bi_terrain_refine_tree(ctx, terrain, &step));
    return waits ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_terrain_select(bosc_ctx *ctx, bosc_terrain *terrain, const bosc_terrain_goal *goal)
{
    bosc_terrain_goal full;
    struct bi_terrain_criterion criterion;
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(bi_terrain_check_goal(ctx, terrain, goal, &full, &criterion));
    bi_progress_set_total(ctx, 3 * (double)bi_terrain_samples(&terrain->grid));
    BI_RETURN_WITH_SCRATCH(ctx, select_mesh(ctx, terrain, &full, &criterion));
}
