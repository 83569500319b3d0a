/* Measures meshes. */
#include <string.h>

#include "base/bits.h"
#include "core/check.h"
#include "terrain/drivers.h"

static bosc_status measure_mesh(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *full)
{
    struct bi_terrain_mesh mesh;
    const bosc_cbt_view *v = bi_cbt_view_of(terrain->tree);
    struct bi_terrain_measure step = {.grid = terrain->grid, .view = *v, .heights = terrain->heights.data};
    int64_t counts[2];
    uint32_t largest[2];
    BI_TRY(bi_terrain_number_mesh(ctx, terrain, &mesh, counts));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *step.largest, &step.largest));
    BI_TRY(ctx->backend->fill(ctx, step.largest, 0, sizeof largest));
    BI_TRY_WITH_COST(ctx, 8, BI_TERRAIN_STEP(ctx, measure, bi_terrain_samples(&terrain->grid), &step));
    BI_TRY(bi_read_back(ctx, largest, step.largest, sizeof largest));
    BI_TRY(bi_read_back(ctx, &full->leaves, v->ranks + v->blocks, sizeof full->leaves));
    full->vertices = counts[0];
    full->triangles = counts[1];
    full->max_error = bi_f32_from_bits(largest[0]);
    full->depth = (int32_t)largest[1];
    return BOSC_OK;
}

bosc_status bosc_terrain_measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *stats)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    if (!stats) return bi_fail(ctx, BOSC_ERR_ARG, "stats: NULL");
    BI_TRY(bi_check_info(ctx, "stats", "bosc_terrain_stats", stats->size, sizeof *stats));
    bi_progress_set_total(ctx, 9 * (double)bi_terrain_samples(&terrain->grid));
    bosc_terrain_stats full = {0};
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = measure_mesh(ctx, terrain, &full));
    if (status == BOSC_OK) bi_copy_info(stats, &full, sizeof full);
    return status;
}
