/* boscage terrain: meshes of heights, and pictures of them. */
#include <math.h>
#include <stdlib.h>

#include "tool/commands/terrain_job.h"

struct wish {
    bosc_terrain_goal goal;
    bosc_terrain_camera camera;
    int view;
    int64_t width; /* of the picture */
};

static int read_land(struct job *job, struct land *land)
{
    int encoding = 0, code;
    double spacing = 0;
    bosc_io_error error;
    *land = (struct land){0};
    if ((code = option_number(job, OPT_SPACING, 0, &spacing)) || (code = option_choice(job, OPT_ENCODING, &encoding)))
        return code;
    if (job->value[OPT_SPACING] && !(spacing >= 1e-9 && spacing <= 1e9))
        return say(EXIT_USAGE, "--spacing: %s is not from 1e-9 to 1e9", job->value[OPT_SPACING]);
    if ((code = job_open(job))) return code;
    double start = job_now();
    bosc_status status = bosc_heights_read(job->operands[0], (bosc_heights_encoding)encoding, &land->heights, &error);
    job_seconds(job, "read", start);
    if (status != BOSC_OK) return say_io(status, &error);
    bosc_heights *h = &land->heights;
    if (h->width < 2 || h->height < 2)
        return say(EXIT_FAILED, "%s: %lld x %lld samples are too few for a mesh", job->operands[0], (long long)h->width,
                   (long long)h->height);
    bool from_degrees = !spacing && h->degrees;
    if (spacing || h->spacing == 0) h->spacing = h->spacing_y = spacing ? spacing : 1;
    if (h->spacing_y == 0) h->spacing_y = h->spacing;
    job_integer(job, "width", h->width);
    job_integer(job, "height", h->height);
    job_number(job, "spacing", h->spacing);
    if (h->spacing_y != h->spacing) job_number(job, "spacing_y", h->spacing_y);
    if (from_degrees) job_number(job, "latitude", h->latitude);
    if (h->voids) job_integer(job, "voids", h->voids);
    start = job_now();
    status = land_build(job->ctx, land);
    job_seconds(job, "build", start);
    return status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
}

static double range_of(const bosc_heights *h)
{
    float low = h->data[0], high = h->data[0];
    for (int64_t i = 1; i < h->width * h->height; i++) {
        low = fminf(low, h->data[i]);
        high = fmaxf(high, h->data[i]);
    }
    return (double)high - low;
}

static int report(struct job *job, const struct land *land)
{
    bosc_terrain_stats stats = {.size = sizeof stats};
    double start = job_now();
    bosc_status status = bosc_terrain_measure(job->ctx, land->terrain, &stats);
    job_seconds(job, "measure", start);
    if (status != BOSC_OK) return say_ctx(job, status);
    job_integer(job, "leaves", stats.leaves);
    job_integer(job, "vertices", stats.vertices);
    job_integer(job, "triangles", stats.triangles);
    job_number(job, "max_error", stats.max_error);
    job_integer(job, "depth", stats.depth);
    return EXIT_DONE;
}

/* The picture as an open canvas. */
static int draw(struct job *job, const struct land *land, const struct wish *wish, struct canvas *canvas)
{
    struct ground ground;
    int width = (int)wish->width;
    double start = job_now();
    struct relief relief = {.ground = &ground, .mesh = &land->mesh, .view = (enum relief_view)wish->view, .wires = 0.6};
    if (wish->view == RELIEF_EYE) relief.eye = camera_eye(&wish->camera, land->heights.spacing);
    bool good = ground_open(&ground, &land->heights) && relief_draw(&relief, width, width * 9 / 16, canvas);
    ground_close(&ground);
    job_seconds(job, "draw", start);
    return good ? EXIT_DONE : say(EXIT_FAILED, "out of memory for the picture");
}

/* The mesh, a picture, or both together. */
static int write_results(struct job *job, struct land *land, const struct wish *wish)
{
    struct canvas canvas = {0};
    int code = job->value[OPT_PNG] ? draw(job, land, wish, &canvas) : EXIT_DONE;
    if (job->value[OPT_FLIP_Y]) land_flip_y(land);
    if (!code) code = surface_write(job, &land->mesh, &canvas);
    canvas_close(&canvas);
    return code;
}

/* One of --error, --triangles, --camera. */
static int read_wish(struct job *job, struct wish *wish)
{
    double camera[CAMERA_NUMBERS];
    int code = surface_check_bound(job);
    bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    *wish = (struct wish){
        .goal = {.size = sizeof wish->goal, .error = -1}, .view = RELIEF_SIDE, .width = flight ? 1280 : 1600};
    if (code) return code;
    if (job->value[OPT_TRIANGLES] || job->value[OPT_CAMERA]) wish->goal.error = 0;
    if ((code = option_number(job, OPT_ERROR, 0, &wish->goal.error)) ||
        (code = option_integer(job, OPT_TRIANGLES, 1, INT64_MAX, &wish->goal.triangles)) ||
        (code = option_numbers(job, OPT_CAMERA, CAMERA_NUMBERS, camera)) ||
        (code = option_choice(job, OPT_VIEW, &wish->view)) ||
        (code = option_integer(job, OPT_WIDTH, 64, 16384, &wish->width)))
        return code;
    if (!job->value[OPT_CAMERA]) return EXIT_DONE;
    if (!job->value[OPT_VIEW]) wish->view = RELIEF_EYE;
    wish->camera = camera_of(camera, (int)wish->width, (int)wish->width * 9 / 16);
    wish->goal.camera = &wish->camera;
    return camera_refused("--camera", camera);
}

int run_terrain(struct job *job)
{
    static const char *const endings[] = {".glb", ".ply", ".obj", NULL};
    struct wish wish;
    struct land land = {0};
    bool flight = job->value[OPT_FLY] || job->value[OPT_FRAMES];
    int code = read_wish(job, &wish);
    if (code) return code;
    if (!flight && (code = option_ending(job, OPT_OUTPUT, endings))) return code;
    if ((code = option_ending(job, OPT_PNG, (const char *const[]){".png", NULL}))) return code;
    if (!flight && !job->value[OPT_PNG] && (job->value[OPT_VIEW] || job->value[OPT_WIDTH]))
        return say(EXIT_USAGE, "%s: there is no picture without --png",
                   option_flag(job->value[OPT_VIEW] ? OPT_VIEW : OPT_WIDTH));
    if (job->value[OPT_FLIP_Y] && !flight && !job->value[OPT_OUTPUT])
        return say(EXIT_USAGE, "--flip-y: there is no mesh without -o");
    if (!job->value[OPT_OUTPUT] && (flight || !job->value[OPT_PNG])) return say(EXIT_USAGE, "-o: is missing");
    code = read_land(job, &land);
    if (!code && flight) {
        code = terrain_fly(job, &land, (int)wish.width);
    } else if (!code) {
        if (wish.goal.error < 0) wish.goal.error = range_of(&land.heights) / 200;
        code = terrain_select(job, &land, &wish.goal);
        if (!code) code = terrain_mesh(job, &land);
        if (!code) code = report(job, &land);
        if (!code) code = write_results(job, &land, &wish);
    }
    land_close(&land);
    return code;
}
