/* Demonstrates meshes of heights: islands as a block and from a camera; a small planet made of noise, from afar and
 * on the ground of mountains inset in it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "demo/parts.h"
#include "render/camera.h"
#include "render/planet_view.h"
#include "render/terrain_shade.h"
#include "render/terrain_view.h"

/* ---- islands ---- */

enum { SIDE = 641, SEED = 5, WIDTH = 1400 };

static const double error_bound = 15, view[CAMERA_NUMBERS] = {12600, 17200, 1750, -27, -15, 46};

static bosc_status draw_terrain(struct demo *demo, const struct terrain_view *terrain, const struct raster_light *light,
                                struct terrain_picture picture, const char *name)
{
    struct canvas canvas;
    picture.light = light;
    picture.mesh = &terrain->mesh;
    picture.wires = 0.6;
    if (!terrain_picture_draw(&picture, WIDTH, WIDTH * 9 / 16, &canvas))
        return demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for a picture");
    bosc_status code = demo_picture(demo, &canvas, name);
    canvas_close(&canvas);
    return code;
}

/* Selects the mesh within the error bound and checks every sample. */
static bosc_status show_bound(struct demo *demo, struct terrain_view *terrain, const struct raster_light *light)
{
    char text[96];
    bosc_terrain_stats stats = {.size = sizeof stats};
    bosc_terrain_goal goal = {.size = sizeof goal, .error = error_bound};
    /* 1. The second selection is measured: the first one allocates. */
    bosc_status code = terrain_view_select(demo->ctx, terrain, &goal);
    double start = demo_now();
    if (!code) code = terrain_view_select(demo->ctx, terrain, &goal);
    double selected = demo_now();
    if (!code) code = terrain_view_fetch_mesh(demo->ctx, terrain);
    if (code) return demo_fail_ctx(demo, code);
    demo_row(demo, "terrain: mesh within 15 m selected", selected - start, 0);
    /* 2. The largest error over all samples. */
    bosc_status status = bosc_terrain_measure(demo->ctx, terrain->handle, &stats);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (!(stats.max_error <= error_bound))
        return demo_fail(demo, BOSC_ERR_DATA, "terrain: a sample is %g m off", stats.max_error);
    snprintf(text, sizeof text, "%lld triangles of %d, all samples within %.2f m", (long long)stats.triangles,
             2 * (SIDE - 1) * (SIDE - 1), stats.max_error);
    demo_row(demo, text, 0, 0);
    return draw_terrain(demo, terrain, light, (struct terrain_picture){.view = VIEW_BLOCK}, "terrain_islands.png");
}

static bosc_status show_view(struct demo *demo, struct terrain_view *terrain, const struct raster_light *light)
{
    char text[96];
    bosc_terrain_camera camera = camera_of(view, WIDTH, WIDTH * 9 / 16);
    bosc_terrain_goal goal = {.size = sizeof goal, .camera = &camera};
    double start = demo_now();
    bosc_status code = terrain_view_select(demo->ctx, terrain, &goal);
    double selected = demo_now();
    if (!code) code = terrain_view_fetch_mesh(demo->ctx, terrain);
    if (code) return demo_fail_ctx(demo, code);
    snprintf(text, sizeof text, "%lld triangles, within a pixel as a camera sees them",
             (long long)terrain->mesh.triangles);
    demo_row(demo, text, selected - start, 0);
    return draw_terrain(
        demo, terrain, light,
        (struct terrain_picture){.view = VIEW_FROM_CAMERA, .eye = camera_eye(&camera, terrain->heights.spacing)},
        "terrain_view.png");
}

bosc_status demo_terrain(struct demo *demo)
{
    struct raster_light light = {0};
    struct terrain_view terrain = {.heights = {.width = SIDE, .height = SIDE, .spacing = 30, .spacing_y = 30}};
    terrain.heights.data = demo_alloc(demo, (size_t)SIDE * SIDE, sizeof *terrain.heights.data);
    if (!terrain.heights.data) return BOSC_ERR_NOMEM;
    double start = demo_now();
    bosc_status status =
        bosc_random_heights(demo->ctx, BOSC_RANDOM_HEIGHTS_ISLANDS, SEED, SIDE, SIDE, terrain.heights.data);
    demo_row(demo, "fractal relief of 641 x 641 samples", demo_now() - start, (double)SIDE * SIDE);
    start = demo_now();
    if (status == BOSC_OK) status = terrain_view_build(demo->ctx, &terrain);
    bosc_status code = status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
    if (!code) demo_row(demo, "terrain: errors of all diamonds", demo_now() - start, (double)SIDE * SIDE);
    if (!code && !raster_light_open(&light, &terrain.heights))
        code = demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for the pictures");
    if (!code) code = show_bound(demo, &terrain, &light);
    if (!code) code = show_view(demo, &terrain, &light);
    raster_light_close(&light);
    terrain_view_close(&terrain);
    return code;
}

