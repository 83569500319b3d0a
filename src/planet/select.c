/* Selects meshes by goals: cameras, error bounds, triangle budgets. */
#include "base/bits.h"
#include "planet/drivers.h"

/* One pass of splits and merges. errors: measured errors of the leaves; NULL: the estimates of the leaves. */
static bosc_status run_pass(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion,
                            const uint32_t *errors, bool *changed)
{
    const struct bi_bisector_view *pool = bi_planet_pool(planet);
    struct bi_planet_mark mark = {
        .criterion = *criterion, .leaves = planet->current.data, .nodes = pool->nodes, .errors = errors};
    const int64_t leaves = pool->leaves;
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *mark.commands, &mark.commands));
    BI_TRY(BI_PLANET_STEP(ctx, mark, leaves, &mark));
    return bi_planet_change(ctx, planet, mark.commands, leaves, changed);
}

/* Runs passes until nothing changes. This terminates: a triangle split for its own error is not merged, and a merged
 * one is split again only to conform with a finer triangle, which then prevents its merge. */
static bosc_status run_passes(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion,
                              int64_t passes)
{
    bool changed = true;
    for (int64_t p = 0; p < passes && changed; p++)
        BI_TRY_WITH_SCRATCH(ctx, run_pass(ctx, planet, criterion, NULL, passes > 1 ? &changed : NULL));
    return BOSC_OK;
}

/* Splits the leaves whose measured error exceeds the bound. */
static bosc_status split_measured(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion,
                                  bool *changed)
{
    const int64_t leaves = bi_planet_pool(planet)->leaves;
    uint32_t *errors;
    uint64_t worst;
    BI_TRY(bi_scratch_of(ctx, leaves, sizeof *errors, &errors));
    BI_TRY(ctx->backend->fill(ctx, errors, 0, (size_t)leaves * sizeof *errors));
    BI_TRY(bi_planet_measure_samples(ctx, planet, errors, &worst));
    *changed = (double)bi_f32_from_bits(~(uint32_t)(worst >> 32)) > criterion->error;
    return *changed ? run_pass(ctx, planet, criterion, errors, changed) : BOSC_OK;
}

/* Selects by an error bound: first by estimates, then by measured errors until all are within the bound. */
static bosc_status select_bound(bosc_ctx *ctx, bosc_planet *planet, const struct bi_planet_criterion *criterion)
{
    bool changed = true;
    BI_TRY(bi_planet_reset(ctx, planet));
    BI_TRY(run_passes(ctx, planet, criterion, INT64_MAX));
    while (changed) BI_TRY_WITH_SCRATCH(ctx, split_measured(ctx, planet, criterion, &changed));
    return BOSC_OK;
}

static bosc_status select_mesh(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal,
                               struct bi_planet_criterion *criterion)
{
    BI_TRY(bi_planet_refresh(ctx, planet));
    if (goal->triangles > 0) return bi_planet_select_budget(ctx, planet, goal, criterion);
    if (!goal->camera) return select_bound(ctx, planet, criterion);
    return run_passes(ctx, planet, criterion, goal->passes > 0 ? goal->passes : INT64_MAX);
}

bosc_status bosc_planet_select(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_goal *goal)
{
    bosc_planet_goal full;
    struct bi_planet_criterion criterion;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_raster(ctx, planet));
    BI_TRY(bi_planet_check_goal(ctx, planet, goal, &full, &criterion));
    const double samples = (double)planet->view.width * planet->view.height;
    bi_progress_set_total(ctx, 8 * (double)bi_planet_pool(planet)->leaves + (full.camera ? 0 : 64 * samples));
    BI_RETURN_WITH_SCRATCH(ctx, select_mesh(ctx, planet, &full, &criterion));
}
