/* Builds a planet once; then fetches the selected mesh again for each goal. */
#include "render/planet_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "render/memory.h"
#include "render/vector.h"

/* Updates the highest sample; ties go to the smallest sample number. */
static void update_highest(struct planet_view *planet, float height, int64_t sample)
{
    if (planet->highest >= 0 && (height < planet->peak || (height == planet->peak && sample > planet->highest))) return;
    planet->highest = sample;
    planet->peak = height;
}

/* Callback of bosc_planet_build_tiles: reads a block of the file. The build reads every block, so `highest` covers
 * all. */
static int read_block(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    struct planet_view *planet = user;
    if (bosc_heights_file_read(planet->file, row, column, rows, columns, values) != 0) return 1;
    for (int64_t i = 0; i < rows * columns; i++)
        update_highest(planet, ((const float *)values)[i],
                       (row + i / columns) * planet->heights.width + column + i % columns);
    return 0;
}

static bosc_status build_raster(bosc_ctx *ctx, struct planet_view *planet)
{
    const bosc_heights *h = &planet->heights;
    const bosc_planet_raster raster = {
        .size = sizeof raster, .heights = h->data, .width = h->width, .height = h->height, .dtype = BOSC_F32};
    for (int64_t i = 0; i < h->width * h->height; i++) update_highest(planet, h->data[i], i);
    return bosc_planet_build(ctx, planet->handle, &raster);
}

/* Tiles have 256 x 256 samples (chosen), halved until the cache holds 32 of them. */
static bosc_status build_tiles(bosc_ctx *ctx, struct planet_view *planet)
{
    bosc_planet_tiles tiles = {.size = sizeof tiles,
                               .read = read_block,
                               .user = planet,
                               .width = planet->heights.width,
                               .height = planet->heights.height,
                               .cache_bytes = planet->cache_bytes,
                               .tile = 256};
    while (32 * 4 * (int64_t)tiles.tile * tiles.tile > tiles.cache_bytes) tiles.tile /= 2;
    return bosc_planet_build_tiles(ctx, planet->handle, &tiles);
}

bosc_status planet_view_build(bosc_ctx *ctx, struct planet_view *planet, const bosc_planet_opts *opts)
{
    planet->highest = -1;
    bosc_status status = bosc_planet_create(ctx, opts, &planet->handle);
    if (status == BOSC_OK) status = planet->file ? build_tiles(ctx, planet) : build_raster(ctx, planet);
    planet->info.size = sizeof planet->info;
    if (status == BOSC_OK) status = bosc_planet_get_info(ctx, planet->handle, &planet->info);
    if (status != BOSC_OK) return status;
    const double detail = planet->info.low == planet->info.high && opts ? opts->detail_amplitude : 0;
    planet->low = planet->info.low - detail;
    planet->high = planet->info.high + detail;
    return BOSC_OK;
}

static void free_arrays(struct planet_view *planet)
{
    free(planet->vertices);
    free(planet->normals);
    free(planet->vertex_heights);
    free(planet->positions);
    free(planet->triangles);
}

/* Grows the arrays to the mesh and half as much again. */
static bosc_status reserve_mesh(struct planet_view *planet)
{
    const int64_t vertices = planet->info.vertices, triangles = planet->info.triangles;
    if (vertices <= planet->vertex_capacity && triangles <= planet->triangle_capacity) return BOSC_OK;
    free_arrays(planet);
    planet->vertex_capacity = vertices + vertices / 2;
    planet->triangle_capacity = triangles + triangles / 2;
    const size_t room = (size_t)planet->vertex_capacity;
    planet->vertices = memory_allocate(room * 3, sizeof(float));
    planet->normals = memory_allocate(room * 3, sizeof(float));
    planet->vertex_heights = memory_allocate(room, sizeof(float));
    planet->positions = memory_allocate(room * 3, sizeof(double));
    planet->triangles = memory_allocate((size_t)planet->triangle_capacity * 3, sizeof(uint32_t));
    if (planet->vertices && planet->normals && planet->vertex_heights && planet->positions && planet->triangles)
        return BOSC_OK;
    planet->vertex_capacity = planet->triangle_capacity = 0;
    return BOSC_ERR_NOMEM;
}

bosc_status planet_view_fetch_mesh(bosc_ctx *ctx, struct planet_view *planet, const double *origin)
{
    int64_t counts[2];
    planet->info.size = sizeof planet->info;
    bosc_status status = bosc_planet_get_info(ctx, planet->handle, &planet->info);
    if (status == BOSC_OK) status = reserve_mesh(planet);
    if (status == BOSC_OK)
        status = bosc_planet_get_mesh(ctx, planet->handle, origin, planet->vertices, planet->positions, planet->normals,
                                      planet->vertex_capacity, planet->triangles, planet->triangle_capacity, counts);
    if (status == BOSC_OK) status = bosc_ctx_sync(ctx);
    if (status != BOSC_OK) return status;
    /* The height of a vertex is its distance from the center, less the radius: colours follow from it. */
    for (int64_t i = 0; i < counts[0]; i++) {
        const double *p = planet->positions + 3 * i;
        planet->vertex_heights[i] = (float)(sqrt(dot(p, p)) - planet->info.radius);
    }
    memset(planet->origin, 0, sizeof planet->origin);
    if (origin) memcpy(planet->origin, origin, sizeof planet->origin);
    planet->mesh = (bosc_mesh){.vertices = counts[0],
                               .triangles = counts[1],
                               .positions = planet->vertices,
                               .normals = planet->normals,
                               .indices = planet->triangles};
    return BOSC_OK;
}

void planet_view_close(struct planet_view *planet)
{
    bosc_heights_free(&planet->heights);
    bosc_planet_free(planet->handle);
    bosc_heights_file_close(planet->file);
    free_arrays(planet);
}
