/* boscage planet: a closed mesh of a whole planet, and pictures of it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tool/commands/planet_job.h"

enum { MOST_TILE_LEVEL = 16 }; /* half a million files */

struct wish {
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
        return say(EXIT_USAGE, "-r: %s is not from 1e-9 to 1e15", job->value[OPT_RADIUS]);
    if (!(opts->detail_amplitude <= opts->radius / 8))
        return say(EXIT_USAGE, "--detail: %s is more than an eighth of the radius", job->value[OPT_DETAIL]);
    return EXIT_DONE;
}

static int check_heights(const struct job *job, const bosc_heights *h, double radius)
{
    for (int64_t i = 0; h->data && i < h->width * h->height; i++)
        if (!(fabs((double)h->data[i]) < radius / 2))
            return say(EXIT_FAILED, "%s: row %lld, column %lld: the height %g is not below half the radius",
                       job->operands[0], (long long)(i / h->width), (long long)(i % h->width), (double)h->data[i]);
    return EXIT_DONE;
}

/* The heights, or the file that they are in. */
static int open_heights(struct job *job, int encoding, struct globe *globe)
{
    bosc_heights *h = &globe->heights;
    bosc_io_error error;
    const double start = job_now();
    bosc_status status = job->value[OPT_CACHE]
                             ? bosc_heights_file_open(job->operands[0], (bosc_heights_encoding)encoding, &globe->file,
                                                      &h->width, &h->height, &error)
                             : bosc_heights_read(job->operands[0], (bosc_heights_encoding)encoding, h, &error);
    job_seconds(job, "read", start);
    return status == BOSC_OK ? EXIT_DONE : say_io(status, &error);
}

static int build_globe(struct job *job, struct globe *globe, const bosc_planet_opts *opts)
{
    const double start = job_now();
    const bosc_status status = globe_build(job->ctx, globe, opts);
    job_seconds(job, "build", start);
    if (status == BOSC_OK) return EXIT_DONE;
    const char *text = bosc_heights_file_message(globe->file);
    return status == BOSC_ERR_IO && *text ? say(EXIT_FAILED, "%s", text) : say_ctx(job, status);
}

static int read_globe(struct job *job, struct globe *globe)
{
    int encoding = 0;
    bosc_planet_opts opts;
    int code = read_opts(job, &opts);
    if (!code) code = option_choice(job, OPT_ENCODING, &encoding);
    if (!code) code = option_integer(job, OPT_CACHE, GLOBE_LEAST_CACHE, INT64_MAX, &globe->cache_bytes);
    if (!code) code = job_open(job);
    if (!code) code = open_heights(job, encoding, globe);
    if (code) return code;
    job_integer(job, "width", globe->heights.width);
    job_integer(job, "height", globe->heights.height);
    job_number(job, "radius", opts.radius);
    if ((code = check_heights(job, &globe->heights, opts.radius))) return code;
    if (globe->heights.voids) job_integer(job, "voids", globe->heights.voids);
    return build_globe(job, globe, &opts);
}

