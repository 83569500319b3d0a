/* The handle of a planet: options, checks, memory, sizes. */
#include "core/arena.h"
#include "core/check.h"
#include "planet/steps/criterion.h"
#include "planet/steps/raster.h"
#include "planet/tiles.h"

/* Bytes of scratch a leaf; SLACK: a margin for alignment and scans. */
enum {
    SLACK = 1 << 17,
    LEAF = sizeof(struct bi_planet_leaf),
    COMMAND = 1,
    SOURCES = 4 * 8,           /* of at most 4 new leaves */
    SAVED_LEAF = 8 + 12 + LEAF /* a search by a budget copies node, neighbours and leaf */
};
enum { MULTIPLE_COUNTS = 4 * BI_PLANET_MULTIPLES, SCRATCH = COMMAND + SOURCES + SAVED_LEAF };

bosc_status bi_planet_check(bosc_ctx *ctx, const bosc_planet *planet)
{
    return bi_check_handle(ctx, "planet", planet ? &planet->memory : NULL);
}

bosc_status bi_planet_check_raster(bosc_ctx *ctx, const bosc_planet *planet)
{
    BI_TRY(bi_planet_check(ctx, planet));
    if (planet->view.width == 0) return bi_fail(ctx, BOSC_ERR_ARG, "planet: it has no raster yet");
    return BOSC_OK;
}

bosc_status bi_planet_check_mesh(bosc_ctx *ctx, const bosc_planet *planet)
{
    BI_TRY(bi_planet_check_raster(ctx, planet));
    if (planet->stale)
        return bi_fail(ctx, BOSC_ERR_ARG, "planet: its last change failed halfway: build, select or update it again");
    return BOSC_OK;
}

bosc_status bi_planet_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                  size_t size, size_t align)
{
    if (n < 0) return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld is less than 0", n_name, (long long)n);
    if (n > INT64_MAX / 2 / (int64_t)size)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld elements of %zu bytes are more than memory can hold", n_name,
                       (long long)n, size);
    if (n > 0 && !array) return bi_fail(ctx, BOSC_ERR_ARG, "%s: NULL", name);
    return bi_check_aligned(ctx, name, array, align);
}

static bosc_status check_detail(bosc_ctx *ctx, bosc_planet_opts *o)
{
    if (o->detail_octaves < 0 || o->detail_octaves > 32)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: detail_octaves %d is not in 0 to 32", (int)o->detail_octaves);
    if (o->detail_octaves == 0) o->detail_octaves = 16;
    if (!(o->detail_amplitude >= 0 && o->detail_amplitude <= o->radius / 16))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: detail_amplitude %g is not in 0 to radius / 16", o->detail_amplitude);
    if (o->detail_wavelength != 0 &&
        !(o->detail_wavelength >= o->radius / 65536 && o->detail_wavelength <= 16 * o->radius))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: detail_wavelength %g is not in radius / 65536 to 16 radius",
                       o->detail_wavelength);
    return BOSC_OK;
}

bosc_status bi_planet_check_opts(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet_opts *full)
{
    BI_TRY(bi_read_opts(ctx, "bosc_planet_opts", opts, full, sizeof *full));
    if (full->radius == 0) full->radius = 6371000; /* the mean radius of the earth in metres */
    if (!(full->radius >= 0x1p-60 && full->radius <= 0x1p+60))
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: radius %g is not in 2^-60 to 2^60", full->radius);
    if (full->depth < 0 || full->depth > BOSC_BISECTORS_MAX_DEPTH)
        return bi_fail(ctx, BOSC_ERR_ARG, "opts: depth %d is not in 0 to %d", (int)full->depth,
                       BOSC_BISECTORS_MAX_DEPTH);
    if (full->depth == 0) full->depth = BOSC_BISECTORS_MAX_DEPTH;
    return check_detail(ctx, full);
}

