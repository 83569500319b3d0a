/* boscage plan: the scene in, and the path, its picture, its motion and the frames of its film out. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/output/frames.h"
#include "tool/commands/plan_files.h"

enum { MOST_FRAMES = 100000, KEYS_MAX = 100000, SAMPLES = 10000 };

static const double degree = 3.14159265358979323846 / 180;

/* ---- in ---- */

int plan_scene_read(struct job *job, struct plan_scene *scene)
{
    int convex = 0, code;
    int64_t level = 0;
    bosc_io_error error;
    if ((code = option_choice(job, OPT_CONVEX, &convex)) || (code = option_integer(job, OPT_LEVEL, 1, 64, &level)))
        return code;
    bool given = job->value[OPT_CONVEX] != NULL;
    bosc_scene_opts opts = {.size = sizeof opts,
                            .level = (int32_t)level,
                            .robot_convex = given && convex != 1,
                            .obstacle_convex = given && convex != 0};
    double start = job_now();
    bosc_status status = job->operand_count == 2
                             ? bosc_scene_read_bodies(job->operands[0], job->operands[1], &opts, &scene->scene, &error)
                             : bosc_scene_read(job->operands[0], &opts, &scene->scene, &error);
    job_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

void plan_scene_close(struct plan_scene *scene)
{
    bosc_scene_free(&scene->scene);
    shape_close(&scene->robot);
    shape_close(&scene->obstacle);
}

/* ---- out ---- */

int plan_check_outputs(const struct job *job)
{
    static const enum option of_path[] = {OPT_OUTPUT, OPT_PNG,     OPT_GLB,       OPT_FILM,     OPT_FRAMES,
                                          OPT_WIDTH,  OPT_SAMPLES, OPT_MAX_BOXES, OPT_WEIGHTED, OPT_SAMPLER};
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof of_path / sizeof *of_path; i++)
        if (job->value[OPT_VERIFY] && job->value[of_path[i]])
            return say(EXIT_USAGE, "%s: does not apply to --verify", option_flag(of_path[i]));
    if (job->value[OPT_FRAMES] && !job->value[OPT_FILM])
        return say(EXIT_USAGE, "--frames: there are none without --film");
    if (job->value[OPT_WIDTH] && !job->value[OPT_FILM] && !job->value[OPT_PNG])
        return say(EXIT_USAGE, "--width: there is no picture without --png or --film");
    if (job->value[OPT_OUTPUT]) code = check_array_name("-o", job->value[OPT_OUTPUT]);
    if (!code) code = option_ending(job, OPT_PNG, (const char *const[]){".png", NULL});
    if (!code) code = option_ending(job, OPT_GLB, (const char *const[]){".glb", NULL});
    return code;
}

/* All that is written of a path. */
struct writing {
    struct plan_scene *scene;
    const bosc_planner *planner;
    const struct plan_route *route;
    int64_t width, frames;
    double whole; /* angle of the route */
};

/* The last part of a path, for a title. */
static const char *name_of(const char *path)
{
    const char *name = strrchr(path, '/');
    return name && name[1] ? name + 1 : path;
}

static int draw(struct job *job, const struct writing *w, struct canvas *canvas)
{
    bosc_planner_info info = {.size = sizeof info};
    char title[256];
    int64_t certified = 0, steps = w->route->count - 1;
    bosc_status status = bosc_planner_get_info(job->ctx, w->planner, &info);
    if (status != BOSC_OK) return say_ctx(job, status);
    int64_t count = 0;
    double *samples = job_alloc((size_t)SAMPLES * 4, sizeof *samples);
    uint8_t *collides = job_alloc((size_t)SAMPLES, 1);
    int code = samples && collides ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        status = plan_samples(job->ctx, bosc_planner_plan(w->planner), SAMPLES, samples, collides, &count);
        if (status != BOSC_OK) code = say_ctx(job, status);
    }
    for (int64_t i = 0; i < steps; i++) certified += w->route->certified[i];
    char cells[40] = "";
    if (info.cells > 0) snprintf(cells, sizeof cells, "%lld cells, ", (long long)info.cells);
    snprintf(title, sizeof title, "%s: %s%lld step%s, %.0f degrees, %s", name_of(job->operands[0]), cells,
             (long long)steps, steps == 1 ? "" : "s", w->whole / degree,
             certified == steps ? "certified" : "not all certified");
    const struct plan_picture picture = {
        &w->scene->robot,
        &w->scene->obstacle,
        {samples, collides, count, w->route->rotations, w->route->certified, w->route->count},
        title};
    if (!code && !plan_picture_draw(&picture, (int)w->width, canvas))
        code = say(EXIT_FAILED, "out of memory for the picture");
    free(samples);
    free(collides);
    return code;
}

