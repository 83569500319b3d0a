/* Steps over a raster that is read by tiles. */
#ifndef BI_PLANET_TILES_H
#define BI_PLANET_TILES_H

#include "planet/cache.h"
#include "planet/drivers.h"

/* Reads these tiles, as many as there are slots at most, unless they are there. Waits. */
bosc_status bi_planet_fetch(bosc_ctx *ctx, struct bi_planet_cache *cache, const int64_t *tiles, int64_t count);

/* Reads a part of the raster, through `values`, which is host memory with room for it, to samples in the backend's,
 * `stride` from one row to the next. Waits. */
bosc_status bi_planet_read_part(bosc_ctx *ctx, const struct bi_planet_cache *cache, const struct bi_planet_part *part,
                                void *values, float *to, int64_t stride);

/* Makes a step of n items whose arguments, which begin with a view, look at samples of the cache: in rounds, each of
 * which reads the tiles that are wanted by the first items. Waits. */
bosc_status bi_planet_run_tiled(bosc_ctx *ctx, struct bi_planet_cache *cache, bi_step_fn step, int64_t n, void *args);

/* The step `name`, by tiles if the planet's raster is. */
#define BI_PLANET_RUN(ctx, planet, name, n, args)                                                                     \
    ((planet)->cache                                                                                                  \
         ? bi_planet_run_tiled((ctx), (planet)->cache, (ctx)->ops->planet->steps->planet_##name##_tiled, (n), (args)) \
         : BI_PLANET_STEP((ctx), name, (n), (args)))

#endif
