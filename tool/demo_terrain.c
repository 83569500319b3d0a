/* The demonstration of terrain: islands as a block, and seen from a height. */
#include <stdio.h>
#include <stdlib.h>

#include "tool/demo.h"
#include "tool/terrain.h"

enum { SIDE = 641, SEED = 5, WIDTH = 1400 };

static const double bound = 15, view[CAMERA_NUMBERS] = {12600, 17200, 1750, -27, -15, 46};

static int draw(struct job *job, const struct land *land, const struct ground *ground, struct relief relief,
                const char *name)
{
    struct canvas canvas;
    relief.ground = ground;
    relief.mesh = &land->mesh;
    relief.wires = 0.6;
    if (!relief_draw(&relief, WIDTH, WIDTH * 9 / 16, &canvas)) return say(EXIT_FAILED, "out of memory for a picture");
    int code = demo_picture(job, &canvas, name);
    canvas_close(&canvas);
    return code;
}

/* The mesh within the bound; every sample is held against it. */
static int show_bound(struct job *job, struct land *land, const struct ground *ground)
{
    char text[96];
    bosc_terrain_stats stats = {.size = sizeof stats};
    bosc_terrain_goal goal = {.size = sizeof goal, .error = bound};
    int code = land_select(job, land, &goal);
    double start = job_now();
    if (!code) code = land_select(job, land, &goal);
    double selected = job_now();
    if (!code) code = land_mesh(job, land);
    if (code) return code;
    demo_row(job, "terrain: mesh within 15 m selected", selected - start, 0);
    bosc_status status = bosc_terrain_measure(job->ctx, land->terrain, &stats);
    if (status != BOSC_OK) return say_ctx(job, status);
    if (!(stats.max_error <= bound)) return say(EXIT_FAILED, "terrain: a sample is %g m off", stats.max_error);
    snprintf(text, sizeof text, "%lld triangles of %d, all samples within %.2f m", (long long)stats.triangles,
             2 * (SIDE - 1) * (SIDE - 1), stats.max_error);
    demo_row(job, text, 0, 0);
    return draw(job, land, ground, (struct relief){.view = RELIEF_SIDE}, "terrain_islands.png");
}

static int show_view(struct job *job, struct land *land, const struct ground *ground)
{
    char text[96];
    bosc_terrain_camera camera = camera_of(view, WIDTH, WIDTH * 9 / 16);
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera};
    double start = job_now();
    int code = land_select(job, land, &goal);
    double selected = job_now();
    if (!code) code = land_mesh(job, land);
    if (code) return code;
    snprintf(text, sizeof text, "%lld triangles, within a pixel as a camera sees them",
             (long long)land->mesh.triangles);
    demo_row(job, text, selected - start, 0);
    return draw(job, land, ground, (struct relief){.view = RELIEF_EYE, .eye = camera_eye(&camera, land->spacing)},
                "terrain_view.png");
}

int demo_terrain(struct job *job)
{
    struct ground ground = {0};
    struct land land = {.spacing = 30, .heights = {.width = SIDE, .height = SIDE}};
    land.heights.data = job_alloc((size_t)SIDE * SIDE, sizeof *land.heights.data);
    if (!land.heights.data) return EXIT_FAILED;
    double start = job_now();
    bosc_status status = bosc_random_heights(job->ctx, BOSC_HEIGHTS_ISLANDS, SEED, SIDE, SIDE, land.heights.data);
    demo_row(job, "fractal relief of 641 x 641 samples", job_now() - start, (double)SIDE * SIDE);
    int code = status == BOSC_OK ? EXIT_DONE : say_ctx(job, status);
    start = job_now();
    if (!code) code = land_build(job, &land);
    if (!code) demo_row(job, "terrain: errors of all diamonds", job_now() - start, (double)SIDE * SIDE);
    if (!code && !ground_open(&ground, &land.heights, land.spacing))
        code = say(EXIT_FAILED, "out of memory for the pictures");
    if (!code) code = show_bound(job, &land, &ground);
    if (!code) code = show_view(job, &land, &ground);
    ground_close(&ground);
    land_close(&land);
    return code;
}