bosc_status bi_planet_set_layout(bosc_ctx *ctx, int64_t width, int64_t height, struct bi_planet_view *view)
{
    if (width < 1) return bi_fail(ctx, BOSC_ERR_ARG, "width: %lld is less than 1", (long long)width);
    if (height < 1) return bi_fail(ctx, BOSC_ERR_ARG, "height: %lld is less than 1", (long long)height);
    if (width > INT32_MAX / height)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "width, height: %lld x %lld samples are 2^31 or more", (long long)width,
                       (long long)height);
    view->width = (int32_t)width;
    view->height = (int32_t)height;
    int64_t count = 0;
    for (int32_t level = BI_PLANET_CELL;; level++) {
        const int64_t cells =
            (int64_t)bi_planet_cell_count(view->width, level) * bi_planet_cell_count(view->height, level);
        view->first[level] = count;
        view->top = level;
        count += cells;
        if (cells == 1) return BOSC_OK;
    }
}

int64_t bi_planet_total_cells(const struct bi_planet_view *view) { return view->first[view->top] + 1; }

bosc_status bi_planet_reserve_leaves(bosc_ctx *ctx, const bosc_planet *planet, struct bi_block *leaves, int64_t count)
{
    /* A growing array gets a quarter more, so that a mesh that grows slowly does not allocate each time. */
    const int64_t have = (int64_t)(leaves->bytes / LEAF);
    return bi_block_reserve(ctx, &planet->memory, leaves,
                            (size_t)(count > have && have > 0 ? count + count / 4 : count) * LEAF);
}

void bosc_planet_free(bosc_planet *planet)
{
    if (!planet) return;
    struct bi_block *const blocks[] = {&planet->heights, &planet->cells, &planet->poles, &planet->noise,
                                       &planet->current, &planet->next,  &planet->insets};
    for (int b = 0; b < 7; b++) bi_block_free(&planet->memory, blocks[b]);
    for (int k = 0; k < BOSC_PLANET_INSETS; k++) {
        bi_block_free(&planet->memory, &planet->inset[k].heights);
        bi_block_free(&planet->memory, &planet->inset[k].cells);
    }
    bi_planet_cache_free(planet->cache);
    bosc_bisectors_free(planet->pool);
    bi_memory_release(&planet->host, planet, sizeof *planet);
}

static int64_t height_bytes(const struct bi_planet_view *view)
{
    return (int64_t)view->width * view->height * (int64_t)sizeof(float);
}

static int64_t cell_bytes(const struct bi_planet_view *view)
{
    return bi_planet_total_cells(view) * (int64_t)sizeof(struct bi_planet_cell);
}

/* Bytes of a pool with this many leaves. */
static bosc_status pool_bytes(const bosc_ctx *ctx, int32_t depth, int64_t triangles, int64_t *kept, int64_t *scratch)
{
    const bosc_bisectors_opts pool = {.size = sizeof pool, .depth = depth, .root_count = BI_PLANET_ROOTS};
    return bosc_bisectors_bytes(ctx, &pool, triangles, kept, scratch);
}

static bosc_status check_triangles(bosc_ctx *ctx, int64_t triangles)
{
    if (triangles >= 0) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_ARG, "triangles: %lld is less than 0", (long long)triangles);
}

bosc_status bosc_planet_bytes(const bosc_ctx *ctx, const bosc_planet_opts *opts, int64_t width, int64_t height,
                              int64_t triangles, int64_t *kept, int64_t *scratch)
{
    bosc_planet_opts full;
    struct bi_planet_view view = {0};
    int64_t pool_kept, pool_scratch;
    bosc_ctx *message_ctx = (bosc_ctx *)(uintptr_t)ctx; /* only its message is written */
    BI_ENTER(message_ctx);
    BI_TRY(bi_planet_check_opts(message_ctx, opts, &full));
    BI_TRY(bi_planet_set_layout(message_ctx, width, height, &view));
    BI_TRY(check_triangles(message_ctx, triangles));
    BI_TRY(pool_bytes(ctx, full.depth, triangles, &pool_kept, &pool_scratch));
    const int64_t noise = full.detail_amplitude > 0 ? BI_PLANET_NOISE * (int64_t)sizeof(struct bi_planet_noise) : 0;
    if (kept)
        *kept = pool_kept + height_bytes(&view) + cell_bytes(&view) + noise + 2 * (int64_t)sizeof(double) +
                2 * LEAF * triangles;
    if (scratch) *scratch = pool_scratch + SCRATCH * triangles + MULTIPLE_COUNTS + SLACK;
    return BOSC_OK;
}

