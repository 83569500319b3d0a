/* The handle of a terrain: options, checks, the grid of a raster, memory, sizes. */
#include "base/bits.h"
#include "cbt/cbt.h"
#include "core/arena.h"
#include "core/check.h"
#include "terrain/steps/bounds.h"
#include "terrain/terrain.h"

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

bosc_status bi_terrain_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                   size_t size)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)n);
    if (n > (INT64_MAX - (1 << 20)) / (int64_t)size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld elements of %zu bytes are more than memory can hold", n_name,
                       (long long)n, size);
    if (n > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, array, size);
}

bosc_status bi_terrain_check_rows(bosc_ctx *ctx, const char *n_name, int64_t n, size_t size)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)n);
    if (n > INT64_MAX / 2 / (int64_t)size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld rows of %zu bytes are more than memory can hold", n_name,
                       (long long)n, size);
    return BOSC_OK;
}

static bosc_status check_spacing(bosc_ctx *ctx, const char *name, double spacing)
{
    if (spacing >= 0x1p-100 && spacing <= 0x1p+100) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "opts: %s %g is not in 2^-100 to 2^100", name, spacing);
}

static bosc_status check_opts(bosc_ctx *ctx, const bosc_terrain_opts *opts, bosc_terrain_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_terrain_opts", opts, full, sizeof *full));
    if (full->spacing == 0) full->spacing = 1;
    if (full->spacing_y == 0) full->spacing_y = full->spacing;
    if (full->roots != BOSC_TERRAIN_SQUARE && full->roots != BOSC_TERRAIN_TRIANGLE)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: roots %d is neither SQUARE nor TRIANGLE", (int)full->roots);
    BI_TRY(check_spacing(ctx, "spacing", full->spacing));
    return check_spacing(ctx, "spacing_y", full->spacing_y);
}

/* The smallest number of bits with 2^bits >= x; x > 0. */
static int32_t log2_up(int64_t x) { return bi_bit_length((uint64_t)x - 1); }

/* width, height: in samples, 2 or more. *grid is unchanged on failure. */
bosc_status bi_terrain_make_grid(bosc_ctx *ctx, bosc_terrain_roots roots, int64_t width, int64_t height,
                                 struct bi_terrain_grid *grid)
{
    if (width < 2) return bi_fail(ctx, BOSC_ERR_ARG, "width: %lld samples have no area", (long long)width);
    if (height < 2) return bi_fail(ctx, BOSC_ERR_ARG, "height: %lld samples have no area", (long long)height);
    if (width > INT32_MAX / height)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "width, height: %lld x %lld samples are 2^31 or more", (long long)width,
                       (long long)height);
    /* 1. Squares whose side is the smallest power of two that holds the shorter side of the raster. */
    int64_t small = (width < height ? width : height) - 1, large = (width < height ? height : width) - 1;
    struct bi_terrain_grid g = {.width = (int32_t)width,
                                .height = (int32_t)height,
                                .last_x = (int32_t)width - 1,
                                .last_y = (int32_t)height - 1,
                                .side = log2_up(small),
                                .tall = height > width,
                                .half = roots == BOSC_TERRAIN_TRIANGLE};
    if (g.half && (width != height || small != (int64_t)1 << g.side))
        return bi_fail(ctx, BOSC_ERR_ARG, "width, height: a triangle has 2^k + 1 samples on each side, not %lld x %lld",
                       (long long)width, (long long)height);
    /* 2. Levels of the tree: down to the squares and their halves, then two for each power of two of the side. */
    g.tiles = log2_up((large + ((int64_t)1 << g.side) - 1) >> g.side);
    g.first = g.half ? 0 : g.tiles + 1;
    g.depth = g.first + 2 * g.side;
    /* 3. The array of diamonds: samples, and a border (bi_terrain_slot). */
    g.pitch = g.width + g.side + g.tiles + 1;
    g.rows = g.height + g.side + g.tiles + 1;
    if (g.depth > BOSC_CBT_MAX_DEPTH)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "width, height: %lld x %lld samples need a tree of depth %d",
                       (long long)width, (long long)height, (int)g.depth);
    *grid = g;
    return BOSC_OK;
}

bosc_status bosc_terrain_create(bosc_ctx *ctx, const bosc_terrain_opts *opts, bosc_terrain **terrain)
{
    bosc_terrain_opts full;
    BI_ENTER(ctx);
    BI_TRY(check_opts(ctx, opts, &full));
    if (!terrain) return bi_fail(ctx, BOSC_ERR_ARG, "terrain: NULL");
    return BI_NEW_HANDLE(ctx, terrain, .opts = full);
}

void bosc_terrain_free(bosc_terrain *terrain)
{
    if (!terrain) return;
    bosc_cbt_free(terrain->tree);
    bosc_cbt_free(terrain->spare);
    bi_block_free(&terrain->memory, &terrain->heights);
    bi_block_free(&terrain->memory, &terrain->errors);
    bi_block_free(&terrain->memory, &terrain->bounds);
    bi_memory_release(&terrain->host, terrain, sizeof *terrain);
}

