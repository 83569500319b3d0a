/* The front door of terrains: handles, options, and what every call checks. */
#include <string.h>

#include "terrain/terrain.h"
#include "core/call.h"

bosc_status bi_terrain_check(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    return bi_check_handle(ctx, "terrain", terrain ? &terrain->memory : NULL);
}

bosc_status bi_terrain_check_raster(bosc_ctx *ctx, const bosc_terrain *terrain)
{
    BI_TRY(bi_terrain_check(ctx, terrain));
    if (!terrain->tree) return bi_fail(ctx, BOSC_ERR_ARG, "terrain: it has no raster yet");
    return BOSC_OK;
}

bosc_status bi_terrain_check_rows(bosc_ctx *ctx, const char *n_name, int64_t n, size_t size)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)n);
    if (n > INT64_MAX / 2 / (int64_t)size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %zu bytes are more than memory can hold", n_name,
                       (long long)n, size);
    return BOSC_OK;
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_terrain_opts *opts, bosc_terrain_opts *full)
{
    BI_TRY(bi_take_opts(ctx, "bosc_terrain_opts", opts, full, sizeof *full));
    if (full->spacing == 0) full->spacing = 1;
    if (full->roots != BOSC_TERRAIN_SQUARE && full->roots != BOSC_TERRAIN_TRIANGLE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: roots %d is neither SQUARE nor TRIANGLE", (int)full->roots);
    if (!(full->spacing >= 0x1p-100 && full->spacing <= 0x1p+100))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: spacing %g is not in 2^-100 to 2^100", full->spacing);
    return BOSC_OK;
}

/* 2^bits is x or more. */
static int32_t bits_for(int64_t x)
{
    int32_t bits = 0;
    while ((int64_t)1 << bits < x) bits++;
    return bits;
}

bosc_status bi_terrain_shape(bosc_ctx *ctx, bosc_terrain_roots roots, int64_t w, int64_t h,
                             struct bi_terrain_grid *grid)
{
    if (w < 2) return bi_fail(ctx, BOSC_ERR_ARG, "w: %lld samples have no area", (long long)w);
    if (h < 2) return bi_fail(ctx, BOSC_ERR_ARG, "h: %lld samples have no area", (long long)h);
    if (w > INT32_MAX / h)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "w, h: %lld x %lld samples are 2^31 or more", (long long)w, (long long)h);
    int64_t small = (w < h ? w : h) - 1, large = (w < h ? h : w) - 1;
    struct bi_terrain_grid g = {.w = (int32_t)w,
                                .h = (int32_t)h,
                                .last_x = (int32_t)w - 1,
                                .last_y = (int32_t)h - 1,
                                .side = bits_for(small),
                                .tall = h > w,
                                .half = roots == BOSC_TERRAIN_TRIANGLE};
    if (g.half && (w != h || small != (int64_t)1 << g.side))
        return bi_fail(ctx, BOSC_ERR_ARG, "w, h: a triangle has 2^k + 1 samples on each side, not %lld x %lld",
                       (long long)w, (long long)h);
    g.tiles = bits_for((large + ((int64_t)1 << g.side) - 1) >> g.side);
    g.first = g.half ? 0 : g.tiles + 1;
    g.depth = g.first + 2 * g.side;
    g.pitch = g.w + g.side + g.tiles + 1;
    g.rows = g.h + g.side + g.tiles + 1;
    if (g.depth > BOSC_CBT_MAX_DEPTH)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "w, h: %lld x %lld samples need a tree of depth %d", (long long)w,
                       (long long)h, (int)g.depth);
    *grid = g;
    return BOSC_OK;
}

bosc_status bosc_terrain_create(bosc_ctx *ctx, const bosc_terrain_opts *opts, bosc_terrain **terrain)
{
    bosc_terrain_opts full;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    if (!terrain) return bi_fail(ctx, BOSC_ERR_ARG, "terrain: NULL");
    bosc_terrain *fresh = bi_host_alloc(ctx, sizeof *fresh);
    if (!fresh) return BOSC_ERR_NOMEM;
    *fresh = (bosc_terrain){.memory = ctx->memory, .host = ctx->host, .opts = full};
    *terrain = fresh;
    return BOSC_OK;
}

