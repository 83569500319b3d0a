/* Creates planets, and builds them from rasters: in memory, or read by tiles. A build of a raster in memory converts
 * all samples first. Then a build surveys the raster (its poles, the bounds of its cells, its range), and starts from
 * the octahedron as the mesh. */
#include "base/elementary.h"
#include "core/check.h"
#include "planet/tiles.h"

/* Glues the roots to an octahedron: bases along the equator, sides from the poles to it. */
static void set_octahedron(int64_t glued[3 * BI_PLANET_ROOTS])
{
    for (int64_t k = 0; k < 4; k++) {
        const int64_t east = (k + 1) % 4;
        glued[3 * k] = 3 * (4 + k);
        glued[3 * (4 + k)] = 3 * k;
        glued[3 * k + 1] = 3 * east + 2;
        glued[3 * east + 2] = 3 * k + 1;
        glued[3 * (4 + k) + 2] = 3 * (4 + east) + 1;
        glued[3 * (4 + east) + 1] = 3 * (4 + k) + 2;
    }
}

/* Fills the noise table, if the planet has detail. Waits. */
static bosc_status make_detail(bosc_ctx *ctx, bosc_planet *fresh)
{
    if (fresh->opts.detail_amplitude == 0) return BOSC_OK;
    BI_TRY(bi_block_reserve(ctx, &fresh->memory, &fresh->noise, BI_PLANET_NOISE * sizeof(struct bi_planet_noise)));
    const struct bi_planet_entries a = {fresh->noise.data, fresh->opts.detail_seed};
    BI_TRY(BI_PLANET_STEP(ctx, entries, BI_PLANET_NOISE, &a));
    fresh->view.noise = fresh->noise.data;
    fresh->view.amplitude = fresh->opts.detail_amplitude;
    fresh->view.octaves = fresh->opts.detail_octaves;
    return ctx->backend->sync(ctx);
}

static bosc_status fill_in(bosc_ctx *ctx, bosc_planet *fresh)
{
    int64_t glued[3 * BI_PLANET_ROOTS];
    const bosc_bisectors_opts pool = {
        .size = sizeof pool, .depth = fresh->opts.depth, .root_count = BI_PLANET_ROOTS, .glued = glued};
    set_octahedron(glued);
    fresh->view.radius = fresh->opts.radius;
    BI_TRY(bosc_bisectors_create(ctx, &pool, &fresh->pool));
    BI_TRY(bi_block_reserve(ctx, &fresh->memory, &fresh->poles, 2 * sizeof(double)));
    fresh->view.poles = fresh->poles.data;
    return make_detail(ctx, fresh);
}

bosc_status bosc_planet_create(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet **planet)
{
    bosc_planet_opts full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_opts(ctx, opts, &full));
    if (!planet) return bi_fail(ctx, BOSC_ERR_ARG, "planet: NULL");
    bosc_planet *fresh;
    BI_TRY(BI_NEW_HANDLE(ctx, &fresh, .opts = full));
    bosc_status status = fill_in(ctx, fresh);
    if (status == BOSC_OK)
        *planet = fresh;
    else
        bosc_planet_free(fresh);
    return status;
}

/* ---- survey ---- */

/* Computes the poles as means of the first and the last row, summed from left to right. */
static bosc_status find_poles(bosc_ctx *ctx, const bosc_planet *planet, const struct bi_planet_view *view)
{
    struct bi_planet_cache *cache = planet->cache;
    struct bi_planet_poles a = {*view, planet->poles.data, 0, view->width};
    if (!cache) return BI_PLANET_STEP(ctx, poles, 2, &a);
    for (int64_t t = 0; t < cache->across; t++) {
        const int64_t tiles[2] = {t, cache->tiles - cache->across + t};
        const struct bi_planet_rectangle p = bi_planet_tile_rectangle(cache, t);
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
        const struct bi_planet_rectangle p = bi_planet_tile_rectangle(cache, t);
        a->left = p.column >> BI_PLANET_CELL;
        a->above = p.row >> BI_PLANET_CELL;
        a->columns = bi_planet_cell_count((int32_t)p.columns, BI_PLANET_CELL);
        const int64_t n = a->columns * bi_planet_cell_count((int32_t)p.rows, BI_PLANET_CELL);
        BI_TRY(BI_PLANET_RUN(ctx, planet, cells, n, a));
    }
    return BOSC_OK;
}

/* Finds poles, cells level by level, and the range of heights. Waits. */
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

/* Detaches the raster and the insets. */
static void release_raster(bosc_planet *planet)
{
    planet->view.inset_count = 0;
    planet->view.width = planet->view.height = 0;
    planet->view.low = planet->view.high = 0;
    bi_planet_cache_free(planet->cache);
    planet->cache = NULL;
}

/* Computes poles and bounds of the raster of a view, makes it the planet's, and the octahedron its mesh. The caller
 * releases the raster after a failure. */
