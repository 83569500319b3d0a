/* boscage planet: a closed mesh of a planet, and pictures of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/clock.h"
#include "tool/commands/commands.h"
#include "tool/commands/planet_job.h"
#include "tool/commands/surface.h"
#include "tool/job.h"
#include "tool/options/number.h"
#include "tool/options/values.h"
#include "tool/output/report.h"
#include "tool/tool.h"

enum { TILE_LEVEL_MAX = 16 }; /* 8 x 2^16: half a million files */

/* The requested mesh and outputs. */
struct planet_request {
    bosc_planet_goal goal;
    double camera[CAMERA_NUMBERS];
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

/* Refuses heights of half the radius and more. */
static int check_heights(const struct job *job, const bosc_heights *h, double radius)
{
    for (int64_t i = 0; h->data && i < h->width * h->height; i++)
        if (!(fabs((double)h->data[i]) < radius / 2))
            return report_error(EXIT_FAILED, "%s: row %lld, column %lld: the height %g is not below half the radius",
                                job->operands[0], (long long)(i / h->width), (long long)(i % h->width),
                                (double)h->data[i]);
    return EXIT_DONE;
}

/* Reads the heights, or with --cache opens their file. */
static int open_heights(struct job *job, int encoding, struct planet_view *planet)
{
    bosc_heights *h = &planet->heights;
    bosc_io_error error;
    const double start = job_now();
    bosc_status status = job->value[OPT_CACHE]
                             ? bosc_heights_file_open(job->operands[0], (bosc_heights_encoding)encoding, &planet->file,
                                                      &h->width, &h->height, &error)
                             : bosc_heights_read(job->operands[0], (bosc_heights_encoding)encoding, h, &error);
    job_add_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : report_io_error(status, &error);
}

static int build_planet(struct job *job, struct planet_view *planet, const bosc_planet_opts *opts)
{
    const double start = job_now();
    const bosc_status status = planet_view_build(job->ctx, planet, opts);
    job_add_seconds(job, "build", start);
    if (status == BOSC_OK) return EXIT_DONE;
    const char *text = bosc_heights_file_message(planet->file);
    return status == BOSC_ERR_IO && *text ? report_error(EXIT_FAILED, "%s", text) : report_ctx_error(job, status);
}

static int read_planet(struct job *job, struct planet_view *planet)
{
    int encoding = 0;
    bosc_planet_opts opts;
    int code = read_opts(job, &opts);
    if (!code) code = option_choice(job, OPT_ENCODING, &encoding);
    if (!code) code = option_integer(job, OPT_CACHE, PLANET_VIEW_MIN_CACHE, INT64_MAX, &planet->cache_bytes);
    if (!code) code = job_open(job);
    if (!code) code = open_heights(job, encoding, planet);
    if (code) return code;
    job_set_integer(job, "width", planet->heights.width);
    job_set_integer(job, "height", planet->heights.height);
    job_set_number(job, "radius", opts.radius);
    if ((code = check_heights(job, &planet->heights, opts.radius))) return code;
    if (planet->heights.voids) job_set_integer(job, "voids", planet->heights.voids);
    return build_planet(job, planet, &opts);
}

static int report_mesh(struct job *job, const struct planet_view *planet)
{
    bosc_planet_stats stats = {.size = sizeof stats};
    double start = job_now();
    bosc_status status = bosc_planet_measure(job->ctx, planet->handle, &stats);
    job_add_seconds(job, "measure", start);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    job_set_integer(job, "vertices", planet->info.vertices);
    job_set_integer(job, "triangles", planet->info.triangles);
    job_set_number(job, "max_error", stats.max_error);
    job_set_integer(job, "depth", planet->info.deepest);
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
    planet_sun(camera.position, sun);
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
        (code = option_integer(job, OPT_TRIANGLES, 8, INT64_MAX, &request->goal.triangles)) ||
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
    if (tiles && job->value[OPT_OUTPUT] && strcmp(job->value[OPT_OUTPUT], "-") == 0)
        return report_error(EXIT_USAGE, "-o: tiles need a folder");
    int code = flight || tiles ? EXIT_DONE : option_ending(job, OPT_OUTPUT, endings);
    if (!code) code = option_ending(job, OPT_PNG, pictures);
    if (code) return code;
    if (!flight && !job->value[OPT_PNG] && job->value[OPT_WIDTH])
        return report_error(EXIT_USAGE, "--width: requires --png");
    if (!job->value[OPT_OUTPUT] && (flight || !job->value[OPT_PNG])) return report_error(EXIT_USAGE, "-o: is missing");
    return EXIT_DONE;
}

/* Selects, fetches, reports and writes the requested mesh. With a camera its positions are relative to the camera. */
static int make_mesh(struct job *job, struct planet_view *planet, struct planet_request *request)
{
    bosc_planet_camera camera;
    bosc_planet_info info = {.size = sizeof info};
    int code = EXIT_DONE;
    bosc_status status = bosc_planet_get_info(job->ctx, planet->handle, &info);
    if (status != BOSC_OK) return report_ctx_error(job, status);
    if (request->goal.error < 0) request->goal.error = fmax((info.high - info.low) / 50, info.radius / 20000);
    if (job->value[OPT_CAMERA]) {
        code = planet_camera(job, planet, "--camera", request->camera, (int)request->width, &camera);
        request->goal.camera = &camera;
    }
    if (!code) code = planet_select(job, planet, &request->goal);
    if (!code) code = planet_mesh(job, planet, request->goal.camera ? camera.position : NULL);
    if (!code && request->goal.camera)
        job_set_json(job, "origin", json_pack("[f, f, f]", camera.position[0], camera.position[1], camera.position[2]));
    if (!code) code = report_mesh(job, planet);
    if (!code) code = write_results(job, planet, request);
    return code;
}

int run_planet(struct job *job)
{
    struct planet_request request;
    struct planet_view planet = {0};
    const bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = read_request(job, &request);
    if (!code) code = check_outputs(job, flight);
    if (!code) code = read_planet(job, &planet);
    if (!code) code = flight ? planet_fly(job, &planet, (int)request.width) : make_mesh(job, &planet, &request);
    planet_view_close(&planet);
    return code;
}
