/* boscage planet: a closed mesh of a planet, in one file or in tiles, and pictures of it; or a flight with a picture
 * per frame. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/camera.h"
#include "render/planet_view.h"
#include "tool/commands/commands.h"
#include "tool/commands/heights.h"
#include "tool/commands/planet_insets.h"
#include "tool/commands/surface.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/output/frames.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- steps: timed, with errors reported ---- */

static const double degree = 3.14159265358979323846 / 180;

/* Checks latitude, longitude, altitude, heading, pitch and fov (degrees, metres) of the option or file `name`; reports
 * those out of range and returns EXIT_USAGE. */
static int check_camera(const char *name, const double numbers[CAMERA_NUMBERS])
{
    static const struct limit {
        const char *what;
        double least, most;
    } limits[CAMERA_NUMBERS] = {{"latitude", -90, 90},    {"longitude", -360, 360}, {"altitude", 1e-9, 1e12},
                                {"heading", -3600, 3600}, {"pitch", -90, 90},       {"fov", 1, 170}};
    for (int i = 0; i < CAMERA_NUMBERS; i++)
        if (!(numbers[i] >= limits[i].least && numbers[i] <= limits[i].most))
            return report_error(EXIT_USAGE, "%s: the %s %g is not from %g to %g", name, limits[i].what, numbers[i],
                                limits[i].least, limits[i].most);
    return EXIT_DONE;
}

