/* boscage planet --frames: a descent from space to the ground, a picture a frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tool/output/frames.h"
#include "tool/commands/planet_job.h"

enum { LATITUDE, LONGITUDE, ALTITUDE, HEADING, PITCH, FOV };

/* Cameras that the flight passes by. */
struct path {
    double *camera; /* (count, CAMERA_NUMBERS) */
    int64_t count;
};

/* Down to the highest sample: from two radii above to a 3,000,000th of one, which is two metres on the Earth. */
static int make_descent(struct job *job, const struct globe *globe, struct path *path)
{
    const bosc_heights *h = &globe->heights;
    const int64_t top = globe->highest;
    bosc_planet_info info = {.size = sizeof info};
    bosc_status status = bosc_planet_get_info(job->ctx, globe->planet, &info);
    if (status != BOSC_OK) return say_ctx(job, status);
    const double latitude = 90 - ((double)(top / h->width) + 0.5) * 180 / (double)h->height;
    const double longitude = ((double)(top % h->width) + 0.5) * 360 / (double)h->width - 180, radius = info.radius;
    const double cameras[4][CAMERA_NUMBERS] = {{latitude, longitude - 25, 2 * radius, 0, -90, 45},
                                               {latitude, longitude - 2, radius / 20, 0, -70, 50},
                                               {latitude, longitude - 0.05, radius / 2000, 20, -30, 50},
                                               {latitude, longitude, radius / 3e6, 60, -3, 55}};
    *path = (struct path){.camera = job_alloc(4 * CAMERA_NUMBERS, sizeof *path->camera), .count = 4};
    if (!path->camera) return EXIT_FAILED;
    memcpy(path->camera, cameras, sizeof cameras);
    return EXIT_DONE;
}

static int read_path(struct job *job, struct path *path)
{
    bosc_array rows = {0};
    int code = flight_read(job, 1, "rows latitude,longitude,altitude,heading,pitch,fov", &rows);
    if (!code) *path = (struct path){.camera = rows.data, .count = rows.shape[0]};
    return code;
}

/* t from 0 to 1. Between two cameras altitudes are in proportion, other numbers change evenly, and angles turn the
 * shorter way round. */
static void camera_along(const struct path *path, double t, double camera[CAMERA_NUMBERS])
{
    const double place = t * (double)(path->count - 1);
    int64_t i = (int64_t)place;
    if (i > path->count - 2) i = path->count > 1 ? path->count - 2 : 0;
    const double *a = path->camera + i * CAMERA_NUMBERS, *b = path->count > 1 ? a + CAMERA_NUMBERS : a;
    const double u = place - (double)i;
    for (int c = 0; c < CAMERA_NUMBERS; c++) {
        const bool turns = c == LONGITUDE || c == HEADING;
        camera[c] = a[c] + u * (turns ? remainder(b[c] - a[c], 360) : b[c] - a[c]);
    }
    if (a[ALTITUDE] > 0 && b[ALTITUDE] > 0) camera[ALTITUDE] = a[ALTITUDE] * pow(b[ALTITUDE] / a[ALTITUDE], u);
    camera[LONGITUDE] = remainder(camera[LONGITUDE], 360);
}

static const char *name_of(const struct job *job) { return job->value[OPT_FLY] ? job->value[OPT_FLY] : "--frames"; }

/* One frame: the mesh for its camera and the picture. Adds a line to `frames`. */
static int fly_frame(struct job *job, struct globe *globe, const double numbers[], int width, const double sun[3],
                     int64_t i, json_t *frames)
{
    char name[FRAME_NAME_SIZE];
    struct canvas canvas = {0};
    bosc_io_error error;
    bosc_planet_camera camera;
    if (!frame_name(job->value[OPT_OUTPUT], i, name)) return say(EXIT_FAILED, "-o: the name of the folder is too long");
    int code = planet_camera(job, globe, name_of(job), numbers, width, &camera);
    if (code) return EXIT_FAILED;
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera, .hysteresis = 0.2};
    const double start = job_now();
    code = planet_select(job, globe, &goal);
    const double selected = job_now();
    if (!code) code = planet_mesh(job, globe, camera.position);
    const double meshed = job_now();
    if (code) return code;
    if (!globe_draw(globe, &camera, sun, &canvas)) return say(EXIT_FAILED, "out of memory for a frame");
    job_seconds(job, "draw", meshed);
    bosc_status status = canvas_write(&canvas, name, &error);
    canvas_close(&canvas);
    if (status != BOSC_OK) return say_io(status, &error);
    const json_int_t triangles = (json_int_t)globe->mesh.triangles;
    json_array_append_new(frames,
                          json_pack("{s:s, s:f, s:I, s:i, s:f, s:f}", "picture", name, "altitude", numbers[ALTITUDE],
                                    "triangles", triangles, "depth", (int)globe->info.deepest, "select_seconds",
                                    selected - start, "mesh_seconds", meshed - selected));
    if (!job->value[OPT_QUIET] && !job->value[OPT_JSON])
        printf("%s %12.3f m above ground, %9lld triangles, selected in %.3f ms, fetched in %.3f ms\n", name,
               numbers[ALTITUDE], (long long)triangles, (selected - start) * 1e3, (meshed - selected) * 1e3);
    return EXIT_DONE;
}

/* The sun shines on the end of the path. */
static int sun_of(struct job *job, const struct globe *globe, const struct path *path, double sun[3])
{
    bosc_planet_camera last;
    const double *numbers = path->camera + (path->count - 1) * CAMERA_NUMBERS;
    if (planet_camera(job, globe, name_of(job), numbers, 64, &last)) return EXIT_FAILED;
    planet_sun(last.position, sun);
    return EXIT_DONE;
}

int planet_fly(struct job *job, struct globe *globe, int width)
{
    static const enum option others[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_TILES};
    int64_t count;
    double sun[3];
    struct path path = {0};
    int code = flight_begin(job, others, sizeof others / sizeof *others, &count);
    if (!code) code = job->value[OPT_FLY] ? read_path(job, &path) : make_descent(job, globe, &path);
    if (!code) code = sun_of(job, globe, &path, sun);
    json_t *frames = json_array();
    for (int64_t i = 0; i < count && !code; i++) {
        double camera[CAMERA_NUMBERS];
        camera_along(&path, count > 1 ? (double)i / (double)(count - 1) : 1, camera);
        code = fly_frame(job, globe, camera, width, sun, i, frames);
    }
    if (!code) code = frames_remove_from(job->value[OPT_OUTPUT], count);
    job_json(job, "frames", frames);
    free(path.camera);
    return code;
}
