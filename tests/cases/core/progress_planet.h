/* The calls of planets that report progress. */
#ifndef TESTS_CASES_CORE_PROGRESS_PLANET_H
#define TESTS_CASES_CORE_PROGRESS_PLANET_H

#include <string.h>

#include "cases/core/progress_world.h"

static bosc_status planet_build(struct world *w)
{
    const bosc_planet_raster raster = {
        .size = sizeof raster, .heights = w->heights, .width = w->side, .height = w->side};
    return bosc_planet_build(w->ctx, w->planet, &raster);
}

static bosc_status planet_add_inset(struct world *w)
{
    const bosc_planet_inset inset = {.size = sizeof inset,
                                     .heights = w->heights,
                                     .width = w->side,
                                     .height = w->side,
                                     .west = 5,
                                     .south = 44,
                                     .east = 15,
                                     .north = 50};
    return bosc_planet_add_inset(w->ctx, w->planet, &inset);
}

static int planet_read_part(void *user, int64_t row, int64_t column, int64_t rows, int64_t columns, void *values)
{
    const struct world *w = user;
    for (int64_t r = 0; r < rows; r++)
        memcpy((float *)values + r * columns, w->heights + (row + r) * w->side + column,
               (size_t)columns * sizeof(float));
    return 0;
}

static bosc_status planet_build_tiles(struct world *w)
{
    const bosc_planet_tiles tiles = {.size = sizeof tiles,
                                     .read = planet_read_part,
                                     .user = w,
                                     .width = w->side,
                                     .height = w->side,
                                     .cache_bytes = 48 << 14,
                                     .tile = 64};
    return bosc_planet_build_tiles(w->ctx, w->planet, &tiles);
}

static bosc_status planet_select(struct world *w)
{
    const bosc_planet_goal goal = {.size = sizeof goal, .error = w->n > FEW ? 2000 : 100000};
    return bosc_planet_select(w->ctx, w->planet, &goal);
}

static bosc_status planet_update(struct world *w) { return bosc_planet_update(w->ctx, w->planet, w->keep, w->n); }

static bosc_status planet_get_mesh(struct world *w)
{
    int64_t counts[2];
    float *out = (float *)(void *)w->out;
    uint32_t *triangles = (uint32_t *)(void *)(w->out + OUT / 2);
    return bosc_planet_get_mesh(w->ctx, w->planet, NULL, out, NULL, NULL, OUT / 24, triangles, OUT / 24, counts);
}

static bosc_status planet_get_part(struct world *w)
{
    int64_t counts[2];
    float *out = (float *)(void *)w->out;
    uint32_t *triangles = (uint32_t *)(void *)(w->out + OUT / 2);
    const bosc_status status =
        bosc_planet_get_mesh(w->ctx, w->planet, NULL, NULL, NULL, NULL, 0, NULL, 0, counts); /* counts alone */
    if (status != BOSC_OK) return status;
    return bosc_planet_get_part(w->ctx, w->planet, 1, counts[1] - 1, NULL, out, NULL, NULL, OUT / 24, triangles,
                                OUT / 24, counts);
}

static bosc_status planet_sample(struct world *w)
{
    return bosc_planet_sample(w->ctx, w->planet, w->rotations, w->n, (double *)(void *)w->out, NULL);
}

static bosc_status planet_measure(struct world *w)
{
    bosc_planet_stats stats = {.size = sizeof stats};
    return bosc_planet_measure(w->ctx, w->planet, &stats);
}

#endif
