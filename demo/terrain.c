/* The demonstration of terrain: islands as a block, and seen from a height. */
#include <stdio.h>
#include <stdlib.h>

#include "demo/parts.h"
#include "render/camera.h"
#include "render/land.h"
#include "render/relief.h"

enum { SIDE = 641, SEED = 5, WIDTH = 1400 };

static const double bound = 15, view[CAMERA_NUMBERS] = {12600, 17200, 1750, -27, -15, 46};

static bosc_status draw(struct demo *demo, const struct land *land, const struct ground *ground, struct relief relief,
                        const char *name)
{
    struct canvas canvas;
    relief.ground = ground;
    relief.mesh = &land->mesh;
    relief.wires = 0.6;
    if (!relief_draw(&relief, WIDTH, WIDTH * 9 / 16, &canvas))
        return demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for a picture");
    bosc_status code = demo_picture(demo, &canvas, name);
    canvas_close(&canvas);
    return code;
}

/* The mesh within the bound; every sample is held against it. */
static bosc_status show_bound(struct demo *demo, struct land *land, const struct ground *ground)
{
    char text[96];
    bosc_terrain_stats stats = {.size = sizeof stats};
    bosc_terrain_goal goal = {.size = sizeof goal, .error = bound};
    bosc_status code = land_select(demo->ctx, land, &goal);
    double start = demo_now();
    if (!code) code = land_select(demo->ctx, land, &goal);
    double selected = demo_now();
    if (!code) code = land_mesh(demo->ctx, land);
    if (code) return demo_fail_ctx(demo, code);
    demo_row(demo, "terrain: mesh within 15 m selected", selected - start, 0);
    bosc_status status = bosc_terrain_measure(demo->ctx, land->terrain, &stats);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (!(stats.max_error <= bound))
        return demo_fail(demo, BOSC_ERR_DATA, "terrain: a sample is %g m off", stats.max_error);
    snprintf(text, sizeof text, "%lld triangles of %d, all samples within %.2f m", (long long)stats.triangles,
             2 * (SIDE - 1) * (SIDE - 1), stats.max_error);
    demo_row(demo, text, 0, 0);
    return draw(demo, land, ground, (struct relief){.view = RELIEF_SIDE}, "terrain_islands.png");
}

static bosc_status show_view(struct demo *demo, struct land *land, const struct ground *ground)
{
    char text[96];
    bosc_terrain_camera camera = camera_of(view, WIDTH, WIDTH * 9 / 16);
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera};
    double start = demo_now();
    bosc_status code = land_select(demo->ctx, land, &goal);
    double selected = demo_now();
    if (!code) code = land_mesh(demo->ctx, land);
    if (code) return demo_fail_ctx(demo, code);
    snprintf(text, sizeof text, "%lld triangles, within a pixel as a camera sees them",
             (long long)land->mesh.triangles);
    demo_row(demo, text, selected - start, 0);
    return draw(demo, land, ground,
                (struct relief){.view = RELIEF_EYE, .eye = camera_eye(&camera, land->heights.spacing)},
                "terrain_view.png");
}

bosc_status demo_terrain(struct demo *demo)
{
    struct ground ground = {0};
    struct land land = {.heights = {.width = SIDE, .height = SIDE, .spacing = 30, .spacing_y = 30}};
    land.heights.data = demo_alloc(demo, (size_t)SIDE * SIDE, sizeof *land.heights.data);
    if (!land.heights.data) return BOSC_ERR_NOMEM;
    double start = demo_now();
    bosc_status status =
        bosc_random_heights(demo->ctx, BOSC_RANDOM_HEIGHTS_ISLANDS, SEED, SIDE, SIDE, land.heights.data);
    demo_row(demo, "fractal relief of 641 x 641 samples", demo_now() - start, (double)SIDE * SIDE);
    start = demo_now();
    if (status == BOSC_OK) status = land_build(demo->ctx, &land);
    bosc_status code = status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
    if (!code) demo_row(demo, "terrain: errors of all diamonds", demo_now() - start, (double)SIDE * SIDE);
    if (!code && !ground_open(&ground, &land.heights))
        code = demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for the pictures");
    if (!code) code = show_bound(demo, &land, &ground);
    if (!code) code = show_view(demo, &land, &ground);
    ground_close(&ground);
    land_close(&land);
    return code;
}
