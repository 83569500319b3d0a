/* A planet is built once, then selected and fetched again for each goal. */
#include "render/globe.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"
#include "render/vector.h"

static void see_height(struct globe *globe, float height, int64_t sample)
{
    if (globe->highest >= 0 && (height < globe->peak || (height == globe->peak && sample > globe->highest))) return;
    globe->highest = sample;
    globe->peak = height;
}

/* A part of the file. All parts are read while the planet is built. */
static int read_part(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    struct globe *globe = user;
    if (bosc_heights_file_read(globe->file, row, column, rows, columns, values) != 0) return 1;
    for (int64_t i = 0; i < rows * columns; i++)
        see_height(globe, ((const float *)values)[i],
                   (row + i / columns) * globe->heights.width + column + i % columns);
    return 0;
}

static bosc_status build_raster(bosc_ctx *ctx, struct globe *globe)
{
    const bosc_heights *h = &globe->heights;
    const bosc_planet_raster raster = {
        .size = sizeof raster, .heights = h->data, .width = h->width, .height = h->height, .dtype = BOSC_F32};
    for (int64_t i = 0; i < h->width * h->height; i++) see_height(globe, h->data[i], i);
    return bosc_planet_build(ctx, globe->planet, &raster);
}

/* With tiles of 256 x 256 samples, or smaller ones where the cache has no room for 32 of those. */
static bosc_status build_tiles(bosc_ctx *ctx, struct globe *globe)
{
    bosc_planet_tiles tiles = {.size = sizeof tiles,
                               .read = read_part,
                               .user = globe,
                               .width = globe->heights.width,
                               .height = globe->heights.height,
                               .cache_bytes = globe->cache_bytes,
                               .tile = 256};
    while (32 * 4 * (int64_t)tiles.tile * tiles.tile > tiles.cache_bytes) tiles.tile /= 2;
    return bosc_planet_build_tiles(ctx, globe->planet, &tiles);
}

bosc_status globe_build(bosc_ctx *ctx, struct globe *globe, const bosc_planet_opts *opts)
{
    globe->highest = -1;
    bosc_status status = bosc_planet_create(ctx, opts, &globe->planet);
    if (status == BOSC_OK) status = globe->file ? build_tiles(ctx, globe) : build_raster(ctx, globe);
    globe->info.size = sizeof globe->info;
    if (status == BOSC_OK) status = bosc_planet_get_info(ctx, globe->planet, &globe->info);
    if (status != BOSC_OK) return status;
    const double detail = globe->info.low == globe->info.high && opts ? opts->detail_amplitude : 0;
    globe->low = globe->info.low - detail;
    globe->high = globe->info.high + detail;
    return BOSC_OK;
}

static void free_arrays(struct globe *globe)
{
    free(globe->vertices);
    free(globe->normals);
    free(globe->levels);
    free(globe->positions);
    free(globe->triangles);
}

/* Makes the arrays long enough for the mesh, with half as many to spare. */
static bosc_status reserve(struct globe *globe)
{
    const int64_t vertices = globe->info.vertices, triangles = globe->info.triangles;
    if (vertices <= globe->vertex_capacity && triangles <= globe->triangle_capacity) return BOSC_OK;
    free_arrays(globe);
    globe->vertex_capacity = vertices + vertices / 2;
    globe->triangle_capacity = triangles + triangles / 2;
    const size_t room = (size_t)globe->vertex_capacity;
    globe->vertices = memory_new(room * 3, sizeof(float));
    globe->normals = memory_new(room * 3, sizeof(float));
    globe->levels = memory_new(room, sizeof(float));
    globe->positions = memory_new(room * 3, sizeof(double));
    globe->triangles = memory_new((size_t)globe->triangle_capacity * 3, sizeof(uint32_t));
    if (globe->vertices && globe->normals && globe->levels && globe->positions && globe->triangles) return BOSC_OK;
    globe->vertex_capacity = globe->triangle_capacity = 0;
    return BOSC_ERR_NOMEM;
}

bosc_status globe_mesh(bosc_ctx *ctx, struct globe *globe, const double *origin)
{
    int64_t counts[2];
    globe->info.size = sizeof globe->info;
    bosc_status status = bosc_planet_get_info(ctx, globe->planet, &globe->info);
    if (status == BOSC_OK) status = reserve(globe);
    if (status == BOSC_OK)
        status = bosc_planet_get_mesh(ctx, globe->planet, origin, globe->vertices, globe->positions, globe->normals,
                                      globe->vertex_capacity, globe->triangles, globe->triangle_capacity, counts);
    if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
    if (status != BOSC_OK) return status;
    for (int64_t i = 0; i < counts[0]; i++) {
        const double *p = globe->positions + 3 * i;
        globe->levels[i] = (float)(sqrt(dot(p, p)) - globe->info.radius);
    }
    memset(globe->origin, 0, sizeof globe->origin);
    if (origin) memcpy(globe->origin, origin, sizeof globe->origin);
    globe->mesh = (bosc_mesh){.vertices = counts[0],
                              .triangles = counts[1],
                              .positions = globe->vertices,
                              .normals = globe->normals,
                              .indices = globe->triangles};
    return BOSC_OK;
}

void globe_close(struct globe *globe)
{
    bosc_heights_free(&globe->heights);
    bosc_planet_free(globe->planet);
    bosc_heights_file_close(globe->file);
    free_arrays(globe);
}
