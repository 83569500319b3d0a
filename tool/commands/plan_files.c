#include "tool/commands/plan_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/frames.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/ranks.h"
#include "tool/tool.h"

enum { FRAMES_MAX = 100000, KEYS_MAX = 100000, SAMPLES = 10000 }; /* chosen; FRAMES_MAX is the range of five digits */

static const double degree = 3.14159265358979323846 / 180;

/* ---- input ---- */

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
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

void plan_scene_close(struct plan_scene *scene)
{
    bosc_scene_free(&scene->scene);
    shape_close(&scene->robot);
    shape_close(&scene->obstacle);
}

/* ---- output ---- */

int plan_check_outputs(const struct job *job)
{
    static const enum option path_options[] = {OPT_OUTPUT, OPT_PNG,     OPT_GLB,       OPT_FILM,     OPT_FRAMES,
                                               OPT_WIDTH,  OPT_SAMPLES, OPT_MAX_BOXES, OPT_WEIGHTED, OPT_SAMPLER};
    int code = EXIT_DONE;
    for (size_t i = 0; i < sizeof path_options / sizeof *path_options; i++)
        if (job->value[OPT_VERIFY] && job->value[path_options[i]])
            return report_error(EXIT_USAGE, "%s: does not apply to --verify", option_flag(path_options[i]));
    if (job->value[OPT_FRAMES] && !job->value[OPT_FILM]) return report_error(EXIT_USAGE, "--frames: requires --film");
    if (job->value[OPT_WIDTH] && !job->value[OPT_FILM] && !job->value[OPT_PNG])
        return report_error(EXIT_USAGE, "--width: requires --png or --film");
    if (job->value[OPT_OUTPUT]) code = check_array_name("-o", job->value[OPT_OUTPUT]);
    if (!code) code = option_ending(job, OPT_PNG, (const char *const[]){".png", NULL});
    if (!code) code = option_ending(job, OPT_GLB, (const char *const[]){".glb", NULL});
    return code;
}

/* A path and the form of its output. */
struct plan_output {
    struct plan_scene *scene;
    const bosc_planner *planner;
    const struct plan_route *route;
    int64_t width, frames;
    double total_angle; /* of the route */
};

/* Returns the last part of a path, for a title. */
static const char *file_name(const char *path)
{
    const char *name = strrchr(path, '/');
    return name && name[1] ? name + 1 : path;
}

/* Opens the canvas and draws the picture of the path. */
static int draw_picture(struct job *job, const struct plan_output *w, struct canvas *canvas)
{
    bosc_planner_info info = {.size = sizeof info};
    char title[256];
    int64_t certified = 0, steps = w->route->count - 1;
    bosc_status status = bosc_planner_get_info(job->ctx, w->planner, &info);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    /* 1. Sample rotations for the ball. */
    int64_t count = 0;
    double *samples = job_alloc((size_t)SAMPLES * 4, sizeof *samples);
    uint8_t *collides = job_alloc((size_t)SAMPLES, 1);
    int code = samples && collides ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        status = plan_samples(job->ctx, bosc_planner_plan(w->planner), SAMPLES, samples, collides, &count);
        if (status != BOSC_OK) code = report_ctx_error(job, status);
    }
    /* 2. The title. */
    for (int64_t i = 0; i < steps; i++) certified += w->route->certified[i];
    char cells[40] = "";
    if (info.cells > 0) snprintf(cells, sizeof cells, "%lld cells, ", (long long)info.cells);
    snprintf(title, sizeof title, "%s: %s%lld step%s, %.0f degrees, %s", file_name(job->operands[0]), cells,
             (long long)steps, steps == 1 ? "" : "s", w->total_angle / degree,
             certified == steps ? "certified" : "not all certified");
    /* 3. The picture. */
    const struct plan_picture picture = {
        &w->scene->robot,
        &w->scene->obstacle,
        {samples, collides, count, w->route->rotations, w->route->certified, w->route->count},
        title};
    if (!code && !plan_picture_draw(&picture, (int)w->width, canvas))
        code = report_error(EXIT_FAILED, "out of memory for the picture");
    free(samples);
    free(collides);
    return code;
}

