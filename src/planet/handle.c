/* The handle of a planet: options, checks, layouts, info. */
#include "core/arena.h"
#include "core/check.h"
#include "planet/steps/raster.h"
#include "planet/tiles.h"

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
    const int64_t leaf = sizeof(struct bi_planet_leaf), have = (int64_t)leaves->bytes / leaf;
    return bi_block_reserve(ctx, &planet->memory, leaves,
                            (size_t)((count > have && have > 0 ? count + count / 4 : count) * leaf));
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

size_t bi_planet_sample_bytes(const struct bi_planet_view *layout)
{
    return (size_t)layout->width * (size_t)layout->height * sizeof(float);
}

size_t bi_planet_cell_bytes(const struct bi_planet_view *layout)
{
    return (size_t)bi_planet_total_cells(layout) * sizeof(struct bi_planet_cell);
}

const bosc_bisectors *bosc_planet_get_pool(const bosc_planet *planet) { return planet ? planet->pool : NULL; }

bosc_status bosc_planet_get_info(bosc_ctx *ctx, const bosc_planet *planet, bosc_planet_info *info)
{
    bosc_bisectors_info pool = {.size = sizeof pool};
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check(ctx, planet));
    BI_TRY(BI_CHECK_INFO(ctx, info, bosc_planet_info));
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
