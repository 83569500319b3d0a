/* Changes meshes: by goals (error bounds, cameras, budgets of triangles), or by commands for leaves. Both compute the
 * bits of a new tree from a decision for each diamond, and install them in the tree. */
#include <string.h>

#include "base/bits.h"
#include "cbt/cbt.h"
#include "core/camera.h"
#include "core/check.h"
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"

/* Computes the bits of a refinement in scratch and installs them in the tree. */
static bosc_status refine_tree(bosc_ctx *ctx, bosc_terrain *terrain, struct bi_terrain_refinement *step)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    const size_t bytes = bi_cbt_field_bytes(g->depth);
    BI_TRY(bi_scratch(ctx, bytes, (void **)&step->bits));
    if (g->depth < BOSC_CBT_BLOCK_BITS) BI_TRY(ctx->backend->fill(ctx, step->bits, 0, bytes));
    step->old_bits = terrain->tree->view.bits;
    if (ctx->ops->terrain->refine && bi_terrain_words_in_triangles(g))
        BI_TRY(ctx->ops->terrain->refine(ctx, step));
    else
        BI_TRY_WITH_COST(ctx, 64, BI_TERRAIN_STEP(ctx, refine, bi_cbt_bit_words(g->depth), step)); /* items are words */
    return bi_cbt_install_bits(ctx, terrain->tree, step->bits);
}

/* ---- goals ---- */

enum { MAX_REGIONS = 1024 };

static bosc_status set_camera(bosc_ctx *ctx, const bosc_terrain_camera *input, struct bi_terrain_view *view)
{
    static const double z[3] = {0, 0, 1};
    memset(view, 0, sizeof *view);
    if (!input) return BOSC_OK;
    const struct bi_camera camera = BI_CAMERA_OF(input);
    const double *up = input->up;
    BI_TRY(bi_check_camera(ctx, &camera));
    view->has_camera = true;
    view->cull = input->cull != 0;
    view->scale = input->height / (2 * bi_camera_tangent(&camera)) / input->pixels;
    memcpy(view->eye, input->position, sizeof view->eye);
    if (view->cull && !bi_camera_planes(&camera, up[0] != 0 || up[1] != 0 || up[2] != 0 ? up : z, view->planes))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: its direction and up are parallel");
    return BOSC_OK;
}

static bosc_status check_regions(bosc_ctx *ctx, const bosc_terrain_goal *goal)
{
    if (goal->region_count < 0 || goal->region_count > MAX_REGIONS)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: region_count %lld is not in 0 to %d", (long long)goal->region_count,
                       MAX_REGIONS);
    if (goal->region_count > 0 && !goal->regions) return bi_fail(ctx, BOSC_ERR_ARG, "goal: regions is NULL");
    for (int64_t i = 0; i < goal->region_count; i++) {
        const bosc_terrain_region *r = goal->regions + i;
        if (!(r->low[0] <= r->high[0] && r->low[1] <= r->high[1]))
            return bi_fail(ctx, BOSC_ERR_ARG, "goal: region %lld from (%g, %g) to (%g, %g) is none", (long long)i,
                           r->low[0], r->low[1], r->high[0], r->high[1]);
        if (!(r->error >= 0))
            return bi_fail(ctx, BOSC_ERR_ARG, "goal: region %lld has error %g", (long long)i, r->error);
        if (goal->triangles > 0 && r->error == 0)
            return bi_fail(ctx, BOSC_ERR_ARG, "goal: region %lld has error 0, which a budget cannot relax",
                           (long long)i);
    }
    return BOSC_OK;
}

