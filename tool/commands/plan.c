/* boscage plan: a path of rotations through a scene, certified free of collision. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/plan_files.h"

/* A scene, the planner that holds it, and the question. */
struct question {
    struct plan_scene scene;
    bosc_planner *planner;
    bosc_planner_opts opts;
    bosc_planner_route_opts route_opts;
    double from[4], to[4];
};

/* ---- what is asked for ---- */

static int read_rotation(const struct job *job, enum option id, double q[4])
{
    double most = 0, sum = 0;
    int code = option_numbers(job, id, 4, q);
    if (code || !job->value[id]) return code;
    for (int i = 0; i < 4; i++) most = fmax(most, fabs(q[i]));
    if (!(most > 0)) return say(EXIT_USAGE, "%s: 0,0,0,0 is no rotation", option_flag(id));
    for (int i = 0; i < 4; i++) {
        q[i] /= most;
        sum += q[i] * q[i];
    }
    for (int i = 0; i < 4; i++) q[i] /= sqrt(sum);
    return EXIT_DONE;
}

/* Which of --from and --to, or of the scene's own begin and end. */
static int take_ends(const struct job *job, struct question *q)
{
    const bosc_scene *scene = &q->scene.scene;
    if (!job->value[OPT_FROM]) {
        if (!scene->has_from)
            return say(EXIT_USAGE, "--from: is missing, and %s says nothing of a begin", job->operands[0]);
        memcpy(q->from, scene->from, sizeof q->from);
    }
    if (!job->value[OPT_TO]) {
        if (!scene->has_to) return say(EXIT_USAGE, "--to: is missing, and %s says nothing of an end", job->operands[0]);
        memcpy(q->to, scene->to, sizeof q->to);
    }
    return EXIT_DONE;
}

static int read_options(const struct job *job, struct question *q)
{
    int sampler = 0, code;
    *q = (struct question){.opts.size = sizeof q->opts, .route_opts.size = sizeof q->route_opts};
    if ((code = option_choice(job, OPT_SAMPLER, &sampler)) ||
        (code = option_integer(job, OPT_SAMPLES, 1, 1000000000, &q->opts.max_rows)) ||
        (code = option_integer(job, OPT_MAX_BOXES, 1, 1000000000, &q->route_opts.max_boxes)) ||
        (code = option_seed(job, &q->opts.seed)) || (code = read_rotation(job, OPT_FROM, q->from)) ||
        (code = read_rotation(job, OPT_TO, q->to)))
        return code;
    q->opts.sampling = sampler ? BOSC_PLAN_UNIFORM : BOSC_PLAN_CIRCLES;
    if (job->value[OPT_SAMPLES]) q->opts.new_rate = -1;
    q->opts.lazy = !job->value[OPT_SAMPLES]; /* who asks for samples gets them, the others a path */
    q->route_opts.weights = job->value[OPT_WEIGHTED] ? BOSC_PLANNER_ANGLE : BOSC_PLANNER_CELLS;
    return EXIT_DONE;
}

/* ---- the cells ---- */

static int report_cells(struct job *job, const bosc_planner *planner)
{
    bosc_planner_info info = {.size = sizeof info};
    bosc_status status = bosc_planner_get_info(job->ctx, planner, &info);
    if (status != BOSC_OK) return say_ctx(job, status);
    job_integer(job, "constraints", info.constraints);
    job_integer(job, "samples", info.rows);
    job_integer(job, "cells", info.cells);
    job_integer(job, "free_cells", info.free_cells);
    job_integer(job, "edges", info.edges);
    job_integer(job, "components", info.components);
    return EXIT_DONE;
}

