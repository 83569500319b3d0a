/* Queries about the surface and its mesh. */
#include "base/bits.h"
#include "base/elementary.h"
#include "core/check.h"
#include "planet/tiles.h"

static const double MAX_ALTITUDE = 0x1p+100; /* squares of positions stay far below 2^1024 */

/* Stages the arrays and samples the surface in n directions. heights, positions: or NULL. */
static bosc_status sample_surface(bosc_ctx *ctx, const bosc_planet *planet, const double *directions, int64_t n,
                                  double *heights, double *positions)
{
    struct bi_planet_sample a = {.view = planet->view};
    struct bi_out heights_out, positions_out;
    const void *reachable;
    bool staged = false;
    const size_t bytes = (size_t)n * sizeof(double);
    bi_progress_set_total(ctx, 16 * (double)n);
    BI_TRY(bi_stage_in(ctx, directions, 3 * bytes, &reachable, &staged));
    BI_TRY(bi_stage_out(ctx, heights, heights ? bytes : 0, &heights_out, &staged));
    BI_TRY(bi_stage_out(ctx, positions, positions ? 3 * bytes : 0, &positions_out, &staged));
    a.directions = reachable;
    a.heights = heights_out.reachable;
    a.positions = positions_out.reachable;
    BI_TRY_WITH_COST(ctx, 16, BI_PLANET_RUN(ctx, planet, sample, n, &a));
    BI_TRY(bi_stage_back(ctx, &heights_out));
    BI_TRY(bi_stage_back(ctx, &positions_out));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_planet_sample(bosc_ctx *ctx, const bosc_planet *planet, const double *directions,
                               int64_t direction_count, double *heights, double *positions)
{
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_raster(ctx, planet));
    BI_TRY(bi_planet_check_array(ctx, "direction_count", direction_count, "directions", directions,
                                 3 * sizeof *directions, sizeof *directions));
    BI_TRY(bi_check_aligned(ctx, "heights", heights, sizeof *heights));
    BI_TRY(bi_check_aligned(ctx, "positions", positions, sizeof *positions));
    BI_RETURN_WITH_SCRATCH(ctx, sample_surface(ctx, planet, directions, direction_count, heights, positions));
}

/* Directions at a position: outwards, to the north and to the east. */
struct compass {
    double up[3], north[3], east[3];
};

static struct compass compass_at(double latitude, double longitude)
{
    const struct bi_angle b = bi_angle_of_turns(latitude / 360), l = bi_angle_of_turns(longitude / 360);
    const double sb = bi_angle_sin(b), cb = bi_angle_cos(b), sl = bi_angle_sin(l), cl = bi_angle_cos(l);
    const struct compass c = {{cb * cl, cb * sl, sb}, {-sb * cl, -sb * sl, cb}, {-sl, cl, 0}};
    return c;
}

/* Sets direction and up of a camera that looks along a heading (from north to east), raised by the pitch. */
static void point_camera(const struct compass *at, double heading, double pitch, bosc_planet_camera *camera)
{
    const struct bi_angle h = bi_angle_of_turns(heading / 360), p = bi_angle_of_turns(pitch / 360);
    for (int c = 0; c < 3; c++) {
        const double ahead = bi_angle_cos(h) * at->north[c] + bi_angle_sin(h) * at->east[c];
        camera->direction[c] = bi_angle_cos(p) * ahead + bi_angle_sin(p) * at->up[c];
        camera->up[c] = bi_angle_cos(p) * at->up[c] - bi_angle_sin(p) * ahead;
    }
}

static bosc_status check_angle(bosc_ctx *ctx, const char *name, double angle, double most)
{
    if (angle >= -most && angle <= most) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "%s: %g is not in -%g to %g degrees", name, angle, most, most);
}

bosc_status bosc_planet_place(bosc_ctx *ctx, const bosc_planet *planet, double latitude, double longitude,
                              double altitude, double heading, double pitch, bosc_planet_camera *camera)
{
    double height;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_raster(ctx, planet));
    BI_TRY(check_angle(ctx, "latitude", latitude, 90));
    BI_TRY(check_angle(ctx, "longitude", longitude, 360));
    BI_TRY(check_angle(ctx, "heading", heading, 360));
    BI_TRY(check_angle(ctx, "pitch", pitch, 90));
    if (!(altitude >= -MAX_ALTITUDE && altitude <= MAX_ALTITUDE))
        return bi_fail(ctx, BOSC_ERR_ARG, "altitude: %g is not in -2^100 to 2^100", altitude);
    if (!camera) return bi_fail(ctx, BOSC_ERR_ARG, "camera: NULL");
    const struct compass at = compass_at(latitude, longitude);
    BI_TRY_WITH_SCRATCH(ctx, sample_surface(ctx, planet, at.up, 1, &height, NULL));
    for (int c = 0; c < 3; c++) camera->position[c] = at.up[c] * (planet->view.radius + height + altitude);
    point_camera(&at, heading, pitch, camera);
    return BOSC_OK;
}

