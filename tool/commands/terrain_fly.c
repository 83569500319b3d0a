/* boscage terrain --frames: a flight over heights; a picture per frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/surface.h"
#include "tool/commands/terrain_job.h"
#include "tool/job.h"
#include "tool/output/frames.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { CIRCLE = 24 }; /* cameras of the default flight; chosen */

/* Cameras along the flight. */
struct flight_path {
    double *camera; /* (count, CAMERA_NUMBERS) */
    int64_t count;
    bool closed;
};

/* Returns the height of the sample at (x, y), clamped to the raster. */
static double height_at(const struct terrain_view *terrain, double x, double y)
{
    const bosc_heights *h = &terrain->heights;
    int64_t i = (int64_t)fmin(fmax(x / h->spacing, 0), (double)(h->width - 1));
    int64_t j = (int64_t)fmin(fmax(y / h->spacing_y, 0), (double)(h->height - 1));
    return h->data[j * h->width + i];
}

/* Makes a circle around the middle, above the highest ground nearby, looking inwards and down. Factors chosen by
 * eye. */
static int make_circle(const struct terrain_view *terrain, struct flight_path *path)
{
    const bosc_heights *h = &terrain->heights;
    double w = (double)(h->width - 1) * h->spacing, d = (double)(h->height - 1) * h->spacing_y;
    double turn = 2 * 3.14159265358979323846 / CIRCLE;
    *path = (struct flight_path){.count = CIRCLE, .closed = true};
    path->camera = job_alloc(CIRCLE * CAMERA_NUMBERS, sizeof *path->camera);
    if (!path->camera) return EXIT_FAILED;
    for (int i = 0; i < CIRCLE; i++) {
        double *c = path->camera + i * CAMERA_NUMBERS, top = -INFINITY;
        for (int k = -2; k <= 2; k++) {
            double a = (i + 0.25 * k) * turn;
            top = fmax(top, height_at(terrain, w * (0.5 + 0.36 * sin(a)), d * (0.5 + 0.36 * cos(a))));
        }
        c[0] = w * (0.5 + 0.36 * sin(i * turn));
        c[1] = d * (0.5 + 0.36 * cos(i * turn));
        c[2] = top + 0.045 * fmin(w, d);
        c[3] = -i * 360.0 / CIRCLE - 50; /* the angle itself would look at the middle */
        c[4] = -14;
        c[5] = 50;
    }
    return EXIT_DONE;
}

/* Reads and checks the cameras of --fly. */
static int read_path(struct job *job, struct flight_path *path)
{
    bosc_array rows = {0};
    const char *name = job->value[OPT_FLY];
    int code = flight_read_cameras(job, 2, "at least two rows x,y,z,yaw,pitch,fov", &rows);
    if (code) return code;
    for (int64_t i = 0; i < rows.shape[0] && !code; i++) {
        const double *c = (const double *)rows.data + i * CAMERA_NUMBERS;
        for (int k = 0; k < CAMERA_NUMBERS && !code; k++)
            if (!isfinite(c[k])) code = report_error(EXIT_FAILED, "%s: row %lld is not finite", name, (long long)i);
        if (!code && check_camera(name, c)) code = EXIT_FAILED;
    }
    if (code) {
        bosc_array_free(&rows);
        return code;
    }
    *path = (struct flight_path){.camera = rows.data, .count = rows.shape[0]};
    return EXIT_DONE;
}

/* Adds multiples of 360 degrees so that consecutive yaws differ by at most 180. */
static void unwind_yaw(struct flight_path *path)
{
    for (int64_t i = 1; i < path->count; i++) {
        double *yaw = path->camera + i * CAMERA_NUMBERS + 3, previous = yaw[-CAMERA_NUMBERS];
        *yaw = previous + remainder(*yaw - previous, 360);
    }
}

/* Copies camera i; beyond its ends the path continues around, or repeats its last camera. */
static void copy_knot(const struct flight_path *path, int64_t i, double camera[CAMERA_NUMBERS])
{
    int64_t n = path->count, j = path->closed ? (i + n) % n : i < 0 ? 0 : i >= n ? n - 1 : i;
    memcpy(camera, path->camera + j * CAMERA_NUMBERS, CAMERA_NUMBERS * sizeof *camera);
    if (path->closed && i != j) camera[3] += i < 0 ? 360 : -360; /* the circle's yaw falls by 360 degrees */
}

