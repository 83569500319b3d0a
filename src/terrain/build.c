/* Builds a terrain: copies a raster, computes the errors of diamonds from the finest up, makes the coarsest mesh. */
#include "cbt/cbt.h"
#include "core/check.h"
#include "terrain/steps/steps.h"
#include "terrain/terrain.h"

/* BOSC_ERR_DATA if a sample is NaN or infinite; *at: the first such one, or UINT64_MAX. */
static bosc_status check_samples(bosc_ctx *ctx, const bosc_terrain *terrain, const uint64_t *at)
{
    const float *heights = terrain->heights.data;
    uint64_t bad, width = (uint64_t)terrain->grid.width;
    float height;
    BI_TRY(bi_read_back(ctx, &bad, at, sizeof bad));
    if (bad == UINT64_MAX) return BOSC_OK;
    BI_TRY(bi_read_back(ctx, &height, heights + bad, sizeof height));
    return bi_fail(ctx, BOSC_ERR_DATA, "heights: row %lld, column %lld is %s", (long long)(bad / width),
                   (long long)(bad % width), height != height ? "NaN" : "infinite");
}

/* Diamonds of this s and more take an item a row of samples. Less: more items of little work; more: large diamonds,
 * which are few, leave threads idle. Not measured. */
enum { ROW_PARALLEL_SIZE = 16 };

static bosc_status find_errors(bosc_ctx *ctx, const bosc_terrain *terrain, int32_t s, bool on_corner)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    struct bi_terrain_errors_level step = {.grid = *g,
                                           .heights = terrain->heights.data,
                                           .errors = terrain->errors.data,
                                           .s = s,
                                           .on_corner = on_corner,
                                           .by_rows = s >= ROW_PARALLEL_SIZE};
    int64_t lines = on_corner ? g->last_y / s + 2 : ((int64_t)g->last_y + 2 * s - 1) / (2 * s);
    step.columns = on_corner ? (g->last_x / s + 1) / 2 + 1 : (int32_t)(((int64_t)g->last_x + 2 * s - 1) / (2 * s));
    return BI_TERRAIN_STEP(ctx, find_errors, lines * step.columns * (step.by_rows ? 2 * s + 1 : 1), &step);
}

/* From the smallest diamonds to the largest. */
static bosc_status find_all_errors(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    for (int32_t t = 0; t < terrain->grid.side; t++) {
        BI_TRY(find_errors(ctx, terrain, (int32_t)1 << t, true));
        BI_TRY(find_errors(ctx, terrain, (int32_t)1 << t, false));
    }
    return BOSC_OK;
}

static bosc_status build_by_steps(bosc_ctx *ctx, const bosc_terrain *terrain, const struct bi_terrain_raster_build *a)
{
    struct bi_terrain_copy copy = {a->from, a->to, terrain->grid.width, a->stride, a->bad};
    struct bi_terrain_bounds_level level = {terrain->grid, a->bounds, a->to, BI_TERRAIN_CELL};
    BI_TRY(BI_TERRAIN_STEP(ctx, copy_raster, bi_terrain_samples(&terrain->grid), &copy));
    for (; level.level <= level.bounds.top; level.level++) {
        int64_t across = bi_terrain_cell_count(level.grid.last_x, level.level);
        BI_TRY(
            BI_TERRAIN_STEP(ctx, find_bounds, across * bi_terrain_cell_count(level.grid.last_y, level.level), &level));
    }
    return find_all_errors(ctx, terrain);
}

static bosc_status build_raster(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t stride)
{
    const struct bi_terrain_grid *g = &terrain->grid;
    const struct bi_backend *backend = ctx->backend;
    struct bi_terrain_raster_build step = {.grid = *g,
                                           .to = terrain->heights.data,
                                           .stride = stride,
                                           .errors = terrain->errors.data,
                                           .bounds = bi_terrain_bounds_of(g)};
    const void *reach;
    bool staged = false;
    step.bounds.cells = terrain->bounds.data;
    BI_TRY(bi_stage_in(ctx, heights, (size_t)((g->height - 1) * stride + g->width) * sizeof *heights, &reach, &staged));
    step.from = reach;
    if (!terrain->opts.assume_valid) {
        BI_TRY(bi_scratch_of(ctx, 1, sizeof *step.bad, &step.bad));
        BI_TRY(backend->fill(ctx, step.bad, 0xff, sizeof *step.bad));
    }
    BI_TRY(backend->fill(ctx, step.errors, 0, (size_t)bi_terrain_slots(g) * sizeof *step.errors));
    if (ctx->ops->terrain->build_raster && g->side >= 6 && !g->half) /* squares of 64 intervals: see terrain.h */
        BI_TRY(ctx->ops->terrain->build_raster(ctx, &step));
    else
        BI_TRY(build_by_steps(ctx, terrain, &step));
    if (step.bad) return check_samples(ctx, terrain, step.bad);
    return staged ? backend->sync(ctx) : BOSC_OK;
}

static bosc_status build_terrain(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t stride)
{
    size_t bytes[BI_TERRAIN_BLOCKS];
    bi_terrain_size_blocks(&terrain->grid, bytes);
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->heights, bytes[BI_TERRAIN_HEIGHTS]));
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->errors, bytes[BI_TERRAIN_ERRORS]));
    BI_TRY(bi_block_reserve(ctx, &terrain->memory, &terrain->bounds, bytes[BI_TERRAIN_BOUNDS]));
    BI_TRY(build_raster(ctx, terrain, heights, stride));
    if (terrain->spare && terrain->spare->view.depth == terrain->grid.depth)
        BI_TRY(bosc_cbt_reset(ctx, terrain->spare, terrain->grid.first));
    else
        BI_TRY(bi_terrain_reserve_tree(ctx, terrain, &terrain->grid));
    terrain->tree = terrain->spare;
    terrain->spare = NULL;
    return BOSC_OK;
}

/* Detaches the raster. Its tree becomes the spare one, unless a spare tree of the next depth exists. */
static void release_raster(bosc_terrain *terrain, int32_t next_depth)
{
    if (!terrain->tree) return;
    bool keep_spare = terrain->spare && terrain->spare->view.depth == next_depth;
    bosc_cbt_free(keep_spare ? terrain->tree : terrain->spare);
    if (!keep_spare) terrain->spare = terrain->tree;
    terrain->tree = NULL;
}

bosc_status bosc_terrain_build(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t width,
                               int64_t height, int64_t stride)
{
    struct bi_terrain_grid grid;
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check(ctx, terrain));
    if (!heights) return bi_fail(ctx, BOSC_ERR_ARG, "heights: NULL");
    BI_TRY(bi_check_aligned(ctx, "heights", heights, sizeof *heights));
    BI_TRY(bi_terrain_make_grid(ctx, terrain->opts.roots, width, height, &grid));
    if (stride == 0) stride = width;
    if (stride < width)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld heights of a row", (long long)stride,
                       (long long)width);
    if (stride > INT64_MAX / 8 / height)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld rows of %lld heights are more than memory can hold",
                       (long long)height, (long long)stride);
    release_raster(terrain, grid.depth);
    terrain->grid = grid;
    bi_progress_set_total(ctx, 3 * (double)width * (double)height);
    BI_RETURN_WITH_SCRATCH(ctx, build_terrain(ctx, terrain, heights, stride));
}
