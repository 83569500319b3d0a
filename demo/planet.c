/* Demonstrates planets: a small one made of noise, from far away and near its ground. */
#include <stdio.h>

#include "demo/parts.h"
#include "render/planet_view.h"

enum { WIDTH = 1400 };

/* Latitude, longitude, altitude, heading, pitch; degrees and metres. */
static const double afar[5] = {15, 20, 660e3, 0, -90}, low[5] = {-14, 41, 1600, 55, -14}, sun[3] = {0.75, -0.2, 0.35};

static bosc_status draw_planet(struct demo *demo, struct planet_view *planet, const bosc_planet_camera *camera,
                               const char *name)
{
    struct canvas canvas;
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
                                   .radius = 300e3,
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
    if (!code) code = show_planet(demo, &planet, low, "from 1.6 km", "planet_ground.png");
    planet_view_close(&planet);
    return code;
}