static int build(struct job *job, struct question *q)
{
    double start = job_now();
    bosc_status status = bosc_planner_create(job->ctx, &q->opts, &q->planner);
    if (status == BOSC_OK) status = bosc_planner_build(job->ctx, q->planner, &q->scene.scene.plan);
    job_seconds(job, "cells", start);
    if (status == BOSC_ERR_DATA || status == BOSC_ERR_LIMIT)
        return say(exit_code_of(status), "%s: %s", job->operands[0], bosc_ctx_message(job->ctx));
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

/* ---- a path ---- */

/* Why there is none: what was asked has an answer all the same. */
static int say_none(struct job *job, const bosc_planner_route_info *info)
{
    const char *name = job->operands[0];
    job->answered = true;
    switch (info->outcome) {
    case BOSC_PLANNER_START_COLLIDES: return say(EXIT_FAILED, "%s: start in collision", name);
    case BOSC_PLANNER_GOAL_COLLIDES: return say(EXIT_FAILED, "%s: goal in collision", name);
    case BOSC_PLANNER_PROVED_NO_ROUTE:
        return say(EXIT_FAILED, "%s: no route: proved, in %lld boxes of rotations", name, (long long)info->boxes);
    default: return say(EXIT_FAILED, "%s: no route among %lld cells", name, (long long)info->cells);
    }
}

static const char *outcome_word(bosc_planner_outcome outcome)
{
    static const char *const words[] = {"certified",      "uncertified",   "no_route",
                                        "start_collides", "goal_collides", "proved_no_route"};
    return words[outcome - 1];
}

static int get_route(struct job *job, const struct question *q, const bosc_planner_route_info *info,
                     struct plan_route *route)
{
    route->count = info->rotations;
    route->rotations = job_alloc((size_t)route->count * 4, sizeof *route->rotations);
    route->certified = job_alloc((size_t)route->count, 1);
    if (!route->rotations || !route->certified) return EXIT_FAILED;
    bosc_status status = bosc_planner_get_route(job->ctx, q->planner, route->rotations, route->certified);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

/* The route, or none and the reason. */
static int find(struct job *job, struct question *q, struct plan_route *route)
{
    bosc_planner_route_info info = {.size = sizeof info};
    double start = job_now();
    bosc_status status = bosc_planner_route(job->ctx, q->planner, q->from, q->to, &q->route_opts, &info);
    job_seconds(job, "route", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    bool found = info.outcome == BOSC_PLANNER_CERTIFIED || info.outcome == BOSC_PLANNER_UNCERTIFIED;
    job_json(job, "found", json_boolean(found));
    job_json(job, "certified", json_boolean(info.outcome == BOSC_PLANNER_CERTIFIED));
    job_text(job, "outcome", outcome_word(info.outcome));
    int code = report_cells(job, q->planner);
    if (code || !found) return code ? code : say_none(job, &info);
    job_integer(job, "steps", info.rotations - 1);
    job_integer(job, "certified_steps", info.certified);
    job_number(job, "angle", info.angle);
    return get_route(job, q, &info, route);
}

static int plan(struct job *job, struct question *q)
{
    struct plan_route route = {.count = 0};
    int code = take_ends(job, q);
    if (!code) code = build(job, q);
    if (!code) code = find(job, q, &route);
    if (!code) code = plan_write(job, &q->scene, q->planner, &route);
    free(route.rotations);
    free(route.certified);
    return code;
}

/* ---- verification ---- */

/* Every step by itself, whatever planned it. The ends must be those that are asked for, where they are. */
static int check_ends(const struct job *job, const struct question *q, const bosc_array *path)
{
    const double *rows = path->data, *ends[2] = {rows, rows + 4 * (path->shape[0] - 1)}, *asked[2] = {q->from, q->to};
    static const enum option ids[2] = {OPT_FROM, OPT_TO};
    for (int i = 0; i < 2; i++)
        if (job->value[ids[i]] && turn_angle(ends[i], asked[i]) > 1e-6)
            return say(EXIT_FAILED, "%s: row %lld: not the rotation of %s", job->value[OPT_VERIFY],
                       (long long)(i ? path->shape[0] - 1 : 0), option_flag(ids[i]));
    return EXIT_DONE;
}

static int check_steps(struct job *job, const struct question *q, const bosc_array *path)
{
    int64_t steps = path->shape[0] - 1, good = 0, bad = -1;
    uint8_t *certified = job_alloc((size_t)steps + 1, 1);
    double *where = job_alloc((size_t)steps + 1, sizeof *where);
    int code = certified && where ? EXIT_DONE : EXIT_FAILED;
    double start = job_now();
    if (!code) {
        bosc_status status = bosc_planner_certify(job->ctx, q->planner, path->data, path->shape[0], certified, where);
        job_seconds(job, "verify", start);
        if (status != BOSC_OK) code = say_ctx(job, status);
    }
    for (int64_t i = 0; i < steps && !code; i++) {
        good += certified[i];
        if (!certified[i] && bad < 0) bad = i;
    }
    if (!code) {
        job_json(job, "certified", json_boolean(bad < 0));
        job_integer(job, "steps", steps);
        job_integer(job, "certified_steps", good);
        job->answered = true;
        if (bad >= 0)
            code = say(EXIT_FAILED, "%s: row %lld: the step to the next row is not certified from %.3g of it on",
                       job->value[OPT_VERIFY], (long long)bad, where[bad]);
    }
    free(certified);
    free(where);
    return code;
}

static int verify(struct job *job, struct question *q)
{
    bosc_array path = {0};
    bosc_io_error error;
    double start = job_now();
    bosc_status status = bosc_rotations_read(job->value[OPT_VERIFY], &path, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    int code = path.shape[0] < 2 ? say(EXIT_FAILED, "%s: a path has two rotations at least", job->value[OPT_VERIFY])
                                 : check_ends(job, q, &path);
    q->opts.lazy = 1; /* no cells are needed */
    if (!code) code = build(job, q);
    if (!code) code = check_steps(job, q, &path);
    bosc_array_free(&path);
    return code;
}

int run_plan(struct job *job)
{
    struct question q;
    int code;
    if ((code = plan_check_outputs(job)) || (code = read_options(job, &q)) || (code = job_open(job))) return code;
    code = plan_scene_read(job, &q.scene);
    if (!code) code = job->value[OPT_VERIFY] ? verify(job, &q) : plan(job, &q);
    bosc_planner_free(q.planner);
    plan_scene_close(&q.scene);
    return code;
}
