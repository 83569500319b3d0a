/* The demonstration of planets: a small one, of noise, from afar and from near its ground. */
#include <stdio.h>

#include "demo/parts.h"
#include "render/globe.h"

enum { WIDTH = 1400 };

/* Latitude, longitude, altitude, heading, pitch; degrees and metres. */
static const double afar[5] = {15, 20, 660e3, 0, -90}, near[5] = {-14, 41, 1600, 55, -14}, sun[3] = {0.75, -0.2, 0.35};

static bosc_status draw(struct demo *demo, struct globe *globe, const bosc_planet_camera *camera, const char *name)
{
    struct canvas canvas;
    if (!globe_draw(globe, camera, sun, &canvas)) return demo_fail(demo, BOSC_ERR_NOMEM, "out of memory for a picture");
    bosc_status code = demo_picture(demo, &canvas, name);
    canvas_close(&canvas);
    return code;
}

/* The mesh for a camera: closed, which the number of its vertices tells. */
static bosc_status show(struct demo *demo, struct globe *globe, const double place[5], const char *what,
                        const char *name)
{
    char text[128];
    bosc_planet_camera camera = {.fov = 0.7, .pixels = 5, .width = WIDTH, .height = WIDTH * 9 / 16, .cull = 1};
    const bosc_planet_goal goal = {.size = sizeof goal, .camera = &camera};
    bosc_status status =
        bosc_planet_place(demo->ctx, globe->planet, place[0], place[1], place[2], place[3], place[4], &camera);
    const double start = demo_now();
    if (status == BOSC_OK) status = bosc_planet_select(demo->ctx, globe->planet, &goal);
    if (status == BOSC_OK) status = bosc_ctx_sync(demo->ctx);
    const double selected = demo_now();
    if (status == BOSC_OK) status = globe_mesh(demo->ctx, globe, camera.position);
    if (status != BOSC_OK) return demo_fail_ctx(demo, status);
    if (globe->mesh.vertices != globe->mesh.triangles / 2 + 2)
        return demo_fail(demo, BOSC_ERR_DATA, "planet: the mesh is not closed");
    snprintf(text, sizeof text, "planet %s: %lld triangles, a closed surface", what, (long long)globe->mesh.triangles);
    demo_row(demo, text, selected - start, 0);
    return draw(demo, globe, &camera, name);
}

bosc_status demo_planet(struct demo *demo)
{
    const bosc_planet_opts opts = {.size = sizeof opts,
                                   .radius = 300e3,
                                   .detail_amplitude = 7000,
                                   .detail_wavelength = 120e3,
                                   .detail_octaves = 20,
                                   .detail_seed = 4};
    struct globe globe = {.heights = {.width = 1, .height = 1}};
    globe.heights.data = demo_alloc(demo, 1, sizeof *globe.heights.data);
    if (!globe.heights.data) return BOSC_ERR_NOMEM;
    globe.heights.data[0] = 0;
    bosc_status status = globe_build(demo->ctx, &globe, &opts);
    bosc_status code = status == BOSC_OK ? BOSC_OK : demo_fail_ctx(demo, status);
    if (!code) code = show(demo, &globe, afar, "from afar", "planet_globe.png");
    if (!code) code = show(demo, &globe, near, "from 1.6 km", "planet_ground.png");
    globe_close(&globe);
    return code;
}
