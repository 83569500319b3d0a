/* boscage terrain: a mesh of heights, and a picture of it. */
#include <math.h>
#include <stdlib.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/commands/surface.h"
#include "tool/commands/terrain_job.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/option_table.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

/* The requested mesh and picture. */
struct terrain_request {
    bosc_terrain_goal goal;
    bosc_terrain_camera camera;
    int view;
    int64_t width; /* of the picture */
};

/* Reads the heights and builds the terrain. */
static int read_terrain(struct job *job, struct terrain_view *terrain)
{
    /* 1. Options. */
    int encoding = 0, code;
    double spacing = 0;
    bosc_io_error error;
    *terrain = (struct terrain_view){0};
    if ((code = option_number(job, OPT_SPACING, 0, &spacing)) || (code = option_choice(job, OPT_ENCODING, &encoding)))
        return code;
    if (job->value[OPT_SPACING] && !(spacing >= 1e-9 && spacing <= 1e9))
        return report_error(EXIT_USAGE, "--spacing: %s is not from 1e-9 to 1e9", job->value[OPT_SPACING]);
    if ((code = job_open(job))) return code;
    /* 2. Heights; --spacing overrides that of the file. */
    double start = job_now();
    bosc_status status =
        bosc_heights_read(job->operands[0], (bosc_heights_encoding)encoding, &terrain->heights, &error);
    job_add_seconds(job, "read", start);
    if (status != BOSC_OK) return report_io_error(status, &error);
    bosc_heights *h = &terrain->heights;
    if (h->width < 2 || h->height < 2)
        return report_error(EXIT_FAILED, "%s: %lld x %lld samples are too few for a mesh", job->operands[0],
                            (long long)h->width, (long long)h->height);
    bool from_degrees = !spacing && h->degrees;
    if (spacing || h->spacing == 0) h->spacing = h->spacing_y = spacing ? spacing : 1;
    if (h->spacing_y == 0) h->spacing_y = h->spacing;
    job_set_integer(job, "width", h->width);
    job_set_integer(job, "height", h->height);
    job_set_number(job, "spacing", h->spacing);
    if (h->spacing_y != h->spacing) job_set_number(job, "spacing_y", h->spacing_y);
    if (from_degrees) job_set_number(job, "latitude", h->latitude);
    if (h->voids) job_set_integer(job, "voids", h->voids);
    /* 3. The terrain. */
    start = job_now();
    status = terrain_view_build(job->ctx, terrain);
    job_add_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : report_ctx_error(job, status);
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

static int report_mesh(struct job *job, const struct terrain_view *terrain)
{
    bosc_terrain_stats stats = {.size = sizeof stats};
    double start = job_now();
    bosc_status status = bosc_terrain_measure(job->ctx, terrain->handle, &stats);
    job_add_seconds(job, "measure", start);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    job_set_integer(job, "leaves", stats.leaves);
    job_set_integer(job, "vertices", stats.vertices);
    job_set_integer(job, "triangles", stats.triangles);
    job_set_number(job, "max_error", stats.max_error);
    job_set_integer(job, "depth", stats.depth);
    return EXIT_DONE;
}

/* Opens the canvas and draws the picture. */
static int draw_picture(struct job *job, const struct terrain_view *terrain, const struct terrain_request *request,
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

/* Writes the mesh, a picture, or both together. */
static int write_results(struct job *job, struct terrain_view *terrain, const struct terrain_request *request)
{
    struct canvas canvas = {0};
    int code = job->value[OPT_PNG] ? draw_picture(job, terrain, request, &canvas) : EXIT_DONE;
    if (job->value[OPT_FLIP_Y]) terrain_view_flip_y(terrain);
    if (!code) code = surface_write(job, &terrain->mesh, &canvas);
    canvas_close(&canvas);
    return code;
}

/* Reads the options of mesh and picture; at most one of --error, --triangles and --camera. */
static int read_request(struct job *job, struct terrain_request *request)
{
    double camera[CAMERA_NUMBERS];
    int code = surface_check_bound(job);
    bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    *request = (struct terrain_request){
        .goal = {.size = sizeof request->goal, .error = -1}, .view = VIEW_BLOCK, .width = flight ? 1280 : 1600};
    if (code) return code;
    if (job->value[OPT_TRIANGLES] || job->value[OPT_CAMERA]) request->goal.error = 0;
    if ((code = option_number(job, OPT_ERROR, 0, &request->goal.error)) ||
        (code = option_integer(job, OPT_TRIANGLES, 1, INT64_MAX, &request->goal.triangles)) ||
        (code = option_numbers(job, OPT_CAMERA, CAMERA_NUMBERS, camera)) ||
        (code = option_choice(job, OPT_VIEW, &request->view)) ||
        (code = option_integer(job, OPT_WIDTH, 64, 16384, &request->width)))
        return code;
    if (!job->value[OPT_CAMERA]) return EXIT_DONE;
    if (!job->value[OPT_VIEW]) request->view = VIEW_FROM_CAMERA;
    request->camera = camera_of(camera, (int)request->width, (int)request->width * 9 / 16);
    request->goal.camera = &request->camera;
    return check_camera("--camera", camera);
}

int run_terrain(struct job *job)
{
    static const char *const endings[] = {".glb", ".ply", ".obj", NULL};
    struct terrain_request request;
    struct terrain_view terrain = {0};
    bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    /* 1. Options. */
    int code = read_request(job, &request);
    if (code) return code;
    if (!flight && (code = option_ending(job, OPT_OUTPUT, endings))) return code;
    if ((code = option_ending(job, OPT_PNG, (const char *const[]){".png", NULL}))) return code;
    if (!flight && !job->value[OPT_PNG] && (job->value[OPT_VIEW] || job->value[OPT_WIDTH]))
        return report_error(EXIT_USAGE, "%s: requires --png", option_flag(job->value[OPT_VIEW] ? OPT_VIEW : OPT_WIDTH));
    if (job->value[OPT_FLIP_Y] && !flight && !job->value[OPT_OUTPUT])
        return report_error(EXIT_USAGE, "--flip-y: requires -o");
    if (!job->value[OPT_OUTPUT] && (flight || !job->value[OPT_PNG])) return report_error(EXIT_USAGE, "-o: is missing");
    /* 2. A flight, or a mesh. */
    code = read_terrain(job, &terrain);
    if (!code && flight) {
        code = terrain_fly(job, &terrain, (int)request.width);
    } else if (!code) {
        if (request.goal.error < 0) request.goal.error = height_range(&terrain.heights) / 200;
        code = terrain_select(job, &terrain, &request.goal);
        if (!code) code = terrain_mesh(job, &terrain);
        if (!code) code = report_mesh(job, &terrain);
        if (!code) code = write_results(job, &terrain, &request);
    }
    terrain_view_close(&terrain);
    return code;
}
