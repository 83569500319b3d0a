/* Terrain is built once, then selected and fetched again for each goal. */
#include "render/land.h"

#include <math.h>
#include <stdlib.h>

#include "render/memory.h"

bosc_status land_build(bosc_ctx *ctx, struct land *land)
{
    const bosc_heights *h = &land->heights;
    bosc_terrain_opts opts = {.size = sizeof opts, .spacing = h->spacing, .spacing_y = h->spacing_y};
    bosc_status status = bosc_terrain_create(ctx, &opts, &land->terrain);
    if (status == BOSC_OK) status = bosc_terrain_build(ctx, land->terrain, h->data, h->width, h->height, h->width);
    return status;
}

bosc_status land_select(bosc_ctx *ctx, struct land *land, const bosc_terrain_goal *goal)
{
    bosc_status status = bosc_terrain_select(ctx, land->terrain, goal);
    return status == BOSC_OK ? bosc_ctx_sync(ctx) : status;
}

/* Makes the arrays long enough for these counts of vertices and triangles, with half as many to spare. */
static bosc_status reserve(struct land *land, const int64_t counts[2])
{
    if (counts[0] <= land->vertex_capacity && counts[1] <= land->triangle_capacity) return BOSC_OK;
    land->vertex_capacity = counts[0] + counts[0] / 2;
    land->triangle_capacity = counts[1] + counts[1] / 2;
    free(land->vertices);
    free(land->normals);
    free(land->triangles);
    land->vertices = memory_new((size_t)land->vertex_capacity * 3, sizeof(float));
    land->normals = memory_new((size_t)land->vertex_capacity * 3, sizeof(float));
    land->triangles = memory_new((size_t)land->triangle_capacity * 3, sizeof(uint32_t));
    if (land->vertices && land->normals && land->triangles) return BOSC_OK;
    land->vertex_capacity = land->triangle_capacity = 0;
    return BOSC_ERR_NOMEM;
}

bosc_status land_mesh(bosc_ctx *ctx, struct land *land)
{
    int64_t counts[2];
    bosc_status status = bosc_terrain_get_mesh(ctx, land->terrain, NULL, NULL, 0, NULL, 0, counts);
    if (status == BOSC_OK) status = reserve(land, counts);
    if (status == BOSC_OK)
        status = bosc_terrain_get_mesh(ctx, land->terrain, land->vertices, land->normals, land->vertex_capacity,
                                       land->triangles, land->triangle_capacity, counts);
    if (status != BOSC_OK) return status;
    land->mesh = (bosc_mesh){.vertices = counts[0],
                             .triangles = counts[1],
                             .positions = land->vertices,
                             .normals = land->normals,
                             .indices = land->triangles,
                             .map = 1};
    return BOSC_OK;
}

void land_flip_y(struct land *land)
{
    bosc_mesh *mesh = &land->mesh;
    float last = 0;
    for (int64_t i = 0; i < mesh->vertices; i++) last = fmaxf(last, land->vertices[3 * i + 1]);
    for (int64_t i = 0; i < mesh->vertices; i++) {
        land->vertices[3 * i + 1] = last - land->vertices[3 * i + 1];
        land->normals[3 * i + 1] = 0 - land->normals[3 * i + 1];
    }
    for (int64_t i = 0; i < mesh->triangles; i++) {
        uint32_t *v = land->triangles + 3 * i, second = v[1];
        v[1] = v[2];
        v[2] = second;
    }
    mesh->map = 0;
}

void land_close(struct land *land)
{
    bosc_heights_free(&land->heights);
    bosc_terrain_free(land->terrain);
    free(land->vertices);
    free(land->normals);
    free(land->triangles);
}
