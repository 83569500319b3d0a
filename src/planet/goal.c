/* Checks a goal, and prepares the refinement criterion. */
#include <string.h>

#include "base/elementary.h"
#include "planet/drivers.h"

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
    double most = 0, square = 0;
    for (int c = 0; c < 3; c++) most = v[c] > most ? v[c] : -v[c] > most ? -v[c] : most;
    if (most == 0) return false;
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
        const int d = (c + 1) % 3, e = (c + 2) % 3;
        out[c] = a[d] * b[e] - a[e] * b[d];
    }
}

/* The planes of the view, with normals of length 1: to either side of the direction, and across it at the eye. */
static bool make_planes(const bosc_planet_camera *camera, double tangent, struct bi_planet_criterion *a)
{
    double ahead[3], up[3], right[3], over[3];
    memcpy(ahead, camera->direction, sizeof ahead);
    memcpy(up, camera->up, sizeof up);
    if (!unit(ahead) || !unit(up)) return false;
    cross(ahead, up, right);
    if (right[0] * right[0] + right[1] * right[1] + right[2] * right[2] < 0x1p-80 || !unit(right)) return false;
    cross(right, ahead, over);
    const double wide = tangent * camera->width / camera->height;
    for (int c = 0; c < 3; c++) {
        a->planes[0][c] = ahead[c];
        a->planes[1][c] = wide * ahead[c] + right[c];
        a->planes[2][c] = wide * ahead[c] - right[c];
        a->planes[3][c] = tangent * ahead[c] + over[c];
        a->planes[4][c] = tangent * ahead[c] - over[c];
    }
    for (int i = 1; i < 5; i++) unit(a->planes[i]);
    return true;
}

/* From the eye's distance, over the lowest ground, that of the farthest point at which the highest shows. */
static void make_horizon(const struct bi_planet_view *view, struct bi_planet_criterion *a)
{
    const double margin = 4 * view->amplitude * (view->octaves > 0), low = view->radius + view->low - margin,
                 high = view->radius + view->high + margin;
    double distance = 0;
    memcpy(a->toward_eye, a->eye, sizeof a->eye);
    for (int c = 0; c < 3; c++) distance += a->eye[c] * a->eye[c];
    distance = bi_sqrt(distance);
    a->horizon = distance > low && low > 0 && unit(a->toward_eye);
    if (!a->horizon) return;
    const double near = low / distance, far = low / high, near_sine = bi_sqrt(1 - near * near),
                 far_sine = bi_sqrt(1 - far * far);
    a->cosine = near * far - near_sine * far_sine;
    a->sine = near_sine * far + near * far_sine;
}

static bosc_status check_camera(bosc_ctx *ctx, const bosc_planet_camera *camera)
{
    const double *direction = camera->direction;
    if (!finite3(camera->position)) return bi_fail(ctx, BOSC_ERR_ARG, "camera: its position is not finite");
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
    return BOSC_OK;
}

static bosc_status take_camera(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_camera *camera,
                               struct bi_planet_criterion *a)
{
    BI_TRY(check_camera(ctx, camera));
    const double tangent = bi_sin_f64(camera->fov / 2) / bi_cos_f64(camera->fov / 2);
    a->on = true;
    a->cull = camera->cull != 0;
    memcpy(a->eye, camera->position, sizeof a->eye);
    make_horizon(&planet->view, a);
    if (a->cull && !make_planes(camera, tangent, a))
        return bi_fail(ctx, BOSC_ERR_ARG, "camera: its direction and up are parallel, or up has no length");
    return BOSC_OK;
}

void bi_planet_set_limits(const bosc_planet_goal *goal, double times, struct bi_planet_criterion *criterion)
{
    const double error = goal->error > 0 ? goal->error : 1, keep = 1 - goal->hysteresis;
    criterion->never = times == BI_INFINITY;
    criterion->split.error = error * times;
    criterion->merge.error = error * times * keep;
    if (!goal->camera) return;
    const double half = goal->camera->fov / 2, tangent = bi_sin_f64(half) / bi_cos_f64(half);
    criterion->split.scale = goal->camera->height / (2 * tangent) / goal->camera->pixels / times;
    criterion->merge.scale = criterion->split.scale / keep;
}

bosc_status bi_planet_check_goal(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_goal *goal,
                                 bosc_planet_goal *full, struct bi_planet_criterion *criterion)
{
    if (!goal) return bi_fail(ctx, BOSC_ERR_ARG, "goal: NULL");
    BI_TRY(bi_check_size(ctx, "goal", "bosc_planet_goal", goal->size, sizeof *goal));
    BI_TRY(bi_take_opts(ctx, "bosc_planet_goal", goal, full, sizeof *full));
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
    if (full->camera) BI_TRY(take_camera(ctx, planet, full->camera, criterion));
    bi_planet_set_limits(full, 1, criterion);
    return BOSC_OK;
}
