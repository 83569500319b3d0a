/* Builds planets from rasters read by tiles. */
#include "planet/tiles.h"

enum { TILE = 256, MIN_TILE = 1 << BI_PLANET_CELL, MAX_TILE = 4096 }; /* default and maximum: chosen */
enum { MIN_TILES = 32 }; /* an item of a step reads samples at four positions and in two boxes: at most 28 tiles */

static bosc_status check_tiles(bosc_ctx *ctx, const bosc_planet_tiles *tiles, bosc_planet_tiles *full,
                               struct bi_planet_view *view)
{
    if (!tiles) return bi_fail(ctx, BOSC_ERR_ARG, "tiles: NULL");
    BI_TRY(bi_check_size(ctx, "tiles", "bosc_planet_tiles", tiles->size, sizeof *full));
    BI_TRY(bi_read_opts(ctx, "bosc_planet_tiles", tiles, full, sizeof *full));
    if (!full->read) return bi_fail(ctx, BOSC_ERR_ARG, "tiles: read is NULL");
    BI_TRY(bi_planet_check_values(ctx, "tiles", &full->dtype, &full->scale, full->offset));
    if (full->tile == 0) full->tile = TILE;
    if (full->tile < MIN_TILE || full->tile > MAX_TILE || (full->tile & (full->tile - 1)))
        return bi_fail(ctx, BOSC_ERR_ARG, "tiles: tile %d is no power of 2 in %d to %d", (int)full->tile, MIN_TILE,
                       MAX_TILE);
    const int64_t min_bytes = MIN_TILES * (int64_t)sizeof(float) * full->tile * full->tile;
    if (full->cache_bytes == 0) full->cache_bytes = min_bytes > (int64_t)1 << 28 ? min_bytes : (int64_t)1 << 28;
    if (full->cache_bytes < min_bytes)
        return bi_fail(ctx, BOSC_ERR_ARG, "tiles: cache_bytes %lld is less than the %lld of %d tiles",
                       (long long)full->cache_bytes, (long long)min_bytes, MIN_TILES);
    return bi_planet_set_layout(ctx, full->width, full->height, view);
}

static bosc_status build_tiled(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_tiles *tiles,
                               struct bi_planet_view *view)
{
    bi_progress_set_total(ctx, 3 * (double)tiles->width * (double)tiles->height + 1024);
    BI_TRY(bi_planet_cache_create(ctx, tiles, planet->opts.radius / 2, &planet->cache));
    bi_planet_cache_view(planet->cache, view);
    return bi_planet_survey(ctx, planet, view);
}

bosc_status bosc_planet_build_tiles(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_tiles *tiles)
{
    bosc_planet_tiles full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    struct bi_planet_view view = planet->view;
    BI_TRY(check_tiles(ctx, tiles, &full, &view));
    bi_planet_release_raster(planet);
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = build_tiled(ctx, planet, &full, &view));
    if (status != BOSC_OK) bi_planet_release_raster(planet);
    return status;
}
