/* Makes planets, and takes their rasters. */
#include "base/elementary.h"
#include "planet/drivers.h"

static const double MOST = 0x1p+100; /* of scale and offset */

/* The octahedron's edges: bases along the equator, sides from the poles to it. */
static void glue_roots(int64_t glued[3 * BI_PLANET_ROOTS])
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
    glue_roots(glued);
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
    bosc_planet *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_planet){.memory = ctx->memory, .host = ctx->host, .opts = full};
    bosc_status status = fill_in(ctx, fresh);
    if (status == BOSC_OK)
        *planet = fresh;
    else
        bosc_planet_free(fresh);
    return status;
}

static bosc_status check_raster(bosc_ctx *ctx, const bosc_planet_raster *raster, bosc_planet_raster *full,
                                struct bi_planet_view *view)
{
    if (!raster) return bi_fail(ctx, BOSC_ERR_ARG, "raster: NULL");
    BI_TRY(bi_check_size(ctx, "raster", "bosc_planet_raster", raster->size, sizeof *full));
    BI_TRY(bi_take_opts(ctx, "bosc_planet_raster", raster, full, sizeof *full));
    if (full->dtype == 0) full->dtype = BOSC_F32;
    if (full->dtype != BOSC_F32 && full->dtype != BOSC_U16 && full->dtype != BOSC_I16)
        return bi_fail(ctx, BOSC_ERR_ARG, "raster: dtype %d is neither F32, U16 nor I16", (int)full->dtype);
    if (full->reserved) return bi_fail(ctx, BOSC_ERR_ARG, "raster: reserved is not 0");
    if (full->scale == 0) full->scale = 1;
    if (!(full->scale >= -MOST && full->scale <= MOST))
        return bi_fail(ctx, BOSC_ERR_ARG, "raster: scale %g is not in -2^100 to 2^100", full->scale);
    if (!(full->offset >= -MOST && full->offset <= MOST))
        return bi_fail(ctx, BOSC_ERR_ARG, "raster: offset %g is not in -2^100 to 2^100", full->offset);
    BI_TRY(bi_planet_lay_out(ctx, full->width, full->height, view));
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
    struct bi_planet_copy a = {.to = planet->heights.data,
                               .width = r->width,
                               .stride = r->stride,
                               .dtype = r->dtype,
                               .scale = r->scale,
                               .offset = r->offset,
                               .most = planet->opts.radius / 2};
    int64_t bad = INT64_MAX;
    bool staged = false;
    const size_t values = (size_t)((r->height - 1) * r->stride + r->width);
    BI_TRY(bi_stage_in(ctx, r->heights, values * bosc_dtype_size(r->dtype), &a.from, &staged));
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a.bad, &a.bad));
    BI_TRY(ctx->backend->copy(ctx, a.bad, &bad, sizeof bad));
    BI_TRY(ctx->backend->sync(ctx));
    BI_TRY(BI_PLANET_STEP(ctx, copy, r->width * r->height, &a));
    BI_TRY(bi_read_back(ctx, &bad, a.bad, sizeof bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "heights: row %lld, column %lld is NaN, or half the radius or more",
                   (long long)(bad / r->width), (long long)(bad % r->width));
}

/* Poles and cells of a raster that is there; its range. */
static bosc_status survey(bosc_ctx *ctx, bosc_planet *planet, struct bi_planet_view *view)
{
    const struct bi_planet_poles poles = {*view, planet->poles.data};
    struct bi_planet_cells a = {*view, planet->cells.data, BI_PLANET_CELL};
    struct bi_planet_cell whole;
    BI_TRY_WEIGHED(ctx, (double)view->width, BI_PLANET_STEP(ctx, poles, 2, &poles));
    for (; a.level <= view->top; a.level++) {
        const int64_t cells =
            (int64_t)bi_planet_cell_count(view->width, a.level) * bi_planet_cell_count(view->height, a.level);
        BI_TRY_WEIGHED(ctx, a.level == BI_PLANET_CELL ? 64 : 4, BI_PLANET_STEP(ctx, cells, cells, &a));
    }
    BI_TRY(bi_read_back(ctx, &whole, a.cells + view->first[view->top], sizeof whole));
    view->low = whole.low;
    view->high = whole.high;
    return BOSC_OK;
}

static bosc_status build(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *r, struct bi_planet_view *view)
{
    const int64_t samples = r->width * r->height;
    const double wavelength = planet->opts.detail_wavelength;
    bi_expect(ctx, 3 * (double)samples + 1024);
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->heights, (size_t)samples * sizeof(float)));
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->cells,
                            (size_t)bi_planet_cells(view) * sizeof(struct bi_planet_cell)));
    view->heights = planet->heights.data;
    view->cells = planet->cells.data;
    view->frequency = wavelength > 0 ? view->radius / wavelength : (double)r->width / (2 * BI_PI);
    BI_TRY(copy_samples(ctx, planet, r));
    BI_TRY(survey(ctx, planet, view));
    planet->view = *view;
    bosc_status status = bi_planet_reset(ctx, planet);
    if (status == BOSC_OK) status = ctx->backend->sync(ctx);
    if (status != BOSC_OK) planet->view.width = planet->view.height = 0;
    return status;
}

bosc_status bosc_planet_build(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *raster)
{
    bosc_planet_raster full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    struct bi_planet_view view = planet->view;
    BI_TRY(check_raster(ctx, raster, &full, &view));
    planet->view.width = planet->view.height = 0; /* until the new one is there */
    planet->view.low = planet->view.high = 0;
    BI_RETURN_WITH_SCRATCH(ctx, build(ctx, planet, &full, &view));
}