static bosc_status check_fields(bosc_ctx *ctx, const bosc_terrain_goal *goal, bosc_terrain_goal *full)
{
    memset(full, 0, sizeof *full);
    if (!goal) return bi_fail(ctx, BOSC_ERR_ARG, "goal: NULL");
    BI_TRY(bi_check_size(ctx, "goal", "bosc_terrain_goal", goal->size, sizeof *goal));
    memcpy(full, goal, goal->size);
    if (!(full->error >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "goal: error %g is not 0 or more", full->error);
    if (full->triangles < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: triangles %lld is less than 0", (long long)full->triangles);
    if (!(full->hysteresis >= 0 && full->hysteresis < 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: hysteresis %g is not in 0 to less than 1", full->hysteresis);
    BI_TRY(check_regions(ctx, full));
    if (full->triangles > 0 && full->region_count > 0 && !full->camera && full->error == 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: error 0 beside regions, which a budget cannot relax");
    return BOSC_OK;
}

/* Checks a goal: a full copy, and the criterion that steps read. The caller sets `regions` to a copy in reach. */
static bosc_status check_goal(bosc_ctx *ctx, const bosc_terrain *terrain, const bosc_terrain_goal *goal,
                              bosc_terrain_goal *full, struct bi_terrain_criterion *criterion)
{
    struct bi_terrain_view view;
    BI_TRY(check_fields(ctx, goal, full));
    BI_TRY(set_camera(ctx, full->camera, &view));
    *criterion = (struct bi_terrain_criterion){.grid = terrain->grid,
                                               .errors = terrain->errors.data,
                                               .bounds = bi_terrain_bounds_of(&terrain->grid),
                                               .region_count = full->region_count,
                                               .view = view,
                                               .spacing_x = terrain->opts.spacing,
                                               .spacing_y = terrain->opts.spacing_y,
                                               .error = full->error,
                                               .keep_factor = 1 - full->hysteresis,
                                               .plain = !view.has_camera && full->region_count == 0};
    criterion->bounds.cells = terrain->bounds.data;
    return BOSC_OK;
}

/* ---- selection ---- */

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
                                     .old_bits = terrain->tree->view.bits,
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
    BI_TRY(refine_tree(ctx, terrain, &step));
    return waits ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_terrain_select(bosc_ctx *ctx, bosc_terrain *terrain, const bosc_terrain_goal *goal)
{
    bosc_terrain_goal full;
    struct bi_terrain_criterion criterion;
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(check_goal(ctx, terrain, goal, &full, &criterion));
    bi_progress_set_total(ctx, 3 * (double)bi_terrain_samples(&terrain->grid));
    BI_RETURN_WITH_SCRATCH(ctx, select_mesh(ctx, terrain, &full, &criterion));
}

/* ---- commands ---- */

static bosc_status apply_commands(bosc_ctx *ctx, bosc_terrain *terrain, const uint8_t *commands, int64_t command_count)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    struct bi_terrain_marks mark = {.grid = *g, .view = terrain->tree->view, .count = command_count};
    size_t words = (size_t)bi_terrain_state_words(g);
    const void *reach;
    bool staged = false;
    if (command_count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, commands, (size_t)command_count, &reach, &staged));
    mark.commands = reach;
    BI_TRY(bi_scratch_of(ctx, (int64_t)words, sizeof *mark.states, &mark.states));
    BI_TRY(ctx->backend->fill(ctx, mark.states, 0, words * sizeof *mark.states));
    BI_TRY(BI_TERRAIN_STEP(ctx, mark_split, bi_cbt_bit_words(g->depth), &mark));
    BI_TRY(BI_TERRAIN_STEP(ctx, mark_commands, mark.view.blocks, &mark));
    struct bi_terrain_refinement step = {.criterion.grid = *g, .states = mark.states};
    BI_TRY(refine_tree(ctx, terrain, &step));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_terrain_update(bosc_ctx *ctx, bosc_terrain *terrain, const uint8_t *commands, int64_t command_count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(bi_terrain_check_array(ctx, "command_count", command_count, "commands", commands, 1));
    BI_RETURN_WITH_SCRATCH(ctx, apply_commands(ctx, terrain, commands, command_count));
}
