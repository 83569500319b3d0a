/* The driver that takes a raster: checks, errors of diamonds from the finest up, and the coarsest mesh. */
#include "terrain/terrain.h"

/* Says so if a sample was found that is no height. */
static bosc_status refuse_bad(bosc_ctx *ctx, const bosc_terrain *terrain, const uint64_t *at)
{
    const float *heights = terrain->heights.data;
    uint64_t bad, w = (uint64_t)terrain->grid.w;
    float height;
    BI_TRY(bi_read_back(ctx, &bad, at, sizeof bad));
    if (bad == UINT64_MAX) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, &height, heights + bad, sizeof height));
    return bi_fail(ctx, BOSC_ERR_DATA, "heights: row %lld, column %lld is %s", (long long)(bad / w),
                   (long long)(bad % w), height != height ? "NaN" : "infinite");
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

/* From the smallest diamonds to the largest. */
static bosc_status errors_of_all(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    for (int32_t t = 0; t < terrain->grid.side; t++) {
        BI_TRY(errors_of(ctx, terrain, (int32_t)1 << t, true));
        BI_TRY(errors_of(ctx, terrain, (int32_t)1 << t, false));
    }
    return BOSC_OK;
}

static bosc_status read_by_steps(bosc_ctx *ctx, const bosc_terrain *terrain, const struct bi_terrain_reading *reading)
{
    struct bi_terrain_take take = {reading->from, reading->to, terrain->grid.w, reading->stride, reading->bad};
    struct bi_terrain_bind bind = {terrain->grid, reading->bounds, reading->to, BI_TERRAIN_CELL};
    BI_TRY(BI_TERRAIN_STEP(ctx, take, bi_terrain_samples(&terrain->grid), &take));
    for (; bind.level <= bind.bounds.top; bind.level++) {
        int64_t across = bi_terrain_cells(bind.grid.last_x, bind.level);
        BI_TRY(BI_TERRAIN_STEP(ctx, bind, across * bi_terrain_cells(bind.grid.last_y, bind.level), &bind));
    }
    return errors_of_all(ctx, terrain);
}

static bosc_status take(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t stride)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    const struct bi_backend *backend = ctx->backend;
    struct bi_terrain_reading reading = {.grid = *g,
                                         .to = terrain->heights.data,
                                         .stride = stride,
                                         .errors = terrain->errors.data,
                                         .bounds = bi_terrain_bounds_of(g)};
    const void *reach;
    bool staged = false;
    reading.bounds.cells = terrain->bounds.data;
    BI_TRY(bi_stage_in(ctx, heights, (size_t)((g->h - 1) * stride + g->w) * sizeof *heights, &reach, &staged));
    reading.from = reach;
    if (!terrain->opts.assume_valid) {
        BI_TRY(bi_cbt_scratch(ctx, 1, sizeof *reading.bad, &reading.bad));
        BI_TRY(backend->fill(ctx, reading.bad, 0xff, sizeof *reading.bad));
    }
    BI_TRY(backend->fill(ctx, reading.errors, 0, (size_t)bi_terrain_slots(g) * sizeof *reading.errors));
    if (ctx->ops->terrain->read && g->side >= 6 && !g->half)
        BI_TRY(ctx->ops->terrain->read(ctx, &reading));
    else
        BI_TRY(read_by_steps(ctx, terrain, &reading));
    if (reading.bad) return refuse_bad(ctx, terrain, reading.bad);
    return staged ? backend->sync(ctx) : BOSC_OK;
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
    size_t cells = (size_t)bi_terrain_bounds_of(g).count;
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->heights, samples * sizeof(float)));
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->errors, slots * sizeof(uint32_t)));
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->bounds, cells * sizeof(struct bi_terrain_bound)));
    BI_TRY(take(ctx, terrain, heights, stride));
    BI_TRY(take_tree(ctx, terrain, &tree));
    terrain->tree = tree;
    terrain->spare = NULL;
    return BOSC_OK;
}
