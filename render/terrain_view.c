/* Builds a terrain once; then selects and fetches a mesh for each goal. */
#include "render/terrain_view.h"

#include <stdlib.h>

#include "render/memory.h"

bosc_status terrain_view_build(bosc_ctx *ctx, struct terrain_view *terrain)
{
    const bosc_heights *h = &terrain->heights;
    bosc_terrain_opts opts = {.size = sizeof opts, .spacing = h->spacing, .spacing_y = h->spacing_y};
    bosc_status status = bosc_terrain_create(ctx, &opts, &terrain->handle);
    if (status == BOSC_OK) status = bosc_terrain_build(ctx, terrain->handle, h->data, h->width, h->height, h->width);
    return status;
}

bosc_status terrain_view_select(bosc_ctx *ctx, struct terrain_view *terrain, const bosc_terrain_goal *goal)
{
    bosc_status status = bosc_terrain_select(ctx, terrain->handle, goal);
    if (status == BOSC_OK && terrain->holes.counts)
        status = terrain_holes_refine(ctx, terrain->handle, &terrain->holes);
    return status == BOSC_OK ? bosc_ctx_sync(ctx) : status;
}

/* Grows the arrays to these counts of vertices and triangles and half as much again. */
static bosc_status reserve_mesh(struct terrain_view *terrain, const int64_t counts[2])
{
    if (counts[0] <= terrain->vertex_capacity && counts[1] <= terrain->triangle_capacity) return BOSC_OK;
    terrain->vertex_capacity = counts[0] + counts[0] / 2;
    terrain->triangle_capacity = counts[1] + counts[1] / 2;
    free(terrain->vertices);
    free(terrain->normals);
    free(terrain->triangles);
    terrain->vertices = memory_allocate((size_t)terrain->vertex_capacity * 3, sizeof(float));
    terrain->normals = memory_allocate((size_t)terrain->vertex_capacity * 3, sizeof(float));
    terrain->triangles = memory_allocate((size_t)terrain->triangle_capacity * 3, sizeof(uint32_t));
    if (terrain->vertices && terrain->normals && terrain->triangles) return BOSC_OK;
    terrain->vertex_capacity = terrain->triangle_capacity = 0;
    return BOSC_ERR_NOMEM;
}

bosc_status terrain_view_fetch_mesh(bosc_ctx *ctx, struct terrain_view *terrain)
{
    int64_t counts[2];
    bosc_status status = bosc_terrain_get_mesh(ctx, terrain->handle, NULL, NULL, 0, NULL, 0, counts);
    if (status == BOSC_OK) status = reserve_mesh(terrain, counts);
    if (status == BOSC_OK)
        status =
            bosc_terrain_get_mesh(ctx, terrain->handle, terrain->vertices, terrain->normals, terrain->vertex_capacity,
                                  terrain->triangles, terrain->triangle_capacity, counts);
    if (status != BOSC_OK) return status;
    terrain->mesh = (bosc_mesh){.vertices = counts[0],
                                .triangles = counts[1],
                                .positions = terrain->vertices,
                                .normals = terrain->normals,
                                .indices = terrain->triangles,
                                .map = 1};
    if (!terrain->holes.counts) return BOSC_OK;
    return terrain_holes_cut(&terrain->holes, &terrain->mesh, terrain->vertices, terrain->normals, terrain->triangles)
               ? BOSC_OK
               : BOSC_ERR_NOMEM;
}

void terrain_view_flip_y(struct terrain_view *terrain)
{
    bosc_mesh *mesh = &terrain->mesh;
    /* As bosc_terrain_get_mesh computes it; a hole may leave no vertex there. */
    const float last = (float)((double)(terrain->heights.height - 1) * terrain->heights.spacing_y);
    for (int64_t i = 0; i < mesh->vertices; i++) {
        terrain->vertices[3 * i + 1] = last - terrain->vertices[3 * i + 1];
        terrain->normals[3 * i + 1] = 0 - terrain->normals[3 * i + 1];
    }
    for (int64_t i = 0; i < mesh->triangles; i++) {
        uint32_t *v = terrain->triangles + 3 * i, second = v[1];
        v[1] = v[2];
        v[2] = second;
    }
    mesh->map = 0;
}

bool terrain_view_copy_scaled(const struct terrain_view *terrain, double scale, struct terrain_view *copy)
{
    const size_t samples = (size_t)(terrain->heights.width * terrain->heights.height);
    const size_t numbers = (size_t)terrain->mesh.vertices * 3;
    *copy = (struct terrain_view){.heights = terrain->heights, .mesh = terrain->mesh};
    /* 1. Memory. */
    copy->heights.data = memory_allocate(samples, sizeof(float));
    copy->vertices = memory_allocate(numbers, sizeof(float));
    copy->normals = memory_allocate(numbers, sizeof(float));
    if (!copy->heights.data || !copy->vertices || !copy->normals) return false;
    copy->mesh.positions = copy->vertices;
    copy->mesh.normals = copy->normals;
    /* 2. Heights and mesh. Normals need not have length 1: their z is divided. */
    for (size_t i = 0; i < samples; i++) copy->heights.data[i] = (float)((double)terrain->heights.data[i] * scale);
    for (size_t i = 0; i < numbers; i++) {
        const bool is_z = i % 3 == 2;
        copy->vertices[i] = (float)((double)terrain->vertices[i] * (is_z ? scale : 1));
        copy->normals[i] = (float)((double)terrain->normals[i] * (is_z ? 1 : scale));
    }
    return true;
}

void terrain_view_close(struct terrain_view *terrain)
{
    bosc_heights_free(&terrain->heights);
    terrain_holes_close(&terrain->holes);
    bosc_terrain_free(terrain->handle);
    free(terrain->vertices);
    free(terrain->normals);
    free(terrain->triangles);
}
