/* boscage plan: a path of rotations through a scene, certified free of collision; or the proof of a given path. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <boscage/planner.h>

#include "render/plan_picture.h"
#include "tool/commands/commands.h"
#include "tool/commands/points.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/frames.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

struct plan_scene {
    bosc_scene scene;
    struct shape robot, obstacle; /* opened for drawing only */
};

struct plan_route {
    double *rotations;  /* (count x 4) w, x, y, z */
    uint8_t *certified; /* (count - 1) */
    int64_t count;
};

enum { KEYS_MAX = 100000, SAMPLES = 10000 }; /* chosen */

static const double degree = 3.14159265358979323846 / 180;

/* ---- files: input ---- */

/* Returns glb, the name of a body's file, if the folder has that file; else the given name. */
static const char *name_of_body(const char *folder, const char *glb, const char *name)
{
    char path[4096]; /* PATH_MAX */
    const int length = snprintf(path, sizeof path, "%s/%s", folder, glb);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0 ? glb : name;
}

/* Notes that one of the two bodies is turned and the other is not. */
static void note_axes(struct job *job)
{
    const char *folder = job->operands[0];
    if (job->operand_count == 2)
        meshes_note_axes(job, folder, job->operands[1]);
    else
        meshes_note_axes(job, name_of_body(folder, "robot.glb", "the robot"),
                         name_of_body(folder, "obstacle.glb", "the obstacle"));
}

