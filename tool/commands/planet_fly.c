/* boscage planet --frames: a flight, or a descent to the ground; a picture per frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/planet_job.h"
#include "tool/commands/surface.h"
#include "tool/job.h"
#include "tool/output/frames.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { LATITUDE, LONGITUDE, ALTITUDE, HEADING, PITCH, FOV };

/* Cameras along the flight. */
struct flight_path {
    double *camera; /* (count, CAMERA_NUMBERS) */
    int64_t count;
};

/* Makes a descent to the highest sample: from two radii above it to radius / 3e6, 2 m on the Earth. Angles chosen by
 * eye. */
static int make_descent(struct job *job, const struct planet_view *planet, struct flight_path *path)
{
    const bosc_heights *h = &planet->heights;
    const int64_t top = planet->highest;
    bosc_planet_info info = {.size = sizeof info};
    bosc_status status = bosc_planet_get_info(job->ctx, planet->handle, &info);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    const double latitude = 90 - ((double)(top / h->width) + 0.5) * 180 / (double)h->height;
    const double longitude = ((double)(top % h->width) + 0.5) * 360 / (double)h->width - 180, radius = info.radius;
    const double cameras[4][CAMERA_NUMBERS] = {{latitude, longitude - 25, 2 * radius, 0, -90, 45},
                                               {latitude, longitude - 2, radius / 20, 0, -70, 50},
                                               {latitude, longitude - 0.05, radius / 2000, 20, -30, 50},
                                               {latitude, longitude, radius / 3e6, 60, -3, 55}};
    *path = (struct flight_path){.camera = job_alloc(4 * CAMERA_NUMBERS, sizeof *path->camera), .count = 4};
    if (!path->camera) return EXIT_FAILED;
    memcpy(path->camera, cameras, sizeof cameras);
    return EXIT_DONE;
}

static int read_path(struct job *job, struct flight_path *path)
{
    bosc_array rows = {0};
    int code = flight_read_cameras(job, 1, "rows latitude,longitude,altitude,heading,pitch,fov", &rows);
    if (!code) *path = (struct flight_path){.camera = rows.data, .count = rows.shape[0]};
    return code;
}

/* Interpolates the camera at t from 0 to 1: altitudes geometrically, other numbers linearly, angles along the shorter
 * arc. */
static void interpolate_camera(const struct flight_path *path, double t, double camera[CAMERA_NUMBERS])
{
    const double position = t * (double)(path->count - 1);
    int64_t i = (int64_t)position;
    if (i > path->count - 2) i = path->count > 1 ? path->count - 2 : 0;
    const double *a = path->camera + i * CAMERA_NUMBERS, *b = path->count > 1 ? a + CAMERA_NUMBERS : a;
    const double u = position - (double)i;
    for (int c = 0; c < CAMERA_NUMBERS; c++) {
        const bool turns = c == LONGITUDE || c == HEADING;
        camera[c] = a[c] + u * (turns ? remainder(b[c] - a[c], 360) : b[c] - a[c]);
    }
    if (a[ALTITUDE] > 0 && b[ALTITUDE] > 0) camera[ALTITUDE] = a[ALTITUDE] * pow(b[ALTITUDE] / a[ALTITUDE], u);
    camera[LONGITUDE] = remainder(camera[LONGITUDE], 360);
}

/* Returns the source of the cameras, for messages. */
static const char *path_name(const struct job *job) { return job->value[OPT_FLY] ? job->value[OPT_FLY] : "--frames"; }

/* Makes a frame: selects the mesh for the camera, draws it, and adds a row to `frames`. */
static int write_frame(struct job *job, struct planet_view *planet, const double numbers[], int width,
                       const double sun[3], int64_t i, json_t *frames)
{
    char name[FRAME_NAME_SIZE];
    struct canvas canvas = {0};
    bosc_io_error error;
    bosc_planet_camera camera;
    if (!format_frame_name(job->value[OPT_OUTPUT], i, name))
        return report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    int code = planet_camera(job, planet, path_name(job), numbers, width, &camera);
    if (code) return EXIT_FAILED;
    /* 1. Select and fetch the mesh. */
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.2};
    const double start = job_now();
    code = planet_select(job, planet, &goal);
    const double select_done = job_now();
    if (!code) code = planet_mesh(job, planet, camera.position);
    const double mesh_done = job_now();
    if (code) return code;
    /* 2. Draw and write the picture. */
    if (!planet_view_draw(planet, &camera, sun, &canvas)) return report_error(EXIT_FAILED, "out of memory for a frame");
    job_add_seconds(job, "draw", mesh_done);
    bosc_status status = canvas_write(&canvas, name, &error);
    canvas_close(&canvas);
    if (status != BOSC_OK) return report_io_error(status, &error);
    /* 3. Report. */
    const json_int_t triangles = (json_int_t)planet->mesh.triangles;
    json_array_append_new(frames,
                          json_pack("{s:s, s:f, s:I, s:i, s:f, s:f}", "picture", name, "altitude", numbers[ALTITUDE],
                                    "triangles", triangles, "depth", (int)planet->info.deepest, "select_seconds",
                                    select_done - start, "mesh_seconds", mesh_done - select_done));
    if (!job->value[OPT_QUIET] && !job->value[OPT_JSON])
        printf("%s %12.3f m above ground, %9lld triangles, selected in %.3f ms, fetched in %.3f ms\n", name,
               numbers[ALTITUDE], (long long)triangles, (select_done - start) * 1e3, (mesh_done - select_done) * 1e3);
    return EXIT_DONE;
}

/* Sets the sun so that it shines on the end of the path. */
static int aim_sun(struct job *job, const struct planet_view *planet, const struct flight_path *path, double sun[3])
{
    bosc_planet_camera last;
    const double *numbers = path->camera + (path->count - 1) * CAMERA_NUMBERS;
    if (planet_camera(job, planet, path_name(job), numbers, 64, &last)) return EXIT_FAILED;
    planet_sun(last.position, sun);
    return EXIT_DONE;
}

int planet_fly(struct job *job, struct planet_view *planet, int width)
{
    static const enum option excluded[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_TILES};
    int64_t count;
    double sun[3];
    struct flight_path path = {0};
    int code = flight_prepare(job, excluded, sizeof excluded / sizeof *excluded, &count);
    if (!code) code = job->value[OPT_FLY] ? read_path(job, &path) : make_descent(job, planet, &path);
    if (!code) code = aim_sun(job, planet, &path, sun);
    json_t *frames = json_array();
    for (int64_t i = 0; i < count && !code; i++) {
        double camera[CAMERA_NUMBERS];
        interpolate_camera(&path, count > 1 ? (double)i / (double)(count - 1) : 1, camera);
        code = write_frame(job, planet, camera, width, sun, i, frames);
    }
    if (!code) code = remove_frames_from(job->value[OPT_OUTPUT], count);
    job_set_json(job, "frames", frames);
    free(path.camera);
    return code;
}
