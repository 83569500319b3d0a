/* Checks a goal, and prepares the refinement criterion. */
#include <string.h>

#include "base/elementary.h"
#include "core/check.h"
#include "terrain/drivers.h"

enum { MAX_REGIONS = 1024 };

static const double MOST = 0x1p+500; /* so that squares do not overflow */

static bool finite3(const double v[3])
{
    for (int c = 0; c < 3; c++)
        if (!(v[c] >= -MOST && v[c] <= MOST)) return false;
    return true;
}

/* Scales a vector to length 1; false for one without a direction. */
static bool unit(double v[3])
{
    double most = 0;
    for (int c = 0; c < 3; c++) most = v[c] > most ? v[c] : -v[c] > most ? -v[c] : most;
    if (most == 0) return false;
    double square = 0;
    for (int c = 0; c < 3; c++) {
        v[c] /= most;
        square += v[c] * v[c];
    }
    for (int c = 0; c < 3; c++) v[c] /= bi_sqrt(square);
    return true;
}

static void cross(const double a[3], const double b[3], double out[3])
{
    for (int c = 0; c < 3; c++) {
        int d = (c + 1) % 3, e = (c + 2) % 3;
        out[c] = a[d] * b[e] - a[e] * b[d];
    }
}

/* The planes of the view: to either side of the direction, and across it at the eye. */
static bool make_planes(const bosc_terrain_camera *camera, double tangent, struct bi_terrain_view *view)
{
    double ahead[3], up[3] = {0, 0, 1}, right[3], over[3];
    memcpy(ahead, camera->direction, sizeof ahead);
    if (camera->up[0] != 0 || camera->up[1] != 0 || camera->up[2] != 0) memcpy(up, camera->up, sizeof up);
    unit(ahead);
    unit(up);
    cross(ahead, up, right);
    double slant = 0;
    for (int c = 0; c < 3; c++) slant += right[c] * right[c];
    if (slant < 0x1p-80 || !unit(right)) return false;
    cross(right, ahead, over);
    double wide = tangent * camera->width / camera->height;
    for (int c = 0; c < 3; c++) {
        view->planes[0][c] = ahead[c];
        view->planes[1][c] = wide * ahead[c] + right[c];
        view->planes[2][c] = wide * ahead[c] - right[c];
        view->planes[3][c] = tangent * ahead[c] + over[c];
        view->planes[4][c] = tangent * ahead[c] - over[c];
    }
    return true;
}

static bosc_status check_camera(bosc_ctx *ctx, const bosc_terrain_camera *camera, struct bi_terrain_view *view)
{
    memset(view, 0, sizeof *view);
    if (!camera) return BOSC_OK;
    if (!finite3(camera->position)) return bi_fail(ctx, BOSC_ERR_ARG, "camera: its position is not finite");
    const double *direction = camera->direction;
    if (!finite3(direction) || (direction[0] == 0 && direction[1] == 0 && direction[2] == 0))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: its direction is not finite or has no length");
    if (!finite3(camera->up)) return bi_fail(ctx, BOSC_ERR_ARG, "camera: up is not finite");
    if (!(camera->fov > 0 && camera->fov < BI_PI))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: fov %g is not in 0 to pi", camera->fov);
    if (!(camera->pixels > 0 && camera->pixels <= 0x1p+100))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: pixels %g is not more than 0 and finite", camera->pixels);
    if (camera->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "camera: reserved is not 0");
    if (camera->width < 1 || camera->height < 1)
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: a viewport of %d x %d pixels", (int)camera->width,
                       (int)camera->height);
    double tangent = bi_sin_f64(camera->fov / 2) / bi_cos_f64(camera->fov / 2);
    view->on = true;
    view->cull = camera->cull != 0;
    view->scale = camera->height / (2 * tangent) / camera->pixels;
    memcpy(view->eye, camera->position, sizeof view->eye);
    if (view->cull && !make_planes(camera, tangent, view))
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
    BI_TRY(check_camera(ctx, full->camera, &view));
    *criterion = (struct bi_terrain_criterion){.grid = terrain->grid,
                                               .errors = terrain->errors.data,
                                               .bounds = bi_terrain_bounds_of(&terrain->grid),
                                               .region_count = full->region_count,
                                               .view = view,
                                               .spacing_x = terrain->opts.spacing,
                                               .spacing_y = terrain->opts.spacing_y,
                                               .error = full->error,
                                               .keep = 1 - full->hysteresis,
                                               .plain = !view.on && full->region_count == 0};
    criterion->bounds.cells = terrain->bounds.data;
    return BOSC_OK;
}
