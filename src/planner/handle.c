/* The handle of planners: options, checks, create and free, info. */
#include "planner/handle.h"

bosc_status bi_planner_check(bosc_ctx *ctx, const bosc_planner *planner)
{
    return bi_check_handle(ctx, "planner", planner ? &planner->memory : NULL);
}

bosc_status bi_planner_check_built(bosc_ctx *ctx, const bosc_planner *planner)
{
    BI_TRY(bi_planner_check(ctx, planner));
    return planner->plan ? BOSC_OK : bi_fail(ctx, BOSC_ERR_ARG, "planner: it has no scene");
}

bosc_status bi_planner_check_rotations(bosc_ctx *ctx, const double *rotations, int64_t n)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "n: %lld is less than 0", (long long)n);
    if (n >= (int64_t)UINT32_MAX) return bi_fail(ctx, BOSC_ERR_LIMIT, "n: %lld is not below 2^32 - 1", (long long)n);
    if (n > 0 && !rotations) return bi_fail(ctx, BOSC_ERR_ARG, "rotations: NULL");
    return bi_check_aligned(ctx, "rotations", rotations, sizeof *rotations);
}

bosc_status bi_planner_check_opts(bosc_ctx *ctx, const bosc_planner_opts *opts, bosc_planner_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_planner_opts", opts, full, sizeof *full));
    if (full->sampling < BOSC_PLAN_CIRCLES || full->sampling > BOSC_PLAN_UNIFORM)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: sampling %d is none", (int)full->sampling);
    if (full->max_rows < 0 || full->max_rows >= (int64_t)UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: max_rows %lld is not in 0 to 2^32 - 2", (long long)full->max_rows);
    if (full->batch < 0) return bi_fail(ctx, BOSC_ERR_ARG, "opts: batch %lld is less than 0", (long long)full->batch);
    if (full->new_rate != full->new_rate) return bi_fail(ctx, BOSC_ERR_ARG, "opts: new_rate is not a number");
    if (full->lazy != 0 && full->lazy != 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: lazy %d is neither 0 nor 1", (int)full->lazy);
    if (full->max_rows == 0) full->max_rows = 65536;
    if (full->batch == 0) full->batch = 16384;
    if (full->new_rate == 0) full->new_rate = 0.01;
    return BOSC_OK;
}

bosc_status bosc_planner_create(bosc_ctx *ctx, const bosc_planner_opts *opts, bosc_planner **planner)
{
    bosc_planner_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check_opts(ctx, opts, &full));
    if (!planner) return bi_fail(ctx, BOSC_ERR_ARG, "planner: NULL");
    return BI_NEW_HANDLE(ctx, planner, .opts = full);
}

void bi_planner_clear_cells(bosc_planner *planner)
{
    if (planner->roadmap) planner->kept_roadmap = planner->roadmap;
    planner->roadmap = NULL;
    planner->cells = planner->free_cells = planner->components = 0;
}

void bi_planner_clear(bosc_planner *planner)
{
    bi_planner_clear_cells(planner);
    if (planner->plan) planner->kept_plan = planner->plan;
    planner->plan = NULL;
    planner->scene = (struct bi_planner_scene){.form_count = 0};
    planner->path.count = 0;
}

void bosc_planner_free(bosc_planner *planner)
{
    if (!planner) return;
    bi_planner_clear(planner);
    bosc_roadmap_free(planner->kept_roadmap);
    bosc_plan_free(planner->kept_plan);
    bi_block_free(&planner->host, &planner->work);
    for (int b = 0; b < BI_PLANNER_BLOCKS; b++) bi_block_free(&planner->memory, &planner->blocks[b]);
    bi_block_free(&planner->host, &planner->path.rotations);
    bi_block_free(&planner->host, &planner->path.certified);
    bi_memory_release(&planner->host, planner, sizeof *planner);
}

bosc_status bi_planner_reserve_block(bosc_ctx *ctx, bosc_planner *planner, int block, int64_t count, size_t size)
{
    return bi_block_reserve(ctx, &planner->memory, &planner->blocks[block], (size_t)count * size);
}

const bosc_plan *bosc_planner_plan(const bosc_planner *planner) { return planner ? planner->plan : NULL; }

const bosc_roadmap *bosc_planner_roadmap(const bosc_planner *planner) { return planner ? planner->roadmap : NULL; }

bosc_status bosc_planner_get_info(bosc_ctx *ctx, const bosc_planner *planner, bosc_planner_info *info)
{
    bosc_plan_info plan = {.size = sizeof plan}, kept_plan = {.size = sizeof kept_plan};
    bosc_roadmap_info roadmap = {.size = sizeof roadmap}, kept = {.size = sizeof kept};
    BI_ENTER(ctx);
    BI_TRY(bi_planner_check(ctx, planner));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_planner_info));
    if (planner->plan) BI_TRY(bosc_plan_get_info(ctx, planner->plan, &plan));
    if (planner->kept_plan) BI_TRY(bosc_plan_get_info(ctx, planner->kept_plan, &kept_plan));
    if (planner->roadmap) BI_TRY(bosc_roadmap_get_info(ctx, planner->roadmap, &roadmap));
    if (planner->kept_roadmap) BI_TRY(bosc_roadmap_get_info(ctx, planner->kept_roadmap, &kept));
    bosc_planner_info full = {.rows = roadmap.rows,
                              .constraints = plan.constraints,
                              .cells = planner->cells,
                              .free_cells = planner->free_cells,
                              .edges = roadmap.edges,
                              .components = planner->components,
                              .robot_bodies = planner->scene.robot.count,
                              .obstacle_bodies = planner->scene.obstacle.count,
                              .bytes = plan.bytes + kept_plan.bytes + roadmap.bytes + kept.bytes};
    for (int b = 0; b < BI_PLANNER_BLOCKS; b++) full.bytes += (int64_t)planner->blocks[b].bytes;
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
