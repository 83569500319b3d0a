/* The driver that takes a raster: checks, errors of diamonds from the finest up, and the coarsest mesh. */
#include "cbt/terrain.h"

static bosc_status take(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t stride)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    struct bi_terrain_take take = {.to = terrain->heights.data, .w = g->w, .stride = stride};
    const void *reach;
    bool staged = false;
    uint64_t bad;
    BI_TRY(bi_stage_in(ctx, heights, (size_t)((g->h - 1) * stride + g->w) * sizeof *heights, &reach, &staged));
    take.from = reach;
    if (!terrain->opts.assume_valid) {
        BI_TRY(bi_cbt_scratch(ctx, 1, sizeof bad, &take.bad));
        BI_TRY(ctx->backend->fill(ctx, take.bad, 0xff, sizeof bad));
    }
    BI_TRY(BI_TERRAIN_STEP(ctx, take, bi_terrain_samples(g), &take));
    if (!take.bad) return staged ? ctx->backend->sync(ctx) : BOSC_OK;
    BI_TRY(bi_read_back(ctx, &bad, take.bad, sizeof bad));
    if (bad == UINT64_MAX) return BOSC_OK;
    float height;
    BI_TRY(bi_read_back(ctx, &height, take.to + bad, sizeof height));
    return bi_fail(ctx, BOSC_ERR_DATA, "heights: row %lld, column %lld is %s", (long long)(bad / (uint64_t)g->w),
                   (long long)(bad % (uint64_t)g->w), height != height ? "NaN" : "infinite");
}

enum { BI_TERRAIN_LARGE = 16 }; /* diamonds of this s and more are shared by rows */

static bosc_status errors_of(bosc_ctx *ctx, const bosc_terrain *terrain, int32_t s, bool cornered)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    struct bi_terrain_errors step = {.grid = *g,
                                     .heights = terrain->heights.data,
                                     .errors = terrain->errors.data,
                                     .s = s,
                                     .cornered = cornered,
                                     .by_rows = s >= BI_TERRAIN_LARGE};
    int64_t lines = cornered ? g->last_y / s + 2 : ((int64_t)g->last_y + 2 * s - 1) / (2 * s);
    step.columns = cornered ? (g->last_x / s + 1) / 2 + 1 : (int32_t)(((int64_t)g->last_x + 2 * s - 1) / (2 * s));
    return BI_TERRAIN_STEP(ctx, errors, lines * step.columns * (step.by_rows ? 2 * s + 1 : 1), &step);
}

static bosc_status find_errors(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    struct bi_terrain_range range = {terrain->heights.data, terrain->range.data, bi_terrain_samples(g)};
    BI_TRY(ctx->backend->fill(ctx, terrain->errors.data, 0, (size_t)bi_terrain_slots(g) * sizeof(uint32_t)));
    BI_TRY(ctx->backend->fill(ctx, range.range, 0xff, 2 * sizeof *range.range));
    BI_TRY(BI_TERRAIN_STEP(ctx, range, (range.n + BI_TERRAIN_RUN - 1) / BI_TERRAIN_RUN, &range));
    for (int32_t t = 0; t < g->side; t++) {
        BI_TRY(errors_of(ctx, terrain, (int32_t)1 << t, true));
        BI_TRY(errors_of(ctx, terrain, (int32_t)1 << t, false));
    }
    return BOSC_OK;
}

/* The tree of the last raster, if it is of this depth, or a new one; with the largest triangles as leaves. */
static bosc_status take_tree(bosc_ctx *ctx, bosc_terrain *terrain, bosc_cbt **tree)
{
    bosc_cbt_opts opts = {.size = sizeof opts, .depth = terrain->grid.depth, .level = terrain->grid.first};
    if (terrain->spare && terrain->spare->opts.depth != opts.depth) {
        bosc_cbt_free(terrain->spare);
        terrain->spare = NULL;
    }
    if (!terrain->spare)
        BI_TRY(bosc_cbt_create(ctx, &opts, &terrain->spare));
    else
        BI_TRY(bosc_cbt_reset(ctx, terrain->spare, opts.level));
    *tree = terrain->spare;
    return BOSC_OK;
}

bosc_status bi_terrain_build(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t stride)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    bosc_cbt *tree;
    size_t samples = (size_t)bi_terrain_samples(g), slots = (size_t)bi_terrain_slots(g);
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->heights, samples * sizeof(float)));
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->errors, slots * sizeof(uint32_t)));
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->range, 2 * sizeof(uint32_t)));
    BI_TRY(take(ctx, terrain, heights, stride));
    BI_TRY(find_errors(ctx, terrain));
    BI_TRY(take_tree(ctx, terrain, &tree));
    terrain->tree = tree;
    terrain->spare = NULL;
    return BOSC_OK;
}
