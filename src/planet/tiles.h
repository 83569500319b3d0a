/* Steps over a raster read by tiles. */
#ifndef BI_PLANET_TILES_H
#define BI_PLANET_TILES_H

#include "planet/cache.h"
#include "planet/drivers.h"

/* Reads these tiles unless they are in the cache; at most as many as it has slots. Waits. */
bosc_status bi_planet_fetch_tiles(bosc_ctx *ctx, struct bi_planet_cache *cache, const int64_t *tiles, int64_t count);

/* Reads a rectangle of the raster to samples `to` in the backend's memory, with `stride` samples a row. values: host
 * memory for its values. Waits. */
bosc_status bi_planet_read_part(bosc_ctx *ctx, const struct bi_planet_cache *cache, const struct bi_planet_part *part,
                                void *values, float *to, int64_t stride);

/* Runs a step over n items that read samples from the cache. It takes rounds: each reads the tiles that the first
 * pending items need. args begins with a struct bi_planet_view. Waits. */
bosc_status bi_planet_run_tiled(bosc_ctx *ctx, struct bi_planet_cache *cache, bi_step_fn step, int64_t n, void *args);

/* Runs the step `name`, in rounds if the planet's raster is read by tiles. */
#define BI_PLANET_RUN(ctx, planet, name, n, args)                                                                     \
    ((planet)->cache                                                                                                  \
         ? bi_planet_run_tiled((ctx), (planet)->cache, (ctx)->ops->planet->steps->planet_##name##_tiled, (n), (args)) \
         : BI_PLANET_STEP((ctx), name, (n), (args)))

#endif
