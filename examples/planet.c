/* Descends from orbit to one metre above a made-up planet with an inset of finer heights, with a mesh for each frame;
 * and makes a mesh of the whole globe within a triangle budget, and of its 16 tiles. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 360, HEIGHT = 180, REGION = 200, TILES = 16 };

/* Sea, and land with a few hills. */
static float height_at(int column, int row)
{
    const float x = (float)((column + 40) % WIDTH - 180) / 90, y = (float)(row - 90) / 60;
    const float land = 3000 * (1 - x * x - y * y) + (float)(column * 37 % 11 * 20);
    return land > 0 ? land : 0;
}

/* A region with a hill: samples are 20 times as close. */
static float region_height_at(int column, int row)
{
    const float x = (float)(2 * column - REGION) / REGION, y = (float)(2 * row - REGION) / REGION;
    return 2000 + 4000 / (1 + 20 * (x * x + y * y));
}

struct mesh {
    float *vertices;
    uint32_t *triangles;
    int64_t counts[2];
};

/* The mesh in arrays of its size, with vertices relative to the origin: the first call counts. */
static bosc_status get_mesh(bosc_ctx *ctx, const bosc_planet *planet, const double *origin, struct mesh *m)
{
    bosc_status status = bosc_planet_get_mesh(ctx, planet, NULL, NULL, NULL, NULL, 0, NULL, 0, m->counts);
    if (status) return status;
    free(m->vertices);
    free(m->triangles);
    m->vertices = malloc((size_t)m->counts[0] * 3 * sizeof *m->vertices);
    m->triangles = malloc((size_t)m->counts[1] * 3 * sizeof *m->triangles);
    if (!m->vertices || !m->triangles) return BOSC_ERR_NOMEM;
    return bosc_planet_get_mesh(ctx, planet, origin, m->vertices, NULL, NULL, m->counts[0], m->triangles, m->counts[1],
                                m->counts);
}

int main(void)
{
    static float heights[WIDTH * HEIGHT], region[REGION * REGION];
    bosc_planet_opts opts = {.size = sizeof opts, .detail_amplitude = 300};
    bosc_planet_raster raster = {.size = sizeof raster, .heights = heights, .width = WIDTH, .height = HEIGHT};
    bosc_planet_inset inset = {.size = sizeof inset,
                               .heights = region,
                               .width = REGION,
                               .height = REGION,
                               .west = -45,
                               .south = 42,
                               .east = -35,
                               .north = 52};
    bosc_planet_camera camera = {.fov = 1, .pixels = 8, .width = 1280, .height = 720, .cull = 1};
    bosc_planet_goal frame = {.size = sizeof frame, .camera = &camera, .hysteresis = 0.2},
                     globe = {.size = sizeof globe, .triangles = 5000};
    bosc_planet_info info = {.size = sizeof info};
    struct mesh mesh = {NULL, NULL, {0, 0}};
    int64_t first[TILES + 1], counts[2];
    bosc_ctx *ctx = NULL;
    bosc_planet *planet = NULL;
    for (int i = 0; i < WIDTH * HEIGHT; i++) heights[i] = height_at(i % WIDTH, i / WIDTH);
    for (int i = 0; i < REGION * REGION; i++) region[i] = region_height_at(i % REGION, i / REGION);

    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_planet_create(ctx, &opts, &planet);
    if (!status) status = bosc_planet_build(ctx, planet, &raster);
    if (!status) status = bosc_planet_add_inset(ctx, planet, &inset);
    /* 1. The descent. */
    for (double altitude = 1e7; altitude > 0.5 && !status; altitude /= 10) {
        status = bosc_planet_place(ctx, planet, 46.5, -40, altitude, 90, -30, &camera);
        if (!status) status = bosc_planet_select(ctx, planet, &frame);
        if (!status) status = get_mesh(ctx, planet, camera.position, &mesh);
        if (!status) status = bosc_planet_get_info(ctx, planet, &info);
        if (!status)
            printf("%g m above ground: %lld triangles to level %d\n", altitude, (long long)mesh.counts[1],
                   (int)info.deepest);
    }
    /* 2. The globe, whole and by tiles. */
    if (!status) status = bosc_planet_select(ctx, planet, &globe);
    if (!status) status = get_mesh(ctx, planet, NULL, &mesh);
    if (!status) printf("a globe of %lld triangles\n", (long long)mesh.counts[1]);
    if (!status) status = bosc_planet_get_tiles(ctx, planet, 1, first, TILES + 1);
    for (int k = 0; k < TILES && !status; k++) {
        status = bosc_planet_get_part(ctx, planet, first[k], first[k + 1] - first[k], NULL, mesh.vertices, NULL, NULL,
                                      mesh.counts[0], mesh.triangles, mesh.counts[1], counts);
        if (!status) printf("tile %d: %lld triangles\n", k, (long long)counts[1]);
    }
    if (status) fprintf(stderr, "planet: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    free(mesh.vertices);
    free(mesh.triangles);
    bosc_planet_free(planet);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