/* Keys evenly by angle, four seconds a turn; a short path is slower. */
static int make_motion(const struct writing *w, bosc_motion *motion, double **times, double **rotations)
{
    double seconds = fmax(2, w->whole / (90 * degree));
    int64_t keys = 1 + (int64_t)ceil(w->whole / (3 * degree));
    keys = keys < 2 ? 2 : keys > KEYS_MAX ? KEYS_MAX : keys;
    *times = job_alloc((size_t)keys, sizeof **times);
    *rotations = job_alloc((size_t)keys * 4, sizeof **rotations);
    if (!*times || !*rotations) return EXIT_FAILED;
    for (int64_t i = 0; i < keys; i++) {
        double part = (double)i / (double)(keys - 1);
        (*times)[i] = seconds * part;
        route_at(w->route->rotations, w->route->count, part, *rotations + 4 * i);
    }
    *motion = (bosc_motion){.robot = w->scene->robot.mesh,
                            .obstacle = w->scene->obstacle.mesh,
                            .keys = keys,
                            .times = *times,
                            .rotations = *rotations};
    return EXIT_DONE;
}

/* The path, the picture and the motion: all of them or none. */
static int write_files(struct job *job, const struct writing *w)
{
    struct canvas canvas = {0};
    bosc_motion motion;
    bosc_io_error error;
    double *times = NULL, *rotations = NULL, start = job_now();
    uint8_t *rgb = NULL;
    int code = job->value[OPT_PNG] ? draw(job, w, &canvas) : EXIT_DONE;
    if (!code && job->value[OPT_PNG] && !(rgb = canvas_rgb(&canvas)))
        code = say(EXIT_FAILED, "out of memory for the picture");
    if (job->value[OPT_PNG]) job_seconds(job, "draw", start);
    if (!code && job->value[OPT_GLB]) code = make_motion(w, &motion, &times, &rotations);
    bosc_array path = {.dtype = BOSC_F64, .rank = 2, .shape = {w->route->count, 4, 1, 1}, .data = w->route->rotations};
    const bosc_route_files files = {.path = job->value[OPT_OUTPUT],
                                    .rotations = &path,
                                    .png_path = job->value[OPT_PNG],
                                    .rgb = rgb,
                                    .width = canvas.width,
                                    .height = canvas.height,
                                    .motion_path = job->value[OPT_GLB],
                                    .motion = &motion};
    start = job_now();
    if (!code) {
        bosc_status status = bosc_route_write(&files, &error);
        if (status != BOSC_OK) code = say_io(status, &error);
        job_seconds(job, "write", start);
    }
    free(rgb);
    free(times);
    free(rotations);
    canvas_close(&canvas);
    return code;
}

/* Frames from the begin to the end, evenly by angle. */
static int film(struct job *job, const struct writing *w)
{
    struct stage stage;
    struct canvas canvas = {0};
    bosc_io_error error;
    char name[FRAME_NAME_SIZE];
    const char *folder = job->value[OPT_FILM];
    int width = (int)w->width, height = width * 9 / 16;
    double start = job_now();
    int code = folder_make(folder);
    if (code) return code;
    if (!stage_open(&stage, &w->scene->robot, &w->scene->obstacle, width, height) ||
        !canvas_open(&canvas, width, height, colour_of(0)))
        code = say(EXIT_FAILED, "out of memory for a frame");
    for (int64_t i = 0; i < w->frames && !code; i++) {
        double q[4];
        route_at(w->route->rotations, w->route->count, w->frames > 1 ? (double)i / (double)(w->frames - 1) : 0, q);
        if (!frame_name(folder, i, name))
            code = say(EXIT_FAILED, "--film: the name of the folder is too long");
        else if (!stage_draw(&stage, q, &canvas, 0, 0))
            code = say(EXIT_FAILED, "out of memory for a frame");
        bosc_status status = code ? BOSC_OK : canvas_write(&canvas, name, &error);
        if (status != BOSC_OK) code = say_io(status, &error);
    }
    if (!code) code = frames_remove_from(folder, w->frames);
    canvas_close(&canvas);
    stage_close(&stage);
    job_seconds(job, "film", start);
    if (!code) job_integer(job, "frames", w->frames);
    return code;
}

int plan_write(struct job *job, struct plan_scene *scene, const bosc_planner *planner, const struct plan_route *route)
{
    struct writing w = {.scene = scene, .planner = planner, .route = route, .frames = 60};
    int code;
    w.width = job->value[OPT_FILM] && !job->value[OPT_PNG] ? 1280 : 1600;
    w.whole = route_angle(route->rotations, route->count);
    if ((code = option_integer(job, OPT_WIDTH, 64, 16384, &w.width)) ||
        (code = option_integer(job, OPT_FRAMES, 1, MOST_FRAMES, &w.frames)))
        return code;
    bool drawn = job->value[OPT_PNG] || job->value[OPT_GLB] || job->value[OPT_FILM];
    if (drawn && (!shape_open(&scene->robot, &scene->scene.plan.robot) ||
                  !shape_open(&scene->obstacle, &scene->scene.plan.obstacle)))
        return say(EXIT_FAILED, "out of memory for the bodies");
    code = write_files(job, &w);
    if (!code && job->value[OPT_FILM]) code = film(job, &w);
    return code;
}
