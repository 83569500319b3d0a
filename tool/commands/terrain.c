/* boscage terrain: a mesh of heights and a picture of it, or a flight over them with a picture per frame. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "render/camera.h"
#include "render/terrain_shade.h"
#include "render/terrain_view.h"
#include "tool/commands/commands.h"
#include "tool/commands/georeference.h"
#include "tool/commands/heights.h"
#include "tool/commands/surface.h"
#include "tool/commands/terrain_tiles.h"
#include "tool/job.h"
#include "tool/options/values.h"
#include "tool/options/option_table.h"
#include "tool/output/frames.h"
#include "tool/output/paths.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* ---- steps: timed, with errors reported ---- */

/* Checks the camera given by the option or file `name`; reports an invalid one and returns EXIT_USAGE. */
static int check_camera(const char *name, const double camera[CAMERA_NUMBERS])
{
    char reason[96];
    return camera_check(camera, reason, sizeof reason) ? EXIT_DONE : report_error(EXIT_USAGE, "%s: %s", name, reason);
}

static int terrain_select(struct job *job, struct terrain_view *terrain, const bosc_terrain_goal *goal)
{
    double start = job_now();
    bosc_status status = terrain_view_select(job->ctx, terrain, goal);
    job_add_seconds(job, "select", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static int terrain_mesh(struct job *job, struct terrain_view *terrain)
{
    double start = job_now();
    bosc_status status = terrain_view_fetch_mesh(job->ctx, terrain);
    job_add_seconds(job, "mesh", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    if (terrain->mesh.triangles > 0) return EXIT_DONE;
    return report_error(EXIT_FAILED, "%s: its voids leave no triangle of the mesh", job->operands[0]);
}

/* ---- a flight ---- */

enum { CIRCLE = 24 };         /* cameras of the default flight; chosen */
enum { YAW = 3, PITCH, FOV }; /* numbers of a camera, behind its position */

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
        c[YAW] = -i * 360.0 / CIRCLE - 50; /* the angle itself would look at the middle */
        c[PITCH] = -14;
        c[FOV] = 50;
    }
    return EXIT_DONE;
}

static int read_path(struct job *job, struct flight_path *path)
{
    bosc_array rows = {0};
    int code = flight_read_cameras(job, 2, "at least two rows x,y,z,yaw,pitch,fov", check_camera, &rows);
    if (!code) *path = (struct flight_path){.camera = rows.data, .count = rows.shape[0]};
    return code;
}

/* Adds multiples of 360 degrees so that consecutive yaws differ by at most 180. */
static void unwind_yaw(struct flight_path *path)
{
    for (int64_t i = 1; i < path->count; i++) {
        double *yaw = path->camera + i * CAMERA_NUMBERS + YAW, previous = yaw[-CAMERA_NUMBERS];
        *yaw = previous + remainder(*yaw - previous, 360);
    }
}

/* Copies camera i; beyond its ends the path continues around, or repeats its last camera. */
static void copy_knot(const struct flight_path *path, int64_t i, double camera[CAMERA_NUMBERS])
{
    int64_t n = path->count, j = path->closed ? (i + n) % n : i < 0 ? 0 : i >= n ? n - 1 : i;
    memcpy(camera, path->camera + j * CAMERA_NUMBERS, CAMERA_NUMBERS * sizeof *camera);
    if (path->closed && i != j) camera[YAW] += i < 0 ? 360 : -360; /* the circle's yaw falls by 360 degrees */
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
    camera[PITCH] = fmin(fmax(camera[PITCH], -90), 90);
    camera[FOV] = fmin(fmax(camera[FOV], 1), 170);
}

/* Makes a frame: selects the mesh for the camera, draws it to a PNG, and adds a row to `frames`. A failed draw leaves
 * no canvas open. */
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

/* Writes the frames of a flight, `width` pixels wide, 16 : 9. */
static int terrain_fly(struct job *job, struct terrain_view *terrain, int width)
{
    static const enum option excluded[] = {OPT_ERROR, OPT_TRIANGLES, OPT_CAMERA, OPT_PNG,
                                           OPT_VIEW,  OPT_FLIP_Y,    OPT_TILES};
    int64_t count;
    struct flight_path path = {0};
    struct raster_light light = {0};
    int code = flight_prepare(job, excluded, sizeof excluded / sizeof *excluded, &count);
    if (!code) code = job->value[OPT_FLY] ? read_path(job, &path) : make_circle(terrain, &path);
    if (code) return code;
    if (!path.closed) unwind_yaw(&path);
    json_t *frames = json_array();
    code = create_folder(job->value[OPT_OUTPUT]);
    if (!code && !raster_light_open(&light, &terrain->heights))
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

/* ---- a mesh ---- */

/* The requested mesh and picture. */
struct terrain_request {
    bosc_terrain_goal goal;
    bosc_terrain_camera camera;
    int view;
    int64_t width;     /* of the picture */
    int64_t last_tile; /* last level of a tile set; -1: the mesh is one file */
};

/* Records the voids as holes, and fills them: heights beside them and the light of pictures need heights there. */
static int open_holes(struct terrain_view *terrain)
{
    bosc_io_error error;
    if (!terrain_holes_open(&terrain->holes, &terrain->heights))
        return report_error(EXIT_FAILED, "out of memory for the voids");
    const bosc_status status = bosc_heights_fill(&terrain->heights, &error);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

/* Reads the heights and builds the terrain. The caller closes *terrain, after a failure too. The latitude is that of
 * the raster's middle, where degrees were converted to metres. */
static int read_terrain(struct job *job, struct terrain_view *terrain)
{
    /* 1. Options. */
    int code;
    double spacing = 0, factor;
    struct heights_options options;
    bosc_io_error error;
    *terrain = (struct terrain_view){0};
    if ((code = option_number(job, OPT_SPACING, 0, &spacing)) || (code = heights_options_read(job, &options)))
        return code;
    if (job->value[OPT_SPACING] && !(spacing >= 1e-9 && spacing <= 1e9))
        return report_error(EXIT_USAGE, "--spacing: %s is not from 1e-9 to 1e9", job->value[OPT_SPACING]);
    if ((code = job_open(job))) return code;
    /* 2. Heights; --spacing overrides that of the file. */
    double start = job_now();
    bosc_status status = bosc_heights_read_opts(job->operands[0], &options.read, &terrain->heights, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    bosc_heights *h = &terrain->heights;
    if (h->width < 2 || h->height < 2)
        return report_error(EXIT_FAILED, "%s: %lld x %lld samples are too few for a mesh", job->operands[0],
                            (long long)h->width, (long long)h->height);
    job_set_integer(job, "width", h->width);
    job_set_integer(job, "height", h->height);
    heights_report_low(job, h);
    heights_report_rounding(job, h);
    if ((code = heights_find_factor(job, &options, h, &factor)) ||
        (code = heights_scale(job->operands[0], h, factor)) || (code = heights_set_spacing(job, h, spacing)))
        return code;
    heights_report_voids(job, &options, h->voids);
    if (h->voids && options.leaves_holes && (code = open_holes(terrain))) return code;
    /* 3. The terrain. */
    start = job_now();
    status = terrain_view_build(job->ctx, terrain);
    job_add_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job->ctx, status);
}

static double height_range(const bosc_heights *h)
{
    float low = h->data[0], high = h->data[0];
    for (int64_t i = 1; i < h->width * h->height; i++) {
        low = fminf(low, h->data[i]);
        high = fmaxf(high, h->data[i]);
    }
    return (double)high - low;
}

/* budget: of triangles; 0: none. */
static int report_mesh(struct job *job, const struct terrain_view *terrain, int64_t budget)
{
    bosc_terrain_stats stats = {.size = sizeof stats};
    double start = job_now();
    bosc_status status = bosc_terrain_measure(job->ctx, terrain->handle, &stats);
    job_add_seconds(job, "measure", start);
    if (status != BOSC_OK) return report_ctx_error(job->ctx, status);
    job_set_integer(job, "leaves", stats.leaves);
    job_set_integer(job, "vertices", terrain->mesh.vertices);
    job_set_integer(job, "triangles", terrain->mesh.triangles);
    if (budget > 0 && terrain->mesh.triangles > budget)
        job_set_note(job, "triangles", "more than %lld: the coarsest mesh has as many", (long long)budget);
    job_set_number(job, "max_error", stats.max_error);
    if (terrain->holes.counts) job_set_note(job, "max_error", "of all samples, with filled voids");
    job_set_integer(job, "depth", stats.depth);
    return EXIT_DONE;
}

/* Returns the scale of heights in a picture without a camera: 1, or a smaller one if the block would be taller than its
 * longer side; its heights are then a quarter of that side. Factors chosen by eye. */
static double picture_scale(const bosc_heights *h)
{
    const double side = fmax((double)(h->width - 1) * h->spacing, (double)(h->height - 1) * h->spacing_y);
    const double range = height_range(h);
    return range > side ? side / range / 4 : 1;
}

/* Opens the canvas and draws the picture. */
static int draw_view(struct job *job, const struct terrain_view *terrain, const struct terrain_request *request,
                     struct canvas *canvas)
{
    struct raster_light light;
    int width = (int)request->width;
    double start = job_now();
    struct terrain_picture picture = {
        .light = &light, .mesh = &terrain->mesh, .view = (enum terrain_view_kind)request->view, .wires = 0.6};
    if (request->view == VIEW_FROM_CAMERA) picture.eye = camera_eye(&request->camera, terrain->heights.spacing);
    bool good =
        raster_light_open(&light, &terrain->heights) && terrain_picture_draw(&picture, width, width * 9 / 16, canvas);
    raster_light_close(&light);
    job_add_seconds(job, "draw", start);
    return good ? EXIT_DONE : report_error(EXIT_FAILED, "out of memory for the picture");
}

/* Draws the picture, of scaled heights if true ones would make a needle of the terrain and no scale is given. */
static int draw_picture(struct job *job, const struct terrain_view *terrain, const struct terrain_request *request,
                        struct canvas *canvas)
{
    const bool as_given = request->view == VIEW_FROM_CAMERA || job->value[OPT_VERTICAL_EXAGGERATION];
    const double scale = as_given ? 1 : picture_scale(&terrain->heights);
    struct terrain_view scaled;
    if (scale == 1) return draw_view(job, terrain, request, canvas);
    job_set_number(job, "vertical_scale", scale);
    job_set_note(job, "vertical_scale", "of the picture: the heights span more than the sides; --spacing S sets these");
    int code = terrain_view_copy_scaled(terrain, scale, &scaled)
                   ? draw_view(job, &scaled, request, canvas)
                   : report_error(EXIT_FAILED, "out of memory for the picture");
    terrain_view_close(&scaled);
    return code;
}

/* Sets the facts of the mesh that only a .glb holds: texture coordinates, 0 at the first column and row and 1 at the
 * last, and the place of the raster. They are freed by the caller, after a failure too. */
static int describe_mesh(struct job *job, struct terrain_view *terrain, float **texture, char **extras)
{
    const bosc_heights *h = &terrain->heights;
    bosc_mesh *mesh = &terrain->mesh;
    *texture = job_alloc((size_t)mesh->vertices * 2, sizeof **texture);
    if (!*texture) return EXIT_FAILED;
    for (int64_t i = 0; i < mesh->vertices; i++) {
        const float *at = mesh->positions + 3 * i;
        (*texture)[2 * i] = (float)(rint((double)at[0] / h->spacing) / (double)(h->width - 1));
        (*texture)[2 * i + 1] = (float)(rint((double)at[1] / h->spacing_y) / (double)(h->height - 1));
    }
    *extras = georeference_text(job, h, job->value[OPT_FLIP_Y] ? h->height - 1 : 0);
    mesh->texture = *texture;
    mesh->extras = *extras;
    return *extras ? EXIT_DONE : report_error(EXIT_FAILED, "out of memory");
}

/* Writes the mesh, a picture, or both together. */
static int write_results(struct job *job, struct terrain_view *terrain, const struct terrain_request *request)
{
    struct canvas canvas = {0};
    float *texture = NULL;
    char *extras = NULL;
    const char *path = job->value[OPT_OUTPUT];
    int code = job->value[OPT_PNG] ? draw_picture(job, terrain, request, &canvas) : EXIT_DONE;
    if (!code && path && (path_is_stdio(path) || path_has_ending(path, ".glb")))
        code = describe_mesh(job, terrain, &texture, &extras);
    if (job->value[OPT_FLIP_Y]) terrain_view_flip_y(terrain);
    if (!code) code = surface_write(job, &terrain->mesh, &canvas);
    canvas_close(&canvas);
    free(texture);
    free(extras);
    return code;
}

/* Reads the options of mesh and picture; at most one of --error, --triangles and --camera. */
static int read_request(struct job *job, struct terrain_request *request)
{
    double camera[CAMERA_NUMBERS];
    int code = surface_check_bound(job);
    bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    *request = (struct terrain_request){.goal = {.size = sizeof request->goal, .error = -1},
                                        .view = VIEW_BLOCK,
                                        .width = flight ? 1280 : 1600,
                                        .last_tile = -1};
    if (code) return code;
    if (job->value[OPT_TRIANGLES] || job->value[OPT_CAMERA]) request->goal.error = 0;
    if ((code = option_number(job, OPT_ERROR, 0, &request->goal.error)) ||
        (code = option_integer(job, OPT_TRIANGLES, 1, INT64_MAX, &request->goal.triangles)) ||
        (code = option_numbers(job, OPT_CAMERA, CAMERA_NUMBERS, camera)) ||
        (code = option_choice(job, OPT_VIEW, &request->view)) ||
        (code = option_integer(job, OPT_TILES, 0, TERRAIN_TILE_LEVEL_MAX, &request->last_tile)) ||
        (code = option_integer(job, OPT_WIDTH, 64, 16384, &request->width)))
        return code;
    if (!job->value[OPT_CAMERA]) return EXIT_DONE;
    if (!job->value[OPT_VIEW]) request->view = VIEW_FROM_CAMERA;
    request->camera = camera_of(camera, (int)request->width, (int)request->width * 9 / 16);
    request->goal.camera = &request->camera;
    return check_camera("--camera", camera);
}

/* Refuses invalid combinations of output options. */
static int check_outputs(const struct job *job, bool flight)
{
    static const char *const endings[] = {".glb", ".ply", ".obj", NULL}, *const pictures[] = {".png", NULL};
    static const enum option not_tiles[] = {OPT_TRIANGLES, OPT_CAMERA, OPT_PNG, OPT_VIEW, OPT_WIDTH, OPT_FLIP_Y};
    const bool tiles = job->value[OPT_TILES] != NULL && !flight;
    int code;
    for (size_t i = 0; i < sizeof not_tiles / sizeof *not_tiles && tiles; i++)
        if (job->value[not_tiles[i]])
            return report_error(EXIT_USAGE, "%s: cannot be combined with --tiles", option_flag(not_tiles[i]));
    if (tiles && job->value[OPT_OUTPUT] && path_is_stdio(job->value[OPT_OUTPUT]))
        return report_error(EXIT_USAGE, "-o: tiles need a folder");
    if (!flight && !tiles && (code = option_ending(job, OPT_OUTPUT, endings))) return code;
    if ((code = option_ending(job, OPT_PNG, pictures))) return code;
    if (!flight && !job->value[OPT_PNG] && (job->value[OPT_VIEW] || job->value[OPT_WIDTH]))
        return report_error(EXIT_USAGE, "%s: requires --png", option_flag(job->value[OPT_VIEW] ? OPT_VIEW : OPT_WIDTH));
    if (job->value[OPT_FLIP_Y] && !flight && !job->value[OPT_OUTPUT])
        return report_error(EXIT_USAGE, "--flip-y: requires -o");
    if (!job->value[OPT_OUTPUT] && (flight || !job->value[OPT_PNG])) return report_error(EXIT_USAGE, "-o: is missing");
    return EXIT_DONE;
}

/* Selects, fetches, reports and writes the requested mesh. */
static int make_mesh(struct job *job, struct terrain_view *terrain, struct terrain_request *request)
{
    if (request->goal.error < 0) request->goal.error = height_range(&terrain->heights) / 200;
    int code = terrain_select(job, terrain, &request->goal);
    if (!code) code = terrain_mesh(job, terrain);
    if (!code) code = report_mesh(job, terrain, request->goal.triangles);
    if (!code) code = write_results(job, terrain, request);
    return code;
}

int run_terrain(struct job *job)
{
    struct terrain_request request;
    struct terrain_view terrain = {0};
    const bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = read_request(job, &request);
    if (!code) code = check_outputs(job, flight);
    if (!code) code = read_terrain(job, &terrain);
    if (!code && flight)
        code = terrain_fly(job, &terrain, (int)request.width);
    else if (!code && request.last_tile >= 0)
        code =
            terrain_write_tiles(job, &terrain, request.last_tile, height_range(&terrain.heights), request.goal.error);
    else if (!code)
        code = make_mesh(job, &terrain, &request);
    terrain_view_close(&terrain);
    return code;
}
