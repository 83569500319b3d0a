/* boscage terrain --frames: a flight over heights, a picture a frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/output/frames.h"
#include "tool/commands/terrain_job.h"

enum { CIRCLE = 24 };

/* Cameras that the flight passes by. */
struct path {
    double *camera; /* (count, CAMERA_NUMBERS) */
    int64_t count;
    bool closed;
};

static double height_at(const struct land *land, double x, double y)
{
    const bosc_heights *h = &land->heights;
    int64_t i = (int64_t)fmin(fmax(x / h->spacing, 0), (double)(h->width - 1));
    int64_t j = (int64_t)fmin(fmax(y / h->spacing_y, 0), (double)(h->height - 1));
    return h->data[j * h->width + i];
}

/* A circle around the middle, above the highest ground ahead, looking inwards and down. */
static int make_circle(const struct land *land, struct path *path)
{
    const bosc_heights *h = &land->heights;
    double w = (double)(h->width - 1) * h->spacing, d = (double)(h->height - 1) * h->spacing_y;
    double turn = 2 * 3.14159265358979323846 / CIRCLE;
    *path = (struct path){.count = CIRCLE, .closed = true};
    path->camera = job_alloc(CIRCLE * CAMERA_NUMBERS, sizeof *path->camera);
    if (!path->camera) return EXIT_FAILED;
    for (int i = 0; i < CIRCLE; i++) {
        double *c = path->camera + i * CAMERA_NUMBERS, top = -INFINITY;
        for (int k = -2; k <= 2; k++) {
            double a = (i + 0.25 * k) * turn;
            top = fmax(top, height_at(land, w * (0.5 + 0.36 * sin(a)), d * (0.5 + 0.36 * cos(a))));
        }
        c[0] = w * (0.5 + 0.36 * sin(i * turn));
        c[1] = d * (0.5 + 0.36 * cos(i * turn));
        c[2] = top + 0.045 * fmin(w, d);
        c[3] = -i * 360.0 / CIRCLE - 50; /* inwards would be the angle itself */
        c[4] = -14;
        c[5] = 50;
    }
    return EXIT_DONE;
}

static int read_path(struct job *job, struct path *path)
{
    bosc_array rows = {0};
    const char *name = job->value[OPT_FLY];
    int code = flight_read(job, 2, "at least two rows x,y,z,yaw,pitch,fov", &rows);
    if (code) return code;
    for (int64_t i = 0; i < rows.shape[0] && !code; i++) {
        const double *c = (const double *)rows.data + i * CAMERA_NUMBERS;
        for (int k = 0; k < CAMERA_NUMBERS && !code; k++)
            if (!isfinite(c[k])) code = say(EXIT_FAILED, "%s: row %lld is not finite", name, (long long)i);
        if (!code && camera_refused(name, c)) code = EXIT_FAILED;
    }
    if (code) {
        bosc_array_free(&rows);
        return code;
    }
    *path = (struct path){.camera = rows.data, .count = rows.shape[0]};
    return EXIT_DONE;
}

/* Turning goes the shorter way round. */
static void unwind(struct path *path)
{
    for (int64_t i = 1; i < path->count; i++) {
        double *yaw = path->camera + i * CAMERA_NUMBERS + 3, before = yaw[-CAMERA_NUMBERS];
        *yaw = before + remainder(*yaw - before, 360);
    }
}

/* Camera i of the path, or of what lies before or behind it. */
static void knot(const struct path *path, int64_t i, double turned[CAMERA_NUMBERS])
{
    int64_t n = path->count, j = path->closed ? (i + n) % n : i < 0 ? 0 : i >= n ? n - 1 : i;
    memcpy(turned, path->camera + j * CAMERA_NUMBERS, CAMERA_NUMBERS * sizeof *turned);
    if (path->closed && i != j) turned[3] += i < 0 ? 360 : -360; /* the circle's yaw falls by 360 degrees */
}

/* A smooth curve through the cameras; t from 0 to 1. Source: Catmull, Rom, A Class of Local Interpolating Splines
 * (1974). */
