/* Checks a goal, and prepares the refinement criterion. */
#include <string.h>

#include "base/elementary.h"
#include "core/camera.h"
#include "planet/drivers.h"

/* Sets the horizon: the angle from the eye, seen from the center, beyond which no surface is visible. It is the angle
 * to the horizon of the lowest ground, plus the angle at which the highest ground shows above that. */
static void make_horizon(const struct bi_planet_view *view, struct bi_planet_criterion *a)
{
    const double margin = 4 * view->amplitude * (view->octaves > 0), low = view->radius + view->low - margin,
                 high = view->radius + view->high + margin;
    double distance = 0;
    memcpy(a->toward_eye, a->eye, sizeof a->eye);
    for (int c = 0; c < 3; c++) distance += a->eye[c] * a->eye[c];
    distance = bi_sqrt(distance);
    a->horizon = distance > low && low > 0 && bi_normalize3(a->toward_eye);
    if (!a->horizon) return;
    const double near = low / distance, far = low / high, near_sine = bi_sqrt(1 - near * near),
                 far_sine = bi_sqrt(1 - far * far);
    a->cosine = near * far - near_sine * far_sine;
    a->sine = near_sine * far + near * far_sine;
}

static bosc_status set_camera(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_camera *given,
                              struct bi_planet_criterion *a)
{
    const struct bi_camera camera = BI_CAMERA_OF(given);
    BI_TRY(bi_check_camera(ctx, &camera));
    a->has_camera = true;
    a->cull = given->cull != 0;
    memcpy(a->eye, given->position, sizeof a->eye);
    make_horizon(&planet->view, a);
    if (!a->cull) return BOSC_OK;
    if (!bi_camera_planes(&camera, given->up, a->planes))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: its direction and up are parallel, or up has no length");
    for (int i = 1; i < 5; i++) bi_normalize3(a->planes[i]);
    return BOSC_OK;
}

void bi_planet_set_limits(const bosc_planet_goal *goal, double times, struct bi_planet_criterion *criterion)
{
    const double error = goal->error > 0 ? goal->error : 1, keep = 1 - goal->hysteresis;
    criterion->never = times == BI_INFINITY;
    criterion->split.error = error * times;
    criterion->merge.error = error * times * keep;
    if (!goal->camera) return;
    const struct bi_camera camera = BI_CAMERA_OF(goal->camera);
    criterion->split.scale = goal->camera->height / (2 * bi_camera_tangent(&camera)) / goal->camera->pixels / times;
    criterion->merge.scale = criterion->split.scale / keep;
}

bosc_status bi_planet_check_goal(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_goal *goal,
                                 bosc_planet_goal *full, struct bi_planet_criterion *criterion)
{
    if (!goal) return bi_fail(ctx, BOSC_ERR_ARG, "goal: NULL");
    BI_TRY(bi_check_size(ctx, "goal", "bosc_planet_goal", goal->size, sizeof *goal));
    BI_TRY(bi_read_opts(ctx, "bosc_planet_goal", goal, full, sizeof *full));
    if (!(full->error >= 0)) return bi_fail(ctx, BOSC_ERR_ARG, "goal: error %g is not 0 or more", full->error);
    if (full->triangles < 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: triangles %lld is less than 0", (long long)full->triangles);
    if (!(full->hysteresis >= 0 && full->hysteresis < 1))
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: hysteresis %g is not in 0 to less than 1", full->hysteresis);
    if (full->level < 0 || full->level > planet->opts.depth)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: level %d is not in 0 to depth %d", (int)full->level,
                       (int)planet->opts.depth);
    if (full->passes < 0) return bi_fail(ctx, BOSC_ERR_ARG, "goal: passes %d is less than 0", (int)full->passes);
    if (full->error == 0 && !full->camera && full->triangles == 0)
        return bi_fail(ctx, BOSC_ERR_ARG, "goal: error 0 without a camera or a budget");
    if (full->level == 0) full->level = planet->opts.depth;
    *criterion = (struct bi_planet_criterion){.error = full->error, .level = full->level};
    if (full->camera) BI_TRY(set_camera(ctx, planet, full->camera, criterion));
    bi_planet_set_limits(full, 1, criterion);
    return BOSC_OK;
}
