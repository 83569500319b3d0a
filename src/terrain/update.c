/* Changes meshes by commands for leaves. */
#include "terrain/drivers.h"

static bosc_status apply_commands(bosc_ctx *ctx, bosc_terrain *terrain, const uint8_t *commands, int64_t command_count)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    struct bi_terrain_marks mark = {.grid = *g, .view = *bi_cbt_view_of(terrain->tree), .count = command_count};
    size_t words = (size_t)bi_terrain_state_words(g);
    const void *reach;
    bool staged = false;
    if (command_count == 0) return BOSC_OK;
    BI_TRY(bi_stage_in(ctx, commands, (size_t)command_count, &reach, &staged));
    mark.commands = reach;
    BI_TRY(bi_scratch_of(ctx, (int64_t)words, sizeof *mark.states, &mark.states));
    BI_TRY(ctx->backend->fill(ctx, mark.states, 0, words * sizeof *mark.states));
    BI_TRY(BI_TERRAIN_STEP(ctx, mark_split, bi_terrain_words(g), &mark));
    BI_TRY(BI_TERRAIN_STEP(ctx, mark_commands, mark.view.blocks, &mark));
    struct bi_terrain_refinement step = {.criterion.grid = *g, .states = mark.states};
    BI_TRY(bi_terrain_refine_tree(ctx, terrain, &step));
    return staged ? ctx->backend->sync(ctx) : BOSC_OK;
}

bosc_status bosc_terrain_update(bosc_ctx *ctx, bosc_terrain *terrain, const uint8_t *commands, int64_t command_count)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check_raster(ctx, terrain));
    BI_TRY(bi_terrain_check_array(ctx, "command_count", command_count, "commands", commands, 1));
    BI_RETURN_WITH_SCRATCH(ctx, apply_commands(ctx, terrain, commands, command_count));
}