static void camera_along(const struct path *path, double t, double camera[CAMERA_NUMBERS])
{
    double place = t * (double)(path->closed ? path->count : path->count - 1), k[4][CAMERA_NUMBERS];
    int64_t i = (int64_t)place;
    if (!path->closed && i > path->count - 2) i = path->count - 2;
    double u = place - (double)i;
    for (int j = 0; j < 4; j++) knot(path, i + j - 1, k[j]);
    for (int c = 0; c < CAMERA_NUMBERS; c++) {
        double a = k[0][c], b = k[1][c], d = k[2][c], e = k[3][c];
        camera[c] = 0.5 * (2 * b + u * (d - a + u * (2 * a - 5 * b + 4 * d - e + u * (3 * (b - d) + e - a))));
    }
    camera[4] = fmin(fmax(camera[4], -90), 90);
    camera[5] = fmin(fmax(camera[5], 1), 170);
}

/* One frame: the mesh for its camera and the picture. Adds a line to `frames`. */
static int fly_frame(struct job *job, struct land *land, const struct ground *ground, int width, const double numbers[],
                     int64_t i, json_t *frames)
{
    char name[FRAME_NAME_SIZE];
    struct canvas canvas = {0};
    bosc_io_error error;
    int height = width * 9 / 16;
    bosc_terrain_camera camera = camera_of(numbers, width, height);
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.2};
    if (!frame_name(job->value[OPT_OUTPUT], i, name)) return say(EXIT_FAILED, "-o: the name of the folder is too long");
    double start = job_now();
    int code = terrain_select(job, land, &goal);
    double selected = job_now();
    if (!code) code = terrain_mesh(job, land);
    double meshed = job_now();
    if (code) return code;
    struct relief relief = {.ground = ground,
                            .mesh = &land->mesh,
                            .view = RELIEF_EYE,
                            .eye = camera_eye(&camera, land->heights.spacing),
                            .wires = 0.5};
    if (!relief_draw(&relief, width, height, &canvas)) return say(EXIT_FAILED, "out of memory for a frame");
    job_seconds(job, "draw", meshed);
    bosc_status status = canvas_write(&canvas, name, &error);
    canvas_close(&canvas);
    if (status != BOSC_OK) return say_io(status, &error);
    json_array_append_new(frames, json_pack("{s:s, s:I, s:f, s:f}", "picture", name, "triangles",
                                            (json_int_t)land->mesh.triangles, "select_seconds", selected - start,
                                            "mesh_seconds", meshed - selected));
    if (!job->value[OPT_QUIET] && !job->value[OPT_JSON])
        printf("%s %9lld triangles, selected in %.3f ms, fetched in %.3f ms\n", name, (long long)land->mesh.triangles,
               (selected - start) * 1e3, (meshed - selected) * 1e3);
    return EXIT_DONE;
}

int terrain_fly(struct job *job, struct land *land, int width)
{
    static const enum option others[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_VIEW, OPT_FLIP_Y};
    int64_t count;
    struct path path = {0};
    struct ground ground = {0};
    int code = flight_begin(job, others, sizeof others / sizeof *others, &count);
    if (!code) code = job->value[OPT_FLY] ? read_path(job, &path) : make_circle(land, &path);
    if (code) return code;
    if (!path.closed) unwind(&path);
    json_t *frames = json_array();
    if (!ground_open(&ground, &land->heights)) code = say(EXIT_FAILED, "out of memory for the pictures");
    for (int64_t i = 0; i < count && !code; i++) {
        double camera[CAMERA_NUMBERS] = {0}, steps = (double)(path.closed ? count : count > 1 ? count - 1 : 1);
        camera_along(&path, (double)i / steps, camera);
        code = fly_frame(job, land, &ground, width, camera, i, frames);
    }
    if (!code) code = frames_remove_from(job->value[OPT_OUTPUT], count);
    job_json(job, "frames", frames);
    ground_close(&ground);
    free(path.camera);
    return code;
}