/* Interpolates the camera at t from 0 to 1 by a spline through all cameras. Source: Catmull, Rom, A Class of Local
 * Interpolating Splines (1974). */
static void interpolate_camera(const struct flight_path *path, double t, double camera[CAMERA_NUMBERS])
{
    double position = t * (double)(path->closed ? path->count : path->count - 1), k[4][CAMERA_NUMBERS];
    int64_t i = (int64_t)position;
    if (!path->closed && i > path->count - 2) i = path->count - 2;
    double u = position - (double)i;
    for (int j = 0; j < 4; j++) copy_knot(path, i + j - 1, k[j]);
    for (int c = 0; c < CAMERA_NUMBERS; c++) {
        double a = k[0][c], b = k[1][c], d = k[2][c], e = k[3][c];
        camera[c] = 0.5 * (2 * b + u * (d - a + u * (2 * a - 5 * b + 4 * d - e + u * (3 * (b - d) + e - a))));
    }
    camera[4] = fmin(fmax(camera[4], -90), 90);
    camera[5] = fmin(fmax(camera[5], 1), 170);
}

/* Makes a frame: selects the mesh for the camera, draws it, and adds a row to `frames`. */
static int write_frame(struct job *job, struct terrain_view *terrain, const struct raster_light *light, int width,
                       const double numbers[], int64_t i, json_t *frames)
{
    char name[FRAME_NAME_SIZE];
    struct canvas canvas = {0};
    bosc_io_error error;
    int height = width * 9 / 16;
    bosc_terrain_camera camera = camera_of(numbers, width, height);
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.2};
    if (!format_frame_name(job->value[OPT_OUTPUT], i, name))
        return report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    /* 1. Select and fetch the mesh. */
    double start = job_now();
    int code = terrain_select(job, terrain, &goal);
    double select_done = job_now();
    if (!code) code = terrain_mesh(job, terrain);
    double mesh_done = job_now();
    if (code) return code;
    /* 2. Draw and write the picture. */
    struct terrain_picture picture = {.light = light,
                                      .mesh = &terrain->mesh,
                                      .view = VIEW_FROM_CAMERA,
                                      .eye = camera_eye(&camera, terrain->heights.spacing),
                                      .wires = 0.5};
    if (!terrain_picture_draw(&picture, width, height, &canvas))
        return report_error(EXIT_FAILED, "out of memory for a frame");
    job_add_seconds(job, "draw", mesh_done);
    bosc_status status = canvas_write(&canvas, name, &error);
    canvas_close(&canvas);
    if (status != BOSC_OK) return report_io_error(status, &error);
    /* 3. Report. */
    json_array_append_new(frames, json_pack("{s:s, s:I, s:f, s:f}", "picture", name, "triangles",
                                            (json_int_t)terrain->mesh.triangles, "select_seconds", select_done - start,
                                            "mesh_seconds", mesh_done - select_done));
    if (!job->value[OPT_QUIET] && !job->value[OPT_JSON])
        printf("%s %9lld triangles, selected in %.3f ms, fetched in %.3f ms\n", name,
               (long long)terrain->mesh.triangles, (select_done - start) * 1e3, (mesh_done - select_done) * 1e3);
    return EXIT_DONE;
}

int terrain_fly(struct job *job, struct terrain_view *terrain, int width)
{
    static const enum option excluded[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_VIEW, OPT_FLIP_Y};
    int64_t count;
    struct flight_path path = {0};
    struct raster_light light = {0};
    int code = flight_prepare(job, excluded, sizeof excluded / sizeof *excluded, &count);
    if (!code) code = job->value[OPT_FLY] ? read_path(job, &path) : make_circle(terrain, &path);
    if (code) return code;
    if (!path.closed) unwind_yaw(&path);
    json_t *frames = json_array();
    if (!raster_light_open(&light, &terrain->heights))
        code = report_error(EXIT_FAILED, "out of memory for the pictures");
    for (int64_t i = 0; i < count && !code; i++) {
        double camera[CAMERA_NUMBERS] = {0}, steps = (double)(path.closed ? count : count > 1 ? count - 1 : 1);
        interpolate_camera(&path, (double)i / steps, camera);
        code = write_frame(job, terrain, &light, width, camera, i, frames);
    }
    if (!code) code = remove_frames_from(job->value[OPT_OUTPUT], count);
    job_set_json(job, "frames", frames);
    raster_light_close(&light);
    free(path.camera);
    return code;
}