/* Measures the samples of one tile after another. */
static bosc_status measure_tiles(bosc_ctx *ctx, const bosc_planet *planet, struct bi_planet_measure *a)
{
    for (int64_t t = 0; t < planet->cache->tiles; t++) {
        const struct bi_planet_rectangle p = bi_planet_tile_rectangle(planet->cache, t);
        BI_TRY(bi_planet_fetch_tiles(ctx, planet->cache, &t, 1));
        a->left = p.column;
        a->above = p.row;
        a->columns = p.columns;
        BI_TRY_WITH_COST(ctx, 32, BI_PLANET_STEP(ctx, measure, p.rows * p.columns, a));
    }
    return BOSC_OK;
}

/* Reads back the farthest sample of a raster, and makes it the worst if it is farther than that. inset: as in
 * bosc_planet_stats. */
static bosc_status update_worst(bosc_ctx *ctx, const struct bi_planet_measure *a, int32_t inset,
                                struct bi_planet_worst *worst)
{
    uint64_t key;
    BI_TRY(bi_read_back(ctx, &key, a->worst, sizeof key));
    const float error = bi_f32_from_bits(~(uint32_t)(key >> 32));
    if (inset == 0 || error > worst->error)
        *worst = (struct bi_planet_worst){error, (int64_t)(key & UINT32_MAX), inset};
    return BOSC_OK;
}

bosc_status bi_planet_measure_samples(bosc_ctx *ctx, const bosc_planet *planet, uint32_t *errors,
                                      struct bi_planet_worst *worst)
{
    struct bi_planet_measure a = {.view = planet->view,
                                  .pool = *bi_planet_pool(planet),
                                  .leaves = planet->current.data,
                                  .errors = errors,
                                  .columns = planet->view.width};
    const int64_t samples = (int64_t)planet->view.width * planet->view.height;
    /* 1. The raster. */
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a.worst, &a.worst));
    BI_TRY(ctx->backend->fill(ctx, a.worst, 0xff, sizeof *a.worst));
    if (planet->cache)
        BI_TRY(measure_tiles(ctx, planet, &a));
    else
        BI_TRY_WITH_COST(ctx, 32, BI_PLANET_STEP(ctx, measure, samples, &a));
    BI_TRY(update_worst(ctx, &a, 0, worst));
    /* 2. The insets. */
    for (a.inset = 0; a.inset < planet->view.inset_count; a.inset++) {
        const int64_t n = planet->inset[a.inset].width * planet->inset[a.inset].height;
        BI_TRY(ctx->backend->fill(ctx, a.worst, 0xff, sizeof *a.worst));
        BI_TRY_WITH_COST(ctx, 32, BI_PLANET_RUN(ctx, planet, measure_inset, n, &a));
        BI_TRY(update_worst(ctx, &a, a.inset + 1, worst));
    }
    return BOSC_OK;
}

bosc_status bosc_planet_measure(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_stats *stats)
{
    struct bi_planet_worst worst;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_mesh(ctx, planet));
    if (!stats) return bi_fail(ctx, BOSC_ERR_ARG, "stats: NULL");
    BI_TRY(bi_check_info(ctx, "stats", "bosc_planet_stats", stats->size, sizeof *stats));
    bi_progress_set_total(ctx, 32 * (double)bi_planet_total_samples(planet));
    BI_TRY_WITH_SCRATCH(ctx, bi_planet_measure_samples(ctx, planet, NULL, &worst));
    const int64_t width = worst.inset ? planet->inset[worst.inset - 1].width : planet->view.width;
    const bosc_planet_stats full = {
        .max_error = worst.error, .row = worst.sample / width, .column = worst.sample % width, .inset = worst.inset};
    bi_copy_info(stats, &full, sizeof full);
    return BOSC_OK;
}