/* Converts such numbers to a camera for a picture of 16 : 9, after checking them. */
static int planet_camera(struct job *job, const struct planet_view *planet, const char *name,
                         const double numbers[CAMERA_NUMBERS], int width, bosc_planet_camera *camera)
{
    const int code = check_camera(name, numbers);
    if (code) return code;
    *camera = (bosc_planet_camera){
        .fov = numbers[5] * degree, .pixels = 1, .width = width, .height = width * 9 / 16, .cull = 1};
    bosc_status status =
        bosc_planet_place(job->ctx, planet->handle, numbers[0], numbers[1], numbers[2], numbers[3], numbers[4], camera);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static int planet_select(struct job *job, struct planet_view *planet, const bosc_planet_goal *goal)
{
    const double start = job_now();
    const bosc_status status = planet_view_select(job->ctx, planet, goal);
    job_add_seconds(job, "select", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static int planet_mesh(struct job *job, struct planet_view *planet, const double *origin)
{
    const double start = job_now();
    bosc_status status = planet_view_fetch_mesh(job->ctx, planet, origin);
    job_add_seconds(job, "mesh", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* ---- a flight, or a descent to the ground ---- */

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
    bosc_planet_info info = {.size = sizeof info};
    bosc_status status = bosc_planet_get_info(job->ctx, planet->handle, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    const double latitude = planet->summit[0], longitude = planet->summit[1], radius = info.radius;
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
    int code = flight_read_cameras(job, 1, "rows latitude,longitude,altitude,heading,pitch,fov", check_camera, &rows);
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

/* Makes a frame: selects the mesh for the camera, draws it to a PNG, and adds a row to `frames`. The numbers come
 * from a file or from make_descent, so bad ones return EXIT_FAILED, not EXIT_USAGE. */
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
    /* 2. Draw and write the picture. A failed draw leaves no canvas open. */
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
    planet_view_light(&last, sun);
    return EXIT_DONE;
}

/* Writes the frames of a flight, `width` pixels wide, 16 : 9. */
static int planet_fly(struct job *job, struct planet_view *planet, int width)
{
    static const enum option excluded[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_TILES};
    int64_t count;
    double sun[3];
    struct flight_path path = {0};
    int code = flight_prepare(job, excluded, sizeof excluded / sizeof *excluded, &count);
    if (!code) code = job->value[OPT_FLY] ? read_path(job, &path) : make_descent(job, planet, &path);
    if (!code) code = aim_sun(job, planet, &path, sun);
    if (!code) code = create_folder(job->value[OPT_OUTPUT]);
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

/* ---- tiles, a file each ---- */

struct tiles {
    int64_t count, *first; /* first: (count + 1) first triangle of each tile, and the number of triangles */
    bool *written;         /* (count) a tile with triangles; one that is a hole has none */
};

static int find_tiles(struct job *job, const struct planet_view *planet, int64_t level, struct tiles *tiles)
{
    tiles->count = (int64_t)8 << level;
    tiles->first = job_alloc((size_t)tiles->count + 1, sizeof *tiles->first);
    tiles->written = tiles->first ? job_alloc((size_t)tiles->count, sizeof *tiles->written) : NULL;
    if (!tiles->written) return EXIT_FAILED;
    memset(tiles->written, 0, (size_t)tiles->count * sizeof *tiles->written);
    bosc_status status =
        bosc_planet_get_tiles(job->ctx, planet->handle, (int32_t)level, tiles->first, tiles->count + 1);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

/* Writes a tile, which replaces the mesh in the arrays of the view, and adds a row to `lines`. */
static int write_tile(struct job *job, struct planet_view *planet, struct tiles *tiles, int64_t k, json_t *lines)
{
    char name[FRAME_NAME_SIZE];
    bosc_io_error error;
    int64_t counts[2];
    const int64_t first = tiles->first[k], count = tiles->first[k + 1] - first;
    if (count == 0) return EXIT_DONE;
    if (!format_numbered_name(&tile_files, job->value[OPT_OUTPUT], k, name))
        return report_error(EXIT_FAILED, "-o: the name of the folder is too long");
    /* 1. Fetch. */
    bosc_status status = bosc_planet_get_part(job->ctx, planet->handle, first, count, planet->origin, planet->vertices,
                                              NULL, planet->normals, planet->vertex_capacity, planet->triangles,
                                              planet->triangle_capacity, counts);
    if (status == BOSC_OK) status = bosc_ctx_sync(job->ctx);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    /* 2. Write and report. */
    bosc_mesh *mesh = &planet->mesh;
    mesh->vertices = counts[0];
    mesh->triangles = counts[1];
    if (planet_view_cut_holes(planet, first) != BOSC_OK) return report_error(EXIT_FAILED, "out of memory for a tile");
    if (mesh->triangles == 0) return EXIT_DONE;
    status = bosc_mesh_write(name, mesh, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    tiles->written[k] = true;
    json_array_append_new(lines, json_pack("{s:s, s:I, s:I, s:I}", "file", name, "tile", (json_int_t)k, "vertices",
                                           (json_int_t)mesh->vertices, "triangles", (json_int_t)mesh->triangles));
    return EXIT_DONE;
}

static bool is_written(const void *user, int64_t k)
{
    const struct tiles *tiles = user;
    return k >= 0 && k < tiles->count && tiles->written[k];
}

/* Writes the selected mesh in tiles of a level, as files in the folder -o. */
static int planet_write_tiles(struct job *job, struct planet_view *planet, int64_t level)
{
    struct tiles tiles = {0};
    const double start = job_now();
    int code = create_folder(job->value[OPT_OUTPUT]);
    if (!code) code = find_tiles(job, planet, level, &tiles);
    json_t *lines = json_array();
    for (int64_t k = 0; !code && k < tiles.count; k++) code = write_tile(job, planet, &tiles, k, lines);
    if (!code) code = remove_numbered_files(&tile_files, job->value[OPT_OUTPUT], is_written, &tiles);
    job_add_seconds(job, "write", start);
    if (!code) job_set_integer(job, "files", (int64_t)json_array_size(lines));
    job_set_json(job, "tiles", lines);
    free(tiles.first);
    free(tiles.written);
    return code;
}

/* ---- a mesh ---- */

enum { TILE_LEVEL_MAX = 16 };           /* 8 x 2^16: half a million files */
enum { TRIANGLES_MAX = (1 << 30) - 1 }; /* of bosc_planet_select */

/* The requested mesh and outputs. */
struct planet_request {
    bosc_planet_goal goal;
    double camera[CAMERA_NUMBERS];
    double finest;      /* as planet_add_insets */
    int64_t width;      /* of the picture */
    int64_t tile_level; /* -1: the mesh is one file */
};

static int read_opts(struct job *job, bosc_planet_opts *opts)
{
    *opts = (bosc_planet_opts){.size = sizeof *opts, .radius = 6371000};
    int code = option_number(job, OPT_RADIUS, 0, &opts->radius);
    if (!code) code = option_number(job, OPT_DETAIL, 0, &opts->detail_amplitude);
    if (!code) code = option_seed(job, &opts->detail_seed);
    if (code) return code;
    if (!(opts->radius >= 1e-9 && opts->radius <= 1e15))
        return report_error(EXIT_USAGE, "-r: %s is not from 1e-9 to 1e15", job->value[OPT_RADIUS]);
    if (!(opts->detail_amplitude <= opts->radius / 8))
        return report_error(EXIT_USAGE, "--detail: %s is more than an eighth of the radius", job->value[OPT_DETAIL]);
    return EXIT_DONE;
}

/* Reads the heights, or with --cache opens their file. */
static int open_heights(struct job *job, const struct heights_options *options, struct planet_view *planet)
{
    bosc_heights *h = &planet->heights;
    bosc_io_error error;
    const double start = job_now();
    bosc_status status = job->value[OPT_CACHE]
                             ? bosc_heights_file_open_opts(job->operands[0], &options->read, &planet->file, &h->width,
                                                           &h->height, &error)
                             : bosc_heights_read_opts(job->operands[0], &options->read, h, &error);
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Builds the planet. Errors of heights name the file; heights_check_radius has found them unless parts are read. */
static int build_planet(struct job *job, struct planet_view *planet, const bosc_planet_opts *opts)
{
    char name[PATH_MAX + 32];
    const double start = job_now();
    const bosc_status status = planet_view_build(job->ctx, planet, opts);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) return EXIT_DONE;
    const char *text = bosc_heights_file_message(planet->file);
    if (status == BOSC_ERR_IO && *text) return report_error(EXIT_FAILED, "%s", text);
    snprintf(name, sizeof name, "%s%s", job->operands[0], planet->shift ? ", columns from longitude -180" : "");
    return report_argument_error(job->ctx, status, "heights", name);
}

/* Reads the options of heights. Parts of a raster cannot be filled. */
static int read_heights_options(const struct job *job, struct heights_options *options)
{
    const int code = heights_options_read(job, options);
    if (code) return code;
    if (job->value[OPT_CACHE] && job->value[OPT_VOIDS] && options->read.voids == BOSC_HEIGHTS_FILL_VOIDS)
        return report_error(EXIT_USAGE, "--voids: fill does not apply to --cache, which reads parts of the raster");
    if (job->value[OPT_CACHE] && options->leaves_holes)
        return report_error(EXIT_USAGE, "--voids: hole does not apply to --cache, which reads parts of the raster");
    return EXIT_DONE;
}

/* Places the heights on the globe: in memory, or by a rotation of the columns of the file. */
static int place_heights(struct job *job, const struct heights_options *options, const struct heights_globe *globe,
                         struct planet_view *planet)
{
    bosc_heights *h = &planet->heights, described;
    bosc_io_error error;
    if (!planet->file) {
        int code = heights_find_factor(job, options, h, &planet->factor);
        if (!code) code = heights_scale(job->operands[0], h, planet->factor);
        return code ? code : heights_to_globe(job, h, globe, NULL);
    }
    const bosc_status status = bosc_heights_file_describe(planet->file, &described, &error);
    if (status != BOSC_OK) return report_io_error(status, &error);
    h->radius = described.radius;
    int code = heights_find_factor(job, options, &described, &planet->factor);
    return code ? code : heights_to_globe(job, &described, globe, &planet->shift);
}

/* Sets the radius: that of --radius, of another planet's file, or the Earth's. */
static void set_radius(struct job *job, const bosc_heights *h, bosc_planet_opts *opts)
{
    /* A file of the Earth has the radius of an ellipsoid's equator, 7 km more than the mean radius. */
    const bool other = h->radius > 0 && fabs(h->radius / 6378137 - 1) > 0.01 && !job->value[OPT_RADIUS];
    if (other) opts->radius = h->radius;
    job_set_number(job, "radius", opts->radius);
    if (other)
        job_set_note(job, "radius", "from the file");
    else if (!job->value[OPT_RADIUS])
        job_set_note(job, "radius", "assumed: the Earth's; --radius R gives it");
}

/* Separates the voids from the heights: 1 where there is no height, in a raster of the same place. Then fills them. */
static int separate_voids(bosc_heights *h, bosc_heights *voids)
{
    bosc_io_error error;
    *voids = *h;
    voids->data = job_alloc((size_t)(h->width * h->height), sizeof *voids->data);
    if (!voids->data) return EXIT_FAILED;
    for (int64_t i = 0; i < h->width * h->height; i++) voids->data[i] = isnan(h->data[i]) ? 1.0F : 0.0F;
    const bosc_status status = bosc_heights_fill(h, &error);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Places the voids on the globe as the heights; there are none outside them. */
static int place_voids(const struct heights_globe *globe, bosc_heights *voids)
{
    bosc_io_error error;
    bosc_globe_opts opts = globe->opts;
    opts.has_outside = 1;
    opts.outside = 0;
    const bosc_status status = voids->data ? bosc_heights_to_globe(voids, &opts, &error) : BOSC_OK;
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Reads the heights and builds the planet. voids: of holes, as separate_voids writes them, on the globe; freed by the
 * caller, after a failure too. finest: as planet_add_insets. */
static int read_planet(struct job *job, struct planet_view *planet, bosc_heights *voids, double *finest)
{
    bosc_planet_opts opts;
    struct heights_options options;
    struct heights_globe globe;
    /* 1. Options. */
    int code = read_opts(job, &opts);
    if (!code) code = read_heights_options(job, &options);
    if (!code) code = option_integer(job, OPT_CACHE, PLANET_VIEW_MIN_CACHE, INT64_MAX, &planet->cache_bytes);
    if (!code) code = heights_read_globe(job, &options, &globe);
    if (!code) code = job_open(job);
    /* 2. The heights, on the globe. */
    if (!code) code = open_heights(job, &options, planet);
    if (code) return code;
    job_set_integer(job, "width", planet->heights.width);
    job_set_integer(job, "height", planet->heights.height);
    heights_report_voids(job, &options, planet->heights.voids);
    if (!planet->file) heights_report_low(job, &planet->heights);
    if (!planet->file) heights_report_rounding(job, &planet->heights);
    if (planet->heights.voids && options.leaves_holes) code = separate_voids(&planet->heights, voids);
    if (!code) code = place_heights(job, &options, &globe, planet);
    if (!code) code = place_voids(&globe, voids);
    if (code) return code;
    set_radius(job, &planet->heights, &opts);
    if ((code = heights_check_radius(job->operands[0], &planet->heights, opts.radius))) return code;
    /* 3. The planet and its insets. */
    code = build_planet(job, planet, &opts);
    if (!code) code = planet_add_insets(job, &options, planet, voids, finest);
    if (!code && voids->data && !planet_holes_open(&planet->holes, voids))
        code = report_error(EXIT_FAILED, "out of memory for the voids");
    return code;
}

/* Notes which samples max_error covers, unless they are exactly the file's samples in view. */
static void note_max_error(struct job *job, const struct planet_view *planet)
{
    const bool resampled = json_object_get(job->results, "resampled") != NULL;
    if (!planet->holes.counts && !resampled && !job->value[OPT_CAMERA]) return;
    job_set_note(job, "max_error", "of all samples%s%s%s", resampled ? " of the resampled globe, not of the file" : "",
                 planet->holes.counts ? ", with filled voids" : "",
                 job->value[OPT_CAMERA] ? ", also those out of view" : "");
}

/* Reports a bound of the error at the samples of a file that was resampled: --error without a camera bounds all of the
 * interpolated surface. Insets and --detail change the surface, and at the largest depth --error may be exceeded: no
 * bound is then reported. */
static void report_file_error(struct job *job, const struct planet_view *planet, const struct planet_request *request)
{
    const json_t *resampled = json_object_get(job->results, "resampled");
    if (!resampled || job->value[OPT_CAMERA] || job->value[OPT_TRIANGLES] || job->value[OPT_INSET] ||
        job->value[OPT_DETAIL] || planet->info.deepest == planet->info.depth)
        return;
    job_set_number(job, "max_file_error", (request->goal.error + json_number_value(resampled)) * (1 + 0x1p-20));
    job_set_note(job, "max_file_error", "a bound at the samples of the file: --error, and what resampling changes");
}

static int report_mesh(struct job *job, const struct planet_view *planet, const struct planet_request *request)
{
    bosc_planet_stats stats = {.size = sizeof stats};
    double start = job_now();
    bosc_status status = bosc_planet_measure(job->ctx, planet->handle, &stats);
    job_add_seconds(job, "measure", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "vertices", planet->mesh.vertices);
    job_set_integer(job, "triangles", planet->mesh.triangles);
    job_set_number(job, "max_error", stats.max_error);
    note_max_error(job, planet);
    report_file_error(job, planet, request);
    job_set_integer(job, "depth", planet->info.deepest);
    if (request->goal.level && planet->info.deepest == request->goal.level)
        job_set_note(job, "depth", "limited: an inset touches a pole, where its columns converge");
    return EXIT_DONE;
}

/* Draws the picture from the camera of the goal, or from far away. The mesh is fetched again, relative to the
 * camera. */
static int draw_picture(struct job *job, struct planet_view *planet, const struct planet_request *request,
                        struct canvas *canvas)
{
    static const double afar[] = {20, 10, 2.4, 0, -90, 40}; /* degrees and radii */
    double numbers[CAMERA_NUMBERS], sun[3];
    bosc_planet_camera camera;
    memcpy(numbers, request->goal.camera ? request->camera : afar, sizeof numbers);
    if (!request->goal.camera) numbers[2] *= planet->info.radius;
    int code = planet_camera(job, planet, "--camera", numbers, (int)request->width, &camera);
    if (!code) code = planet_mesh(job, planet, camera.position);
    if (code) return code;
    const double start = job_now();
    planet_view_light(&camera, sun);
    const bool good = planet_view_draw(planet, &camera, sun, canvas);
    job_add_seconds(job, "draw", start);
    return good ? EXIT_DONE : report_error(EXIT_FAILED, "out of memory for the picture");
}

/* Writes the mesh, a picture, or both together; or the mesh in tiles. */
static int write_results(struct job *job, struct planet_view *planet, const struct planet_request *request)
{
    struct canvas canvas = {0};
    int code = job->value[OPT_PNG] ? draw_picture(job, planet, request, &canvas) : EXIT_DONE;
    if (!code && !request->goal.camera) code = planet_mesh(job, planet, NULL);
    if (!code && request->tile_level < 0)
        code = surface_write(job, &planet->mesh, &canvas);
    else if (!code)
        code = planet_write_tiles(job, planet, request->tile_level);
    canvas_close(&canvas);
    return code;
}

/* Reads the options of mesh and picture; at most one of --error, --triangles and --camera. */
static int read_request(struct job *job, struct planet_request *request)
{
    const bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = surface_check_bound(job);
    *request = (struct planet_request){
        .goal = {.size = sizeof request->goal, .error = -1}, .width = flight ? 1280 : 1600, .tile_level = -1};
    if (code) return code;
    if (job->value[OPT_TRIANGLES] || job->value[OPT_CAMERA]) request->goal.error = 0;
    if ((code = option_number(job, OPT_ERROR, 0, &request->goal.error)) ||
        (code = option_integer(job, OPT_TRIANGLES, 8, TRIANGLES_MAX, &request->goal.triangles)) ||
        (code = option_numbers(job, OPT_CAMERA, CAMERA_NUMBERS, request->camera)) ||
        (code = option_integer(job, OPT_TILES, 0, TILE_LEVEL_MAX, &request->tile_level)))
        return code;
    return option_integer(job, OPT_WIDTH, 64, 16384, &request->width);
}

/* Refuses invalid combinations of output options. */
static int check_outputs(const struct job *job, bool flight)
{
    static const char *const endings[] = {".glb", ".ply", ".obj", NULL}, *const pictures[] = {".png", NULL};
    const bool tiles = job->value[OPT_TILES] != NULL;
    if (tiles && job->value[OPT_PNG]) return report_error(EXIT_USAGE, "--png: cannot be combined with --tiles");
    if (tiles && job->value[OPT_OUTPUT] && path_is_stdio(job->value[OPT_OUTPUT]))
        return report_error(EXIT_USAGE, "-o: tiles need a folder");
    int code = flight || tiles ? EXIT_DONE : option_ending(job, OPT_OUTPUT, endings);
    if (!code) code = option_ending(job, OPT_PNG, pictures);
    if (code) return code;
    if (!flight && !job->value[OPT_PNG] && job->value[OPT_WIDTH])
        return report_error(EXIT_USAGE, "--width: requires --png");
    if (!job->value[OPT_OUTPUT] && (flight || !job->value[OPT_PNG])) return report_error(EXIT_USAGE, "-o: is missing");
    return EXIT_DONE;
}

/* Returns the level with edges of `finest`, or of the sphere's curvature: with a sagitta of a 16th of the error. */
static int32_t level_of(double finest, double error, double radius)
{
    const double curved = sqrt(8 * error / 16 / radius) * (180 / M_PI), edge = fmin(finest, curved);
    return (int32_t)ceil(2 * log2(90 / edge)); /* the octahedron's edges have 90 degrees; two levels halve an edge */
}

/* Limits the depth of a mesh within --error where an inset touches a pole. */
static void limit_depth(struct planet_request *request, const bosc_planet_info *info)
{
    bosc_planet_goal *goal = &request->goal;
    if (request->finest == 0 || goal->camera || goal->triangles || !(goal->error > 0) || isinf(goal->error)) return;
    const int32_t level = level_of(request->finest, goal->error, info->radius);
    if (level < info->depth) goal->level = level;
}

/* Selects, fetches, reports and writes the requested mesh. With a camera its positions are relative to the camera. */
static int make_mesh(struct job *job, struct planet_view *planet, struct planet_request *request)
{
    bosc_planet_camera camera;
    bosc_planet_info info = {.size = sizeof info};
    int code = EXIT_DONE;
    bosc_status status = bosc_planet_get_info(job->ctx, planet->handle, &info);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    if (request->goal.error < 0) request->goal.error = fmax((info.high - info.low) / 50, info.radius / 20000);
    if (job->value[OPT_CAMERA]) {
        code = planet_camera(job, planet, "--camera", request->camera, (int)request->width, &camera);
        request->goal.camera = &camera;
    }
    limit_depth(request, &info);
    if (!code) code = planet_select(job, planet, &request->goal);
    if (!code) code = planet_mesh(job, planet, request->goal.camera ? camera.position : NULL);
    if (!code && request->goal.camera)
        job_set_json(job, "origin", json_pack("[f, f, f]", camera.position[0], camera.position[1], camera.position[2]));
    if (!code) code = report_mesh(job, planet, request);
    if (!code) code = write_results(job, planet, request);
    return code;
}

int run_planet(struct job *job)
{
    struct planet_request request;
    struct planet_view planet = {0};
    bosc_heights voids = {0};
    const bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = read_request(job, &request);
    if (!code) code = check_outputs(job, flight);
    if (!code) code = read_planet(job, &planet, &voids, &request.finest);
    bosc_heights_free(&voids);
    if (!code) code = flight ? planet_fly(job, &planet, (int)request.width) : make_mesh(job, &planet, &request);
    planet_view_close(&planet);
    return code;
}