static int plan_scene_read(struct job *job, struct plan_scene *scene)
{
    int convex = 0, code;
    int64_t level = 0;
    bosc_io_error error;
    if ((code = option_choice(job, OPT_CONVEX, &convex)) || (code = option_integer(job, OPT_LEVEL, 1, 64, &level)))
        return code;
    bool given = job->value[OPT_CONVEX] != NULL; /* convex: 0 robot, 1 obstacle, 2 both */
    bosc_scene_opts opts = {.size = sizeof opts,
                            .level = (int32_t)level,
                            .robot_convex = given && convex != 1,
                            .obstacle_convex = given && convex != 0};
    double start = job_now();
    bosc_status status = job->operand_count == 2
                             ? bosc_scene_read_bodies(job->operands[0], job->operands[1], &opts, &scene->scene, &error)
                             : bosc_scene_read(job->operands[0], &opts, &scene->scene, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    note_axes(job);
    return EXIT_DONE;
}

static void plan_scene_close(struct plan_scene *scene)
{
    bosc_scene_free(&scene->scene);
    shape_close(&scene->robot);
    shape_close(&scene->obstacle);
}

/* ---- files: output ---- */

/* Refuses invalid combinations of output options, before any work. */
static int plan_check_outputs(const struct job *job)
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

/* Opens the canvas and draws the picture of the path. The caller closes the canvas, after a failure too. */
static int draw_picture(struct job *job, const struct plan_output *w, struct canvas *canvas)
{
    bosc_planner_info info = {.size = sizeof info};
    char title[256];
    int64_t certified = 0, steps = w->route->count - 1;
    bosc_status status = bosc_planner_get_info(job->ctx, w->planner, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    /* 1. Sample rotations for the ball. */
    int64_t count = 0;
    double *samples = job_alloc((size_t)SAMPLES * 4, sizeof *samples);
    uint8_t *collides = job_alloc((size_t)SAMPLES, 1);
    int code = samples && collides ? EXIT_DONE : EXIT_FAILED;
    if (!code) {
        status = plan_samples(job->ctx, bosc_planner_plan(w->planner), SAMPLES, samples, collides, &count);
        if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
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
    bosc_motion motion; /* set and read only with --glb: a NULL path omits its file */
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

/* Writes frames (PNG) from start to goal, evenly by angle; a single one shows the start. The folder is created if
 * missing. */
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

/* Draws and writes all requested outputs. */
static int plan_write(struct job *job, struct plan_scene *scene, const bosc_planner *planner,
                      const struct plan_route *route)
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

/* A scene, its planner, and the start and goal. */
struct plan_query {
    struct plan_scene scene;
    bosc_planner *planner;
    bosc_planner_opts opts;
    bosc_planner_route_opts route_opts;
    double from[4], to[4];
};

/* ---- options ---- */

/* Reads a quaternion and normalises it. Dividing by the largest component first avoids overflow. */
static int read_rotation(const struct job *job, enum option id, double q[4])
{
    double max = 0, sum = 0;
    int code = option_numbers(job, id, 4, q);
    if (code || !job->value[id]) return code;
    for (int i = 0; i < 4; i++) max = fmax(max, fabs(q[i]));
    if (!(max > 0)) return report_error(EXIT_USAGE, "%s: 0,0,0,0 is no rotation", option_flag(id));
    for (int i = 0; i < 4; i++) {
        q[i] /= max;
        sum += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) q[i] /= sqrt(sum);
    return EXIT_DONE;
}

/* Completes missing ends from the scene. */
static int complete_ends(const struct job *job, struct plan_query *q)
{
    const bosc_scene *scene = &q->scene.scene;
    if (!job->value[OPT_FROM]) {
        if (!scene->has_from)
            return report_error(EXIT_USAGE, "--from: is missing, and %s has no start", job->operands[0]);
        memcpy(q->from, scene->from, sizeof q->from);
    }
    if (!job->value[OPT_TO]) {
        if (!scene->has_to) return report_error(EXIT_USAGE, "--to: is missing, and %s has no goal", job->operands[0]);
        memcpy(q->to, scene->to, sizeof q->to);
    }
    return EXIT_DONE;
}

static int read_options(const struct job *job, struct plan_query *q)
{
    int sampler = 0, code;
    *q = (struct plan_query){.opts.size = sizeof q->opts, .route_opts.size = sizeof q->route_opts};
    if ((code = option_choice(job, OPT_SAMPLER, &sampler)) ||
        (code = option_integer(job, OPT_SAMPLES, 1, 1000000000, &q->opts.max_rows)) ||
        (code = option_integer(job, OPT_MAX_BOXES, 1, 1000000000, &q->route_opts.max_boxes)) ||
        (code = option_seed(job, &q->opts.seed)) || (code = read_rotation(job, OPT_FROM, q->from)) ||
        (code = read_rotation(job, OPT_TO, q->to)))
        return code;
    q->opts.sampling = sampler ? BOSC_PLAN_UNIFORM : BOSC_PLAN_CIRCLES;
    if (job->value[OPT_SAMPLES]) q->opts.new_rate = -1;
    q->opts.lazy = !job->value[OPT_SAMPLES]; /* --samples requests cells; without it only a path is needed */
    q->route_opts.weights = job->value[OPT_WEIGHTED] ? BOSC_PLANNER_ANGLE : BOSC_PLANNER_CELLS;
    return EXIT_DONE;
}

/* ---- the cells ---- */

static int report_cells(struct job *job, const bosc_planner *planner)
{
    bosc_planner_info info = {.size = sizeof info};
    bosc_status status = bosc_planner_get_info(job->ctx, planner, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "constraints", info.constraints);
    job_set_integer(job, "samples", info.rows);
    job_set_integer(job, "cells", info.cells);
    job_set_integer(job, "free_cells", info.free_cells);
    job_set_integer(job, "edges", info.edges);
    job_set_integer(job, "components", info.components);
    return EXIT_DONE;
}

/* Returns the file of the body that a message of the planner begins with. */
static const char *file_of_message(const struct job *job, const char *message)
{
    const bool obstacle = strncmp(message, "obstacle:", strlen("obstacle:")) == 0;
    return job->operands[obstacle && job->operand_count == 2];
}

static int64_t count_features(const bosc_plan_bodies *b)
{
    const int64_t facets = b->polytope_count ? b->polytope_offsets[b->polytope_count] : 0;
    return b->ball_count + b->vertex_count + b->triangle_count + facets;
}

/* Reports that the pairs of features are too many, with the body that has more of them. */
static int report_features(const struct job *job, const bosc_plan_scene *scene, bosc_status status, const char *message)
{
    const int64_t robot = count_features(&scene->robot), obstacle = count_features(&scene->obstacle);
    const bool larger = obstacle >= robot;
    return report_error(status_exit_code(status),
                        "%s: %s: the %s has %lld vertices and faces, the %s %lld; simplify the mesh of the larger one, "
                        "or enclose it in few convex solids (--convex)",
                        job->operands[larger && job->operand_count == 2], message, larger ? "obstacle" : "robot",
                        (long long)(larger ? obstacle : robot), larger ? "robot" : "obstacle",
                        (long long)(larger ? robot : obstacle));
}

static int build_planner(struct job *job, struct plan_query *q)
{
    double start = job_now();
    bosc_status status = bosc_planner_create(job->ctx, &q->opts, &q->planner);
    if (status == BOSC_OK) status = bosc_planner_build(job->ctx, q->planner, &q->scene.scene.plan);
    job_add_seconds(job, "cells", start);
    const char *message = bosc_ctx_message(job->ctx);
    if (status == BOSC_ERR_LIMIT && strncmp(message, "scene:", strlen("scene:")) == 0)
        return report_features(job, &q->scene.scene.plan, status, message);
    if (status == BOSC_ERR_DATA || status == BOSC_ERR_LIMIT)
        return report_error(status_exit_code(status), "%s: %s", file_of_message(job, message), message);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* ---- a path ---- */

/* Reports why there is no route; the results are printed nevertheless. */
static int report_no_route(struct job *job, const bosc_planner_route_info *info)
{
    const char *name = job->operands[0];
    job->has_failed_results = true;
    switch (info->outcome) {
    case BOSC_PLANNER_START_COLLIDES: return report_error(EXIT_FAILED, "%s: start in collision", name);
    case BOSC_PLANNER_GOAL_COLLIDES: return report_error(EXIT_FAILED, "%s: goal in collision", name);
    case BOSC_PLANNER_PROVED_NO_ROUTE:
        return report_error(EXIT_FAILED, "%s: no route: proved, in %lld boxes of rotations", name,
                            (long long)info->boxes);
    default:
        return report_error(EXIT_FAILED,
                            "%s: no route among %lld cells, nor in %lld boxes of rotations: a larger --max-boxes may "
                            "find one or prove that there is none",
                            name, (long long)info->cells, (long long)info->boxes);
    }
}

static const char *outcome_word(bosc_planner_outcome outcome)
{
    static const char *const words[] = {"certified",      "uncertified",   "no_route",
                                        "start_collides", "goal_collides", "proved_no_route"};
    return words[outcome - 1];
}

static int get_route(struct job *job, const struct plan_query *q, const bosc_planner_route_info *info,
                     struct plan_route *route)
{
    route->count = info->rotations;
    route->rotations = job_alloc((size_t)route->count * 4, sizeof *route->rotations);
    route->certified = job_alloc((size_t)route->count, 1);
    if (!route->rotations || !route->certified) return EXIT_FAILED;
    bosc_status status = bosc_planner_get_route(job->ctx, q->planner, route->rotations, route->certified);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Finds and reports the route, or reports why there is none. */
static int find_route(struct job *job, struct plan_query *q, struct plan_route *route)
{
    bosc_planner_route_info info = {.size = sizeof info};
    double start = job_now();
    bosc_status status = bosc_planner_route(job->ctx, q->planner, q->from, q->to, &q->route_opts, &info);
    job_add_seconds(job, "route", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    bool found = info.outcome == BOSC_PLANNER_CERTIFIED || info.outcome == BOSC_PLANNER_UNCERTIFIED;
    job_set_json(job, "found", json_boolean(found));
    job_set_json(job, "certified", json_boolean(info.outcome == BOSC_PLANNER_CERTIFIED));
    job_set_text(job, "outcome", outcome_word(info.outcome));
    int code = report_cells(job, q->planner);
    if (code || !found) return code ? code : report_no_route(job, &info);
    job_set_integer(job, "steps", info.rotations - 1);
    job_set_integer(job, "certified_steps", info.certified);
    job_set_number(job, "angle", info.angle);
    return get_route(job, q, &info, route);
}

static int plan_path(struct job *job, struct plan_query *q)
{
    struct plan_route route = {.count = 0};
    int code = complete_ends(job, q);
    if (!code) code = build_planner(job, q);
    if (!code) code = find_route(job, q, &route);
    if (!code) code = plan_write(job, &q->scene, q->planner, &route);
    free(route.rotations);
    free(route.certified);
    return code;
}

/* ---- verification ---- */

/* Checks that the path begins and ends at --from and --to, if given. */
static int check_ends(const struct job *job, const struct plan_query *q, const bosc_array *path)
{
    const double *rows = path->data, *ends[2] = {rows, rows + 4 * (path->shape[0] - 1)},
                 *requested[2] = {q->from, q->to};
    static const enum option ids[2] = {OPT_FROM, OPT_TO};
    for (int i = 0; i < 2; i++)
        if (job->value[ids[i]] && quaternion_angle(ends[i], requested[i]) > 1e-6)
            return report_error(EXIT_FAILED, "%s: row %lld: not the rotation of %s", job->value[OPT_VERIFY],
                                (long long)(i ? path->shape[0] - 1 : 0), option_flag(ids[i]));
    return EXIT_DONE;
}

/* Certifies every step of the path, of two rotations or more. A step without a proof is a failure, but its results are
 * written too. */
static int check_steps(struct job *job, const struct plan_query *q, const bosc_array *path)
{
    int64_t steps = path->shape[0] - 1, good = 0, bad = -1;
    uint8_t *certified = job_alloc((size_t)steps, 1);
    double *where = job_alloc((size_t)steps, sizeof *where);
    int code = certified && where ? EXIT_DONE : EXIT_FAILED;
    /* 1. Certify. */
    double start = job_now();
    if (!code) {
        bosc_status status = bosc_planner_certify(job->ctx, q->planner, path->data, path->shape[0], certified, where);
        job_add_seconds(job, "verify", start);
        if (status != BOSC_OK) code = report_ctx_error(job->ctx, status);
    }
    /* 2. Count, and report the first step that is not certified. */
    for (int64_t i = 0; i < steps && !code; i++) {
        good += certified[i];
        if (!certified[i] && bad < 0) bad = i;
    }
    if (!code) {
        job_set_json(job, "certified", json_boolean(bad < 0));
        job_set_integer(job, "steps", steps);
        job_set_integer(job, "certified_steps", good);
        job->has_failed_results = true;
        if (bad >= 0)
            code =
                report_error(EXIT_FAILED, "%s: row %lld: the step to the next row is not certified from %.3g of it on",
                             job->value[OPT_VERIFY], (long long)bad, where[bad]);
    }
    free(certified);
    free(where);
    return code;
}

static int verify_path(struct job *job, struct plan_query *q)
{
    bosc_array path = {0};
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_rotations_read(job->value[OPT_VERIFY], &path, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    int code = path.shape[0] < 2
                   ? report_error(EXIT_FAILED, "%s: a path has two rotations at least", job->value[OPT_VERIFY])
                   : check_ends(job, q, &path);
    q->opts.lazy = 1; /* no cells are needed */
    if (!code) code = build_planner(job, q);
    if (!code) code = check_steps(job, q, &path);
    bosc_array_free(&path);
    return code;
}

int run_plan(struct job *job)
{
    struct plan_query q;
    int code;
    if ((code = plan_check_outputs(job)) || (code = read_options(job, &q)) || (code = job_open(job))) return code;
    code = plan_scene_read(job, &q.scene);
    if (!code) code = job->value[OPT_VERIFY] ? verify_path(job, &q) : plan_path(job, &q);
    bosc_planner_free(q.planner);
    plan_scene_close(&q.scene);
    return code;
}