/* ---- a planet ---- */

enum { RANGE_SIDE = 1025, RANGE_SEED = 7 };

/* Latitude, longitude, altitude, heading, pitch; degrees and metres. */
static const double afar[5] = {15, 20, 660e3, 0, -90}, low[5] = {-13.95, 42.55, 350, 47, 3};

/* The radius of the planet, the middle of its mountains, and the height of their lowest ground. */
static const double planet_radius = 300e3, range_middle[2] = {-14, 42}, range_ground = 200;

/* Lays mountains over the planet: a raster with samples 30 m apart. */
static bosc_status add_mountains(struct demo *demo, struct planet_view *planet)
{
    const double degree = 3.14159265358979323846 / 180; /* in radians */
    const double half = (RANGE_SIDE * 30.0 / 2) / (planet_radius * degree),
                 half_x = half / cos(range_middle[0] * degree);
    bosc_heights h = {
        .width = RANGE_SIDE,
        .height = RANGE_SIDE,
        .edges = {range_middle[1] - half_x, range_middle[0] - half, range_middle[1] + half_x, range_middle[0] + half}};
    h.data = demo_alloc(demo, (size_t)RANGE_SIDE * RANGE_SIDE, sizeof *h.data);
    if (!h.data) return BOSC_ERR_NOMEM;
    bosc_status status =
        bosc_random_heights(demo->ctx, BOSC_RANDOM_HEIGHTS_MOUNTAINS, RANGE_SEED, RANGE_SIDE, RANGE_SIDE, h.data);
    if (status == BOSC_OK) status = bosc_ctx_sync(demo->ctx);
    for (int64_t i = 0; status == BOSC_OK && i < h.width * h.height; i++) h.data[i] += (float)range_ground;
    const double start = demo_now();
    if (status == BOSC_OK) status = planet_view_add_inset(demo->ctx, planet, &h);
    if (status == BOSC_OK)
        demo_row(demo, "planet: mountains of 1025 x 1025 samples inset", demo_now() - start,
                 (double)RANGE_SIDE * RANGE_SIDE);
    bosc_heights_free(&h);
    return status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
}

static bosc_status draw_planet(struct demo *demo, struct planet_view *planet, const bosc_planet_camera *camera,
                               const char *name)
{
    struct canvas canvas;
    double sun[3];
    planet_view_light(camera, sun);
    if (!planet_view_draw(planet, camera, sun, &canvas))
        return demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for a picture");
    bosc_status code = demo_picture(demo, &canvas, name);
    canvas_close(&canvas);
    return code;
}

/* Selects the mesh for a camera, checks that it is closed (by Euler's formula), and draws it. */
static bosc_status show_planet(struct demo *demo, struct planet_view *planet, const double position[5],
                               const char *what, const char *name)
{
    char text[128];
    bosc_planet_camera camera = {.fov = 0.7, .pixels = 5, .width = WIDTH, .height = WIDTH * 9 / 16, .cull = 1};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
    bosc_status status = bosc_planet_place(demo->ctx, planet->handle, position[0], position[1], position[2],
                                           position[3], position[4], &camera);
    const double start = demo_now();
    if (status == BOSC_OK) status = bosc_planet_select(demo->ctx, planet->handle, &goal);
    if (status == BOSC_OK) status = bosc_ctx_sync(demo->ctx);
    const double selected = demo_now();
    if (status == BOSC_OK) status = planet_view_fetch_mesh(demo->ctx, planet, camera.position);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (planet->mesh.vertices != planet->mesh.triangles / 2 + 2)
        return demo_fail(demo, BOSC_ERR_DATA, "planet: the mesh is not closed");
    snprintf(text, sizeof text, "planet %s: %lld triangles, a closed surface", what, (long long)planet->mesh.triangles);
    demo_row(demo, text, selected - start, 0);
    return draw_planet(demo, planet, &camera, name);
}

bosc_status demo_planet(struct demo *demo)
{
    const bosc_planet_opts opts = {.size = sizeof opts,
                                   .radius = planet_radius,
                                   .detail_amplitude = 7000,
                                   .detail_wavelength = 120e3,
                                   .detail_octaves = 20,
                                   .detail_seed = 4};
    struct planet_view planet = {.heights = {.width = 1, .height = 1}};
    planet.heights.data = demo_alloc(demo, 1, sizeof *planet.heights.data);
    if (!planet.heights.data) return BOSC_ERR_NOMEM;
    planet.heights.data[0] = 0;
    bosc_status status = planet_view_build(demo->ctx, &planet, &opts);
    bosc_status code = status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
    if (!code) code = show_planet(demo, &planet, afar, "from afar", "planet_globe.png");
    if (!code) code = add_mountains(demo, &planet);
    if (!code) code = show_planet(demo, &planet, low, "from 350 m", "planet_ground.png");
    planet_view_close(&planet);
    return code;
}
