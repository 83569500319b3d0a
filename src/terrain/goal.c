/* Checks a goal, and prepares the refinement criterion. */
#include <string.h>

#include "core/camera.h"
#include "core/check.h"
#include "terrain/drivers.h"

enum { MAX_REGIONS = 1024 };

static bosc_status set_camera(bosc_ctx *ctx, const bosc_terrain_camera *given, struct bi_terrain_view *view)
{
    static const double z[3] = {0, 0, 1};
    memset(view, 0, sizeof *view);
    if (!given) return BOSC_OK;
    const struct bi_camera camera = BI_CAMERA_OF(given);
    const double *up = given->up;
    BI_TRY(bi_check_camera(ctx, &camera));
    view->has_camera = true;
    view->cull = given->cull != 0;
    view->scale = given->height / (2 * bi_camera_tangent(&camera)) / given->pixels;
    memcpy(view->eye, given->position, sizeof view->eye);
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

bosc_status bi_terrain_check_goal(bosc_ctx *ctx, const bosc_terrain *terrain, const bosc_terrain_goal *goal,
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
