/* Creates planets, and builds them from rasters in memory. */
#include "planet/drivers.h"

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
    struct bi_planet_copy a = {.to = planet->heights.data,
                               .to_stride = r->width,
                               .width = r->width,
                               .stride = r->stride,
                               .dtype = r->dtype,
                               .scale = r->scale,
                               .offset = r->offset,
                               .max_height = planet->opts.radius / 2};
    int64_t bad;
    bool staged = false;
    const size_t values = (size_t)((r->height - 1) * r->stride + r->width);
    BI_TRY(bi_stage_in(ctx, r->heights, values * bosc_dtype_size(r->dtype), &a.from, &staged));
    BI_TRY(bi_planet_copy_samples(ctx, &a, r->height, &bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "heights: row %lld, column %lld is NaN, or half the radius or more",
                   (long long)(bad / r->width), (long long)(bad % r->width));
}

static bosc_status build_whole(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *r,
                               struct bi_planet_view *view)
{
    const int64_t samples = r->width * r->height;
    bi_progress_set_total(ctx, 3 * (double)samples + 1024);
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->heights, (size_t)samples * sizeof(float)));
    view->heights = planet->heights.data;
    BI_TRY(copy_samples(ctx, planet, r));
    return bi_planet_survey(ctx, planet, view);
}

bosc_status bosc_planet_build(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_raster *raster)
{
    bosc_planet_raster full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    struct bi_planet_view view = planet->view;
    BI_TRY(check_raster(ctx, raster, &full, &view));
    bi_planet_release_raster(planet);
    view.slots = NULL;
    BI_RETURN_WITH_SCRATCH(ctx, build_whole(ctx, planet, &full, &view));
}