static int report(struct job *job, const struct globe *globe)
{
    bosc_planet_stats stats = {.size = sizeof stats};
    double start = job_now();
    bosc_status status = bosc_planet_measure(job->ctx, globe->planet, &stats);
    job_seconds(job, "measure", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    job_integer(job, "vertices", globe->info.vertices);
    job_integer(job, "triangles", globe->info.triangles);
    job_number(job, "max_error", stats.max_error);
    job_integer(job, "depth", globe->info.deepest);
    return EXIT_DONE;
}

/* The picture, from the goal's camera, or from afar. The mesh is fetched anew where it lies around another origin. */
static int draw(struct job *job, struct globe *globe, const struct wish *wish, struct canvas *canvas)
{
    static const double afar[] = {20, 10, 2.4, 0, -90, 40}; /* degrees and radii */
    double numbers[CAMERA_NUMBERS], sun[3];
    bosc_planet_camera camera;
    memcpy(numbers, wish->goal.camera ? wish->camera : afar, sizeof numbers);
    if (!wish->goal.camera) numbers[2] *= globe->info.radius;
    int code = planet_camera(job, globe, "--camera", numbers, (int)wish->width, &camera);
    if (!code) code = planet_mesh(job, globe, camera.position);
    if (code) return code;
    const double start = job_now();
    planet_sun(camera.position, sun);
    const bool good = globe_draw(globe, &camera, sun, canvas);
    job_seconds(job, "draw", start);
    return good ? EXIT_DONE : say(EXIT_FAILED, "out of memory for the picture");
}

/* The mesh, a picture, or both together; or the mesh in tiles. */
static int write_results(struct job *job, struct globe *globe, const struct wish *wish)
{
    struct canvas canvas = {0};
    int code = job->value[OPT_PNG] ? draw(job, globe, wish, &canvas) : EXIT_DONE;
    if (!code && !wish->goal.camera) code = planet_mesh(job, globe, NULL);
    if (!code && wish->tile_level < 0)
        code = surface_write(job, &globe->mesh, &canvas);
    else if (!code)
        code = planet_write_tiles(job, globe, wish->tile_level);
    canvas_close(&canvas);
    return code;
}

/* One of --error, --triangles, --camera. */
static int read_wish(struct job *job, struct wish *wish)
{
    const bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = surface_check_bound(job);
    *wish = (struct wish){
        .goal = {.size = sizeof wish->goal, .error = -1}, .width = flight ? 1280 : 1600, .tile_level = -1};
    if (code) return code;
    if (job->value[OPT_TRIANGLES] || job->value[OPT_CAMERA]) wish->goal.error = 0;
    if ((code = option_number(job, OPT_ERROR, 0, &wish->goal.error)) ||
        (code = option_integer(job, OPT_TRIANGLES, 8, INT64_MAX, &wish->goal.triangles)) ||
        (code = option_numbers(job, OPT_CAMERA, CAMERA_NUMBERS, wish->camera)) ||
        (code = option_integer(job, OPT_TILES, 0, MOST_TILE_LEVEL, &wish->tile_level)))
        return code;
    return option_integer(job, OPT_WIDTH, 64, 16384, &wish->width);
}

static int check_outputs(const struct job *job, bool flight)
{
    static const char *const endings[] = {".glb", ".ply", ".obj", NULL}, *const pictures[] = {".png", NULL};
    const bool tiles = job->value[OPT_TILES] != NULL;
    if (tiles && job->value[OPT_PNG]) return say(EXIT_USAGE, "--png: cannot be combined with --tiles");
    if (tiles && job->value[OPT_OUTPUT] && strcmp(job->value[OPT_OUTPUT], "-") == 0)
        return say(EXIT_USAGE, "-o: tiles need a folder");
    int code = flight || tiles ? EXIT_DONE : option_ending(job, OPT_OUTPUT, endings);
    if (!code) code = option_ending(job, OPT_PNG, pictures);
    if (code) return code;
    if (!flight && !job->value[OPT_PNG] && job->value[OPT_WIDTH])
        return say(EXIT_USAGE, "--width: there is no picture without --png");
    if (!job->value[OPT_OUTPUT] && (flight || !job->value[OPT_PNG])) return say(EXIT_USAGE, "-o: is missing");
    return EXIT_DONE;
}

/* The mesh that the wish asks for, fetched. With a camera it lies around that. */
static int make_mesh(struct job *job, struct globe *globe, struct wish *wish)
{
    bosc_planet_camera camera;
    bosc_planet_info info = {.size = sizeof info};
    int code = EXIT_DONE;
    bosc_status status = bosc_planet_get_info(job->ctx, globe->planet, &info);
    if (status != BOSC_OK) return say_ctx(job, status);
    if (wish->goal.error < 0) wish->goal.error = fmax((info.high - info.low) / 50, info.radius / 20000);
    if (job->value[OPT_CAMERA]) {
        code = planet_camera(job, globe, "--camera", wish->camera, (int)wish->width, &camera);
        wish->goal.camera = &camera;
    }
    if (!code) code = planet_select(job, globe, &wish->goal);
    if (!code) code = planet_mesh(job, globe, wish->goal.camera ? camera.position : NULL);
    if (!code && wish->goal.camera)
        job_json(job, "origin", json_pack("[f, f, f]", camera.position[0], camera.position[1], camera.position[2]));
    if (!code) code = report(job, globe);
    if (!code) code = write_results(job, globe, wish);
    return code;
}

int run_planet(struct job *job)
{
    struct wish wish;
    struct globe globe = {0};
    const bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = read_wish(job, &wish);
    if (!code) code = check_outputs(job, flight);
    if (!code) code = read_globe(job, &globe);
    if (!code) code = flight ? planet_fly(job, &globe, (int)wish.width) : make_mesh(job, &globe, &wish);
    globe_close(&globe);
    return code;
}