void bosc_terrain_free(bosc_terrain *terrain)
{
    if (!terrain) return;
    struct bi_memory host = terrain->host;
    bosc_cbt_free(terrain->tree);
    bosc_cbt_free(terrain->spare);
    bi_block_free(&terrain->memory, &terrain->heights);
    bi_block_free(&terrain->memory, &terrain->errors);
    bi_block_free(&terrain->memory, &terrain->bounds);
    bi_memory_release(&host, terrain, sizeof *terrain);
}

bosc_status bosc_terrain_build(bosc_ctx *ctx, bosc_terrain *terrain, const float *heights, int64_t w, int64_t h,
                               int64_t stride)
{
    struct bi_terrain_grid grid;
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check(ctx, terrain));
    if (!heights) return bi_fail(ctx, BOSC_ERR_ARG, "heights: NULL");
    BI_TRY(bi_check_aligned(ctx, "heights", heights, sizeof *heights));
    BI_TRY(bi_terrain_shape(ctx, terrain->opts.roots, w, h, &grid));
    if (stride < w)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld is less than the %lld heights of a row", (long long)stride,
                       (long long)w);
    if (stride > INT64_MAX / 8 / h)
        return bi_fail(ctx, BOSC_ERR_ARG, "stride: %lld rows of %lld heights are more than memory can hold",
                       (long long)h, (long long)stride);
    if (terrain->tree) {
        bosc_cbt_free(terrain->spare);
        terrain->spare = terrain->tree;
        terrain->tree = NULL;
    }
    terrain->grid = grid;
    BI_RETURN_WITH_SCRATCH(ctx, bi_terrain_build(ctx, terrain, heights, stride));
}

const bosc_cbt *bosc_terrain_tree(const bosc_terrain *terrain) { return terrain ? terrain->tree : NULL; }

bosc_status bosc_terrain_get_info(const bosc_terrain *terrain, bosc_terrain_info *info)
{
    if (!terrain || !info || info->size < sizeof(size_t) || info->size > sizeof *info) return BOSC_ERR_ARG;
    bosc_terrain_info full = {.size = info->size, .spacing = terrain->opts.spacing, .roots = terrain->opts.roots};
    full.bytes = (int64_t)(terrain->heights.bytes + terrain->errors.bytes + terrain->bounds.bytes);
    if (terrain->tree) {
        const bosc_cbt *tree = terrain->tree;
        full.bytes += (int64_t)(tree->bits.bytes + tree->ranks.bytes + tree->commands.bytes + tree->heap.bytes +
                                tree->meeting.bytes);
        full.w = terrain->grid.w;
        full.h = terrain->grid.h;
        full.depth = terrain->grid.depth;
        full.first_level = terrain->grid.first;
    }
    memcpy(info, &full, info->size);
    return BOSC_OK;
}

bosc_status bosc_terrain_bytes(const bosc_ctx *ctx, const bosc_terrain_opts *opts, int64_t w, int64_t h, int64_t *kept,
                               int64_t *scratch)
{
    bosc_terrain_opts full;
    struct bi_terrain_grid grid;
    if (!ctx) return BOSC_ERR_ARG;
    BI_TRY(check_opts((bosc_ctx *)ctx, opts, &full));
    BI_TRY(bi_terrain_shape((bosc_ctx *)ctx, full.roots, w, h, &grid));
    bosc_cbt_opts tree = {.size = sizeof tree, .depth = grid.depth};
    int64_t own;
    BI_TRY(bosc_cbt_bytes(ctx, &tree, &own, NULL, NULL));
    int64_t cells = bi_terrain_bounds_of(&grid).count;
    if (kept)
        *kept = (bi_terrain_samples(&grid) + bi_terrain_slots(&grid)) * 4 +
                cells * (int64_t)sizeof(struct bi_terrain_bound) + own;
    if (scratch) *scratch = 256; /* where bad samples are told of */
    return BOSC_OK;
}