void bi_terrain_size_blocks(const struct bi_terrain_grid *g, size_t bytes[BI_TERRAIN_BLOCKS])
{
    bytes[BI_TERRAIN_HEIGHTS] = (size_t)bi_terrain_samples(g) * sizeof(float);
    bytes[BI_TERRAIN_ERRORS] = (size_t)bi_terrain_slots(g) * sizeof(uint32_t);
    bytes[BI_TERRAIN_BOUNDS] = (size_t)bi_terrain_bounds_of(g).count * sizeof(struct bi_terrain_bound);
}

bosc_status bi_terrain_reserve_tree(bosc_ctx *ctx, bosc_terrain *terrain, const struct bi_terrain_grid *g)
{
    const bosc_cbt_opts opts = {.size = sizeof opts, .depth = g->depth, .level = g->first};
    if (terrain->spare && terrain->spare->view.depth != g->depth) {
        bosc_cbt_free(terrain->spare);
        terrain->spare = NULL;
    }
    return terrain->spare ? BOSC_OK : bosc_cbt_create(ctx, &opts, &terrain->spare);
}

enum { SLACK = 1 << 17 }; /* a margin for alignment, small counters and a scan */

/* Upper bound of the scratch of a build, a selection, an update or a mesh. */
static int64_t scratch_bytes(const bosc_ctx *ctx, const struct bi_terrain_grid *g)
{
    int64_t refine = (int64_t)bi_cbt_field_bytes(g->depth) + bi_cbt_install_scratch(ctx, g->depth);
    int64_t update = refine + bi_terrain_state_words(g) * (int64_t)sizeof(uint32_t);
    int64_t mesh = bi_terrain_sample_blocks(g) * (int64_t)(sizeof(uint64_t) + sizeof(uint32_t)) +
                   (int64_t)bi_cbt_rank_bytes(g->depth);
    return (update > mesh ? update : mesh) + SLACK;
}

/* Grows the blocks; blocks in use keep their contents. */
static bosc_status grow_blocks(bosc_ctx *ctx, bosc_terrain *terrain, const struct bi_terrain_grid *g)
{
    struct bi_block *const blocks[] = {&terrain->heights, &terrain->errors, &terrain->bounds};
    size_t bytes[BI_TERRAIN_BLOCKS], used[BI_TERRAIN_BLOCKS] = {0};
    bi_terrain_size_blocks(g, bytes);
    if (terrain->tree) bi_terrain_size_blocks(&terrain->grid, used);
    return bi_blocks_grow(ctx, &terrain->memory, blocks, BI_TERRAIN_BLOCKS, bytes, used);
}

bosc_status bosc_terrain_reserve(bosc_ctx *ctx, bosc_terrain *terrain, int64_t width, int64_t height)
{
    struct bi_terrain_grid grid;
    void *memory;
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check(ctx, terrain));
    BI_TRY(bi_terrain_make_grid(ctx, terrain->opts.roots, width, height, &grid));
    int64_t scratch = scratch_bytes(ctx, &grid) + bi_terrain_samples(&grid) * (int64_t)sizeof(float); /* staged */
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(grow_blocks(ctx, terrain, &grid));
    if (terrain->tree && terrain->grid.depth == grid.depth) return BOSC_OK; /* the next build reuses it */
    return bi_terrain_reserve_tree(ctx, terrain, &grid);
}

bosc_status bosc_terrain_bytes(const bosc_ctx *ctx, const bosc_terrain_opts *opts, int64_t width, int64_t height,
                               int64_t *kept, int64_t *scratch)
{
    bosc_terrain_opts full;
    struct bi_terrain_grid grid;
    size_t bytes[BI_TERRAIN_BLOCKS];
    int64_t sum;
    bosc_ctx *message_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(message_ctx);
    BI_TRY(check_opts(message_ctx, opts, &full));
    BI_TRY(bi_terrain_make_grid(message_ctx, full.roots, width, height, &grid));
    const bosc_cbt_opts tree = {.size = sizeof tree, .depth = grid.depth};
    BI_TRY(bosc_cbt_bytes(ctx, &tree, &sum, NULL, NULL));
    bi_terrain_size_blocks(&grid, bytes);
    for (int b = 0; b < BI_TERRAIN_BLOCKS; b++) sum += (int64_t)bytes[b];
    if (kept) *kept = sum;
    if (scratch) *scratch = scratch_bytes(ctx, &grid);
    return BOSC_OK;
}

const bosc_cbt *bosc_terrain_get_tree(const bosc_terrain *terrain) { return terrain ? terrain->tree : NULL; }

bosc_status bosc_terrain_get_info(bosc_ctx *ctx, const bosc_terrain *terrain, bosc_terrain_info *info)
{
    BI_ENTER(ctx);
    BI_TRY(bi_terrain_check(ctx, terrain));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_terrain_info));
    bosc_terrain_info full = {
        .spacing = terrain->opts.spacing, .roots = terrain->opts.roots, .spacing_y = terrain->opts.spacing_y};
    full.bytes = (int64_t)(terrain->heights.bytes + terrain->errors.bytes + terrain->bounds.bytes);
    if (terrain->spare) full.bytes += bi_cbt_kept_bytes(terrain->spare);
    if (terrain->tree) {
        full.bytes += bi_cbt_kept_bytes(terrain->tree);
        full.width = terrain->grid.width;
        full.height = terrain->grid.height;
        full.depth = terrain->grid.depth;
        full.first_level = terrain->grid.first;
    }
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