static bosc_status survey(bosc_ctx *ctx, bosc_planet *planet, struct bi_planet_view *view)
{
    const double wavelength = planet->opts.detail_wavelength;
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->cells, bi_planet_cell_bytes(view)));
    view->cells = planet->cells.data;
    /* Without a wavelength the first octave has the spacing of samples on the equator. */
    view->frequency = wavelength > 0 ? view->radius / wavelength : view->width / (2 * BI_PI);
    BI_TRY(find_bounds(ctx, planet, view));
    planet->view = *view;
    BI_TRY(bi_planet_reset(ctx, planet));
    return ctx->backend->sync(ctx);
}

/* ---- from memory ---- */

static const double MAX_SCALE = 0x1p+100; /* and of offsets: heights of integer samples stay finite in double */

bosc_status bi_planet_check_values(bosc_ctx *ctx, const char *name, bosc_dtype *dtype, double *scale, double offset)
{
    if (*dtype == 0) *dtype = BOSC_F32;
    if (*dtype != BOSC_F32 && *dtype != BOSC_U16 && *dtype != BOSC_I16)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: dtype %d is neither F32, U16 nor I16", name, (int)*dtype);
    if (*scale == 0) *scale = 1;
    if (!(*scale >= -MAX_SCALE && *scale <= MAX_SCALE))
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: scale %g is not in -2^100 to 2^100", name, *scale);
    if (!(offset >= -MAX_SCALE && offset <= MAX_SCALE))
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: offset %g is not in -2^100 to 2^100", name, offset);
    return BOSC_OK;
}

static bosc_status check_raster(bosc_ctx *ctx, const bosc_planet_raster *raster, bosc_planet_raster *full,
                                struct bi_planet_view *view)
{
    if (!raster) return bi_fail(ctx, BOSC_ERR_ARG, "raster: NULL");
    BI_TRY(bi_check_size(ctx, "raster", "bosc_planet_raster", raster->size, sizeof *full));
    BI_TRY(bi_read_opts(ctx, "bosc_planet_raster", raster, full, sizeof *full));
    if (full->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "raster: reserved is not 0");
    BI_TRY(bi_planet_check_values(ctx, "raster", &full->dtype, &full->scale, full->offset));
    BI_TRY(bi_planet_set_layout(ctx, full->width, full->height, view));
    if (full->stride == 0) full->stride = full->width;
    if (full->stride < full->width)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld heights of a row",
                       (long long)full->stride, (long long)full->width);
    if (full->stride > INT64_MAX / 8 / full->height)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld rows of %lld heights are more than memory can hold",
                       (long long)full->height, (long long)full->stride);
    if (!full->heights) return bi_fail(ctx, BOSC_ERR_ARG, "heights: NULL");
    return bi_check_aligned(ctx, "heights", full->heights, bosc_dtype_size(full->dtype));
}

static bosc_status copy_samples(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *r)
{
    struct bi_planet_copy a = {.from = r->heights,
                               .to = planet->heights.data,
                               .to_stride = r->width,
                               .width = r->width,
                               .stride = r->stride,
                               .dtype = r->dtype,
                               .scale = r->scale,
                               .offset = r->offset,
                               .max_height = planet->opts.radius / 2};
    return bi_planet_copy_raster(ctx, "heights", &a, r->height);
}

static bosc_status build_whole(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *r,
                               struct bi_planet_view *view)
{
    const int64_t samples = r->width * r->height;
    bi_progress_set_total(ctx, 3 * (double)samples + 1024);
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->heights, bi_planet_sample_bytes(view)));
    view->heights = planet->heights.data;
    view->slots = NULL;
    BI_TRY(copy_samples(ctx, planet, r));
    return survey(ctx, planet, view);
}

/* ---- by tiles ---- */

enum { TILE = 256, MIN_TILE = 1 << BI_PLANET_CELL, MAX_TILE = 4096 }; /* of floats: by default 256 KB, at most 64 MB */
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
    return survey(ctx, planet, view);
}

/* ---- builds ---- */

/* Builds from a raster in memory, or (NULL) by tiles; after a failure the planet has no raster. */
static bosc_status build_or_release(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *raster,
                                    const bosc_planet_tiles *tiles, struct bi_planet_view *view)
{
    bosc_status status;
    release_raster(planet);
    view->inset_count = 0;
    BI_WITH_SCRATCH(ctx,
                    status = raster ? build_whole(ctx, planet, raster, view) : build_tiled(ctx, planet, tiles, view));
    if (status != BOSC_OK) release_raster(planet);
    return status;
}

bosc_status bosc_planet_build(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *raster)
{
    bosc_planet_raster full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    struct bi_planet_view view = planet->view;
    BI_TRY(check_raster(ctx, raster, &full, &view));
    return build_or_release(ctx, planet, &full, NULL, &view);
}

bosc_status bosc_planet_build_tiles(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_tiles *tiles)
{
    bosc_planet_tiles full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    struct bi_planet_view view = planet->view;
    BI_TRY(check_tiles(ctx, tiles, &full, &view));
    return build_or_release(ctx, planet, NULL, &full, &view);
}
