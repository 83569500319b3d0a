/* Answers queries about leaves and points of meshes. */
#include "cbt/cbt.h"
#include "core/check.h"
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"

static struct bi_terrain_query query_of(const bosc_terrain *terrain)
{
    struct bi_terrain_query query = {.grid = terrain->grid,
                                     .view = terrain->tree->view,
                                     .samples = terrain->heights.data,
                                     .spacing_x = terrain->opts.spacing,
                                     .spacing_y = terrain->opts.spacing_y};
    return query;
}

/* Runs a step that writes three numbers an item. */
static bosc_status write_triples(bosc_ctx *ctx, bi_step_fn step, struct bi_terrain_query *query, int64_t count,
                                 int64_t *to, bool staged)
{
    struct bi_out out;
    BI_TRY(bi_stage_out(ctx, to, (size_t)count * 3 * sizeof *to, &out, &staged));
    query->answers = out.reachable;
    BI_TRY(step(ctx, count, query));
    BI_TRY(bi_stage_back(ctx, &out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

static bosc_status query_corners(bosc_ctx *ctx, const bosc_terrain *terrain, int64_t first, int64_t count,
                                 int64_t *samples)
{
    struct bi_terrain_query query = query_of(terrain);
    if (count == 0) return BOSC_OK;
    query.first = first;
    return write_triples(ctx, ctx->ops->terrain->steps->terrain_corners, &query, count, samples, false);
}

bosc_status bosc_terrain_get_corners(bosc_ctx *ctx, const bosc_terrain *terrain, int64_t first, int64_t count,
                                     int64_t *samples)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(bi_terrain_check_array(ctx, "count", count, "samples", samples, sizeof *samples));
    BI_TRY(bi_terrain_check_rows(ctx, "count", count, 3 * sizeof *samples));
    BI_TRY(bi_check_range(ctx, first, count));
    BI_RETURN_WITH_SCRATCH(ctx, query_corners(ctx, terrain, first, count, samples));
}

static bosc_status query_points(bosc_ctx *ctx, const bosc_terrain *terrain, const double *points, int64_t point_count,
                                int64_t *leaves, double *heights)
{
    struct bi_terrain_query query = query_of(terrain);
    struct bi_out leaves_out, heights_out;
    const void *reach;
    bool staged = false;
    if (point_count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, points, (size_t)point_count * 2 * sizeof *points, &reach, &staged));
    BI_TRY(bi_stage_out(ctx, leaves, leaves ? (size_t)point_count * sizeof *leaves : 0, &leaves_out, &staged));
    BI_TRY(bi_stage_out(ctx, heights, heights ? (size_t)point_count * sizeof *heights : 0, &heights_out, &staged));
    query.points = reach;
    query.answers = leaves_out.reachable;
    query.heights = heights_out.reachable;
    BI_TRY(BI_TERRAIN_STEP(ctx, locate, point_count, &query));
    BI_TRY(bi_stage_back(ctx, &leaves_out));
    BI_TRY(bi_stage_back(ctx, &heights_out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_terrain_locate(bosc_ctx *ctx, const bosc_terrain *terrain, const double *points, int64_t point_count,
                                int64_t *leaves, double *heights)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(bi_terrain_check_array(ctx, "point_count", point_count, "points", points, sizeof *points));
    BI_TRY(bi_terrain_check_rows(ctx, "point_count", point_count, 2 * sizeof *points));
    BI_TRY(bi_terrain_check_array(ctx, "point_count", leaves ? point_count : 0, "leaves", leaves, sizeof *leaves));
    BI_TRY(bi_terrain_check_array(ctx, "point_count", heights ? point_count : 0, "heights", heights, sizeof *heights));
    bi_progress_set_total(ctx, (double)point_count);
    BI_RETURN_WITH_SCRATCH(ctx, query_points(ctx, terrain, points, point_count, leaves, heights));
}

static bosc_status query_neighbours(bosc_ctx *ctx, const bosc_terrain *terrain, const int64_t *leaves,
                                    int64_t leaf_count, int64_t *answers)
{
    struct bi_terrain_query query = query_of(terrain);
    const void *reach;
    bool staged = false;
    if (leaf_count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, leaves, (size_t)leaf_count * sizeof *leaves, &reach, &staged));
    query.leaves = reach;
    return write_triples(ctx, ctx->ops->terrain->steps->terrain_neighbours, &query, leaf_count, answers, staged);
}

bosc_status bosc_terrain_get_neighbours(bosc_ctx *ctx, const bosc_terrain *terrain, const int64_t *leaves,
                                        int64_t leaf_count, int64_t *answers)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(bi_terrain_check_array(ctx, "leaf_count", leaf_count, "leaves", leaves, sizeof *leaves));
    BI_TRY(bi_terrain_check_array(ctx, "leaf_count", leaf_count, "neighbours", answers, sizeof *answers));
    BI_TRY(bi_terrain_check_rows(ctx, "leaf_count", leaf_count, 3 * sizeof *answers));
    BI_RETURN_WITH_SCRATCH(ctx, query_neighbours(ctx, terrain, leaves, leaf_count, answers));
}
