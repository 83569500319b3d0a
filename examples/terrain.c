/* Makes a mesh of a height raster within an error bound, and one within a triangle budget; writes the first as an
 * indexed mesh and looks up the height at a point. */
#include <boscage/boscage.h>

#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 301, HEIGHT = 201 };

/* A ridge across a plain. */
static float height_at(int column, int row)
{
    float across = (float)(column - row) / 40 - 1;
    return 60 / (1 + across * across) + (float)(column % 7) / 7;
}

struct mesh {
    float *vertices;
    uint32_t *triangles;
    int64_t counts[2];
};

/* The mesh in arrays of its size: the first call counts, the second writes. */
static bosc_status get_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, struct mesh *m)
{
    bosc_status status = bosc_terrain_get_mesh(ctx, terrain, NULL, NULL, 0, NULL, 0, m->counts);
    if (status) return status;
    m->vertices = malloc((size_t)m->counts[0] * 3 * sizeof *m->vertices);
    m->triangles = malloc((size_t)m->counts[1] * 3 * sizeof *m->triangles);
    if (!m->vertices || !m->triangles) return BOSC_ERR_NOMEM;
    return bosc_terrain_get_mesh(ctx, terrain, m->vertices, NULL, m->counts[0], m->triangles, m->counts[1], m->counts);
}

int main(void)
{
    static float heights[WIDTH * HEIGHT];
    bosc_terrain_opts opts = {.size = sizeof opts, .spacing = 10};
    bosc_terrain_goal within = {.size = sizeof within, .error = 0.8},
                      budget = {.size = sizeof budget, .triangles = 500};
    bosc_terrain_stats stats = {.size = sizeof stats};
    struct mesh mesh = {NULL, NULL, {0, 0}};
    double point[2] = {1234, 567}, height = 0;
    int64_t leaf = -1;
    bosc_ctx *ctx = NULL;
    bosc_terrain *terrain = NULL;
    for (int i = 0; i < WIDTH * HEIGHT; i++) heights[i] = height_at(i % WIDTH, i / WIDTH);

    bosc_status status = bosc_ctx_create(NULL, &ctx);
    if (!status) status = bosc_terrain_create(ctx, &opts, &terrain);
    if (!status) status = bosc_terrain_build(ctx, terrain, heights, WIDTH, HEIGHT, WIDTH);
    /* 1. Within an error bound. */
    if (!status) status = bosc_terrain_select(ctx, terrain, &within);
    if (!status) status = get_mesh(ctx, terrain, &mesh);
    if (!status) status = bosc_terrain_locate(ctx, terrain, point, 1, &leaf, &height);
    if (!status)
        printf("%lld vertices, %lld triangles; height %.1f in leaf %lld\n", (long long)mesh.counts[0],
               (long long)mesh.counts[1], height, (long long)leaf);
    /* 2. Within a triangle budget. */
    if (!status) status = bosc_terrain_select(ctx, terrain, &budget);
    if (!status) status = bosc_terrain_measure(ctx, terrain, &stats);
    if (!status) printf("%lld triangles within %.2f of every sample\n", (long long)stats.triangles, stats.max_error);
    if (status) fprintf(stderr, "terrain: %s %s\n", bosc_status_text(status), ctx ? bosc_ctx_message(ctx) : "");

    free(mesh.vertices);
    free(mesh.triangles);
    bosc_terrain_free(terrain);
    bosc_ctx_free(ctx);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}