/* Makes key frames evenly by angle: 4 seconds per turn, at least 2 seconds; a key every 3 degrees. */
static int make_motion(const struct plan_output *w, bosc_motion *motion, double **times, double **rotations)
{
    double seconds = fmax(2, w->total_angle / (90 * degree));
    int64_t keys = 1 + (int64_t)ceil(w->total_angle / (3 * degree));
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

/* Writes the path, the picture and the motion: all of them or none. */
static int write_files(struct job *job, const struct plan_output *w)
{
    struct canvas canvas = {0};
    bosc_motion motion;
    bosc_io_error error;
    double *times = NULL, *rotations = NULL, start = job_now();
    uint8_t *rgb = NULL;
    /* 1. Prepare picture and motion. */
    int code = job->value[OPT_PNG] ? draw_picture(job, w, &canvas) : EXIT_DONE;
    if (!code && job->value[OPT_PNG] && !(rgb = canvas_rgb(&canvas)))
        code = report_error(EXIT_FAILED, "out of memory for the picture");
    if (job->value[OPT_PNG]) job_add_seconds(job, "draw", start);
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
    /* 2. Write. */
    start = job_now();
    if (!code) {
        bosc_status status = bosc_route_write(&files, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
        job_add_seconds(job, "write", start);
    }
    free(rgb);
    free(times);
    free(rotations);
    canvas_close(&canvas);
    return code;
}

/* Writes frames from start to goal, evenly by angle. */
static int write_film(struct job *job, const struct plan_output *w)
{
    struct stage stage;
    struct canvas canvas = {0};
    bosc_io_error error;
    char name[FRAME_NAME_SIZE];
    const char *folder = job->value[OPT_FILM];
    int width = (int)w->width, height = width * 9 / 16;
    double start = job_now();
    int code = create_folder(folder);
    if (code) return code;
    if (!stage_open(&stage, &w->scene->robot, &w->scene->obstacle, width, height) ||
        !canvas_open(&canvas, width, height, colour_of(0)))
        code = report_error(EXIT_FAILED, "out of memory for a frame");
    /* A frame per rotation; then remove the frames of a longer film. */
    for (int64_t i = 0; i < w->frames && !code; i++) {
        double q[4];
        route_at(w->route->rotations, w->route->count, w->frames > 1 ? (double)i / (double)(w->frames - 1) : 0, q);
        if (!format_frame_name(folder, i, name))
            code = report_error(EXIT_FAILED, "--film: the name of the folder is too long");
        else if (!stage_draw(&stage, q, &canvas, 0, 0))
            code = report_error(EXIT_FAILED, "out of memory for a frame");
        bosc_status status = code ? BOSC_OK : canvas_write(&canvas, name, &error);
        if (status != BOSC_OK) code = report_io_error(status, &error);
    }
    if (!code) code = remove_frames_from(folder, w->frames);
    canvas_close(&canvas);
    stage_close(&stage);
    job_add_seconds(job, "film", start);
    if (!code) job_set_integer(job, "frames", w->frames);
    return code;
}

int plan_write(struct job *job, struct plan_scene *scene, const bosc_planner *planner, const struct plan_route *route)
{
    struct plan_output w = {.scene = scene, .planner = planner, .route = route, .frames = 60};
    int code;
    w.width = job->value[OPT_FILM] && !job->value[OPT_PNG] ? 1280 : 1600;
    w.total_angle = route_angle(route->rotations, route->count);
    if ((code = option_integer(job, OPT_WIDTH, 64, 16384, &w.width)) ||
        (code = option_integer(job, OPT_FRAMES, 1, FRAMES_MAX, &w.frames)))
        return code;
    bool needs_meshes = job->value[OPT_PNG] || job->value[OPT_GLB] || job->value[OPT_FILM];
    if (needs_meshes && (!shape_open(&scene->robot, &scene->scene.plan.robot) ||
                         !shape_open(&scene->obstacle, &scene->scene.plan.obstacle)))
        return report_error(EXIT_FAILED, "out of memory for the bodies");
    code = write_files(job, &w);
    if (!code && job->value[OPT_FILM]) code = write_film(job, &w);
    return code;
}