bosc_status bosc_planet_reserve(bosc_ctx *ctx, bosc_planet *planet, int64_t width, int64_t height, int64_t triangles)
{
    struct bi_planet_view view = {0};
    int64_t scratch;
    void *memory;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    BI_TRY(bi_planet_set_layout(ctx, width, height, &view));
    BI_TRY(check_triangles(ctx, triangles));
    BI_TRY(pool_bytes(ctx, planet->opts.depth, triangles, NULL, &scratch));
    struct bi_block *const blocks[] = {&planet->heights, &planet->cells, &planet->current, &planet->next};
    const size_t leaves = (size_t)triangles * LEAF;
    const size_t bytes[] = {(size_t)height_bytes(&view), (size_t)cell_bytes(&view), leaves, leaves};
    /* Contents of the blocks in use move; a raster read by tiles has its samples in its cache. */
    const bool has = planet->view.width > 0, tiled = planet->cache != NULL;
    const size_t used[] = {has && !tiled ? (size_t)height_bytes(&planet->view) : 0,
                           has ? (size_t)cell_bytes(&planet->view) : 0,
                           has && !planet->stale ? (size_t)bi_planet_pool(planet)->leaves * LEAF : 0, 0};
    scratch += SCRATCH * triangles + MULTIPLE_COUNTS + SLACK;
    BI_TRY_WITH_SCRATCH(ctx, bi_scratch(ctx, (size_t)scratch, &memory));
    BI_TRY(bosc_bisectors_reserve(ctx, planet->pool, triangles));
    BI_TRY(bi_blocks_grow(ctx, &planet->memory, blocks, 4, bytes, used));
    if (!tiled) planet->view.heights = planet->heights.data;
    planet->view.cells = planet->cells.data;
    return BOSC_OK;
}

const bosc_bisectors *bosc_planet_get_pool(const bosc_planet *planet) { return planet ? planet->pool : NULL; }

bosc_status bosc_planet_get_info(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_info *info)
{
    bosc_bisectors_info pool = {.size = sizeof pool};
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    if (!info) return bi_fail(ctx, BOSC_ERR_ARG, "info: NULL");
    BI_TRY(bi_check_info(ctx, "info", "bosc_planet_info", info->size, sizeof *info));
    BI_TRY(bosc_bisectors_get_info(ctx, planet->pool, &pool));
    /* 1. The facts. */
    const struct bi_block *const blocks[] = {&planet->heights, &planet->cells, &planet->poles, &planet->noise,
                                             &planet->current, &planet->next,  &planet->insets};
    bosc_planet_info full = {.width = planet->view.width,
                             .height = planet->view.height,
                             .triangles = pool.leaves,
                             .vertices = pool.leaves / 2 + 2,
                             .bytes = pool.bytes,
                             .radius = planet->opts.radius,
                             .low = planet->view.low,
                             .high = planet->view.high,
                             .depth = planet->opts.depth,
                             .deepest = pool.deepest,
                             .insets = planet->view.inset_count};
    /* 2. The memory. */
    full.bytes += bi_planet_cache_bytes(planet->cache);
    for (int b = 0; b < 7; b++) full.bytes += (int64_t)blocks[b]->bytes;
    for (int k = 0; k < BOSC_PLANET_INSETS; k++)
        full.bytes += (int64_t)(planet->inset[k].heights.bytes + planet->inset[k].cells.bytes);
    bi_copy_info(info, &full, sizeof full);
    return BOSC_OK;
}
