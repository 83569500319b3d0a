/* Measures meshes. */
#include <string.h>

#include "base/bits.h"
#include "core/check.h"
#include "terrain/drivers.h"

static bosc_status measure(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_stats *full)
{
    struct bi_terrain_mesh mesh;
    const bosc_cbt_view *v = bi_cbt_view_of(terrain->tree);
    struct bi_terrain_measure step = {.grid = terrain->grid, .view = *v, .heights = terrain->heights.data};
    int64_t counts[2];
    uint32_t most[2];
    BI_TRY(bi_terrain_number_mesh(ctx, terrain, &mesh, counts));
    BI_TRY(bi_scratch_of(ctx, 2, sizeof *step.most, &step.most));
    BI_TRY(ctx->backend->fill(ctx, step.most, 0, sizeof most));
    BI_TRY_WITH_COST(ctx, 8, BI_TERRAIN_STEP(ctx, measure, bi_terrain_samples(&terrain->grid), &step));
    BI_TRY(bi_read_back(ctx, most, step.most, sizeof most));
    BI_TRY(bi_read_back(ctx, &full->leaves, v->ranks + v->blocks, sizeof full->leaves));
    full->vertices = counts[0];
    full->triangles = counts[1];
    full->max_error = bi_f32_from_bits(most[0]);
    full->depth = (int32_t)most[1];
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
    BI_WITH_SCRATCH(ctx, status = measure(ctx, terrain, &full));
    if (status == BOSC_OK) bi_copy_info(stats, &full, sizeof full);
    return status;
}
