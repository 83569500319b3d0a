/* Computes the poles of a raster, the bounds of its cells, and its range. */
#include "base/elementary.h"
#include "planet/tiles.h"

/* Computes the poles as means of the first and the last row, summed from left to right. */
static bosc_status find_poles(bosc_ctx *ctx, const bosc_planet *planet, const struct bi_planet_view *view)
{
    struct bi_planet_cache *cache = planet->cache;
    struct bi_planet_poles a = {*view, planet->poles.data, 0, view->width};
    if (!cache) return BI_PLANET_STEP(ctx, poles, 2, &a);
    for (int64_t t = 0; t < cache->across; t++) {
        const int64_t tiles[2] = {t, cache->tiles - cache->across + t};
        const struct bi_planet_part p = bi_planet_tile(cache, t);
        a.column = p.column;
        a.end = p.column + p.columns;
        BI_TRY(bi_planet_fetch_tiles(ctx, cache, tiles, 2));
        BI_TRY(BI_PLANET_STEP(ctx, poles, 2, &a));
    }
    return BOSC_OK;
}

/* Computes the cells of the lowest level from samples, one tile after another. */
static bosc_status find_cells(bosc_ctx *ctx, const bosc_planet *planet, struct bi_planet_cells *a, int64_t cells)
{
    const struct bi_planet_cache *cache = planet->cache;
    if (!cache) return BI_PLANET_STEP(ctx, cells, cells, a);
    for (int64_t t = 0; t < cache->tiles; t++) {
        const struct bi_planet_part p = bi_planet_tile(cache, t);
        a->left = p.column >> BI_PLANET_CELL;
        a->above = p.row >> BI_PLANET_CELL;
        a->columns = bi_planet_cell_count((int32_t)p.columns, BI_PLANET_CELL);
        const int64_t n = a->columns * bi_planet_cell_count((int32_t)p.rows, BI_PLANET_CELL);
        BI_TRY(BI_PLANET_RUN(ctx, planet, cells, n, a));
    }
    return BOSC_OK;
}

static bosc_status find_bounds(bosc_ctx *ctx, const bosc_planet *planet, struct bi_planet_view *view)
{
    struct bi_planet_cell whole;
    BI_TRY_WITH_COST(ctx, (double)view->width, find_poles(ctx, planet, view));
    for (int32_t level = BI_PLANET_CELL; level <= view->top; level++) {
        const int64_t across = bi_planet_cell_count(view->width, level);
        const int64_t cells = across * bi_planet_cell_count(view->height, level);
        struct bi_planet_cells a = {.view = *view, .cells = planet->cells.data, .columns = across, .level = level};
        if (level == BI_PLANET_CELL)
            BI_TRY_WITH_COST(ctx, 64, find_cells(ctx, planet, &a, cells));
        else
            BI_TRY_WITH_COST(ctx, 4, BI_PLANET_STEP(ctx, cells, cells, &a));
    }
    BI_TRY(bi_read_back(ctx, &whole, view->cells + view->first[view->top], sizeof whole));
    view->low = whole.low;
    view->high = whole.high;
    return BOSC_OK;
}

void bi_planet_release_raster(bosc_planet *planet)
{
    planet->view.width = planet->view.height = 0;
    planet->view.low = planet->view.high = 0;
    bi_planet_cache_free(planet->cache);
    planet->cache = NULL;
}

bosc_status bi_planet_survey(bosc_ctx *ctx, bosc_planet *planet, struct bi_planet_view *view)
{
    const double wavelength = planet->opts.detail_wavelength;
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->cells,
                            (size_t)bi_planet_total_cells(view) * sizeof(struct bi_planet_cell)));
    view->cells = planet->cells.data;
    view->frequency = wavelength > 0 ? view->radius / wavelength : view->width / (2 * BI_PI);
    BI_TRY(find_bounds(ctx, planet, view));
    planet->view = *view;
    bosc_status status = bi_planet_reset(ctx, planet);
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    if (status != BOSC_OK) bi_planet_release_raster(planet);
    return status;
}
