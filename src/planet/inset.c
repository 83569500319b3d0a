/* Lays insets over the raster of a planet. The memory of a new inset is used by the planet once all of it is known, so
 * that a failure leaves the insets that there were. */
#include "core/check.h"
#include "planet/tiles.h"

enum { MIN_SIDE = 3 };                 /* samples, so that a border of one sample at each side leaves one */
enum { BORDER_SHARE = 16 };            /* of the shorter side: the default border. Chosen by eye */
static const double MAX_DEGREES = 360; /* of longitudes, to the east and to the west */

/* ---- checks ---- */

static bosc_status check_bounds(bosc_ctx *ctx, const bosc_planet_inset *i)
{
    if (!(i->west >= -MAX_DEGREES && i->west < i->east && i->east <= MAX_DEGREES && i->east - i->west <= 360))
        return bi_fail(ctx, BOSC_ERR_ARG, "inset: longitudes %g to %g are not in -360 to 360, and at most 360 apart",
                       i->west, i->east);
    if (!(i->south >= -90 && i->south < i->north && i->north <= 90))
        return bi_fail(ctx, BOSC_ERR_ARG, "inset: latitudes %g to %g are not in -90 to 90", i->south, i->north);
    return BOSC_OK;
}

bosc_status bi_planet_set_inset_layout(bosc_ctx *ctx, const char *name, int64_t width, int64_t height,
                                       struct bi_planet_view *layout)
{
    if (width < MIN_SIDE || height < MIN_SIDE)
        return bi_fail(ctx, BOSC_ERR_ARG, "%s: %lld x %lld samples are less than %d x %d", name, (long long)width,
                       (long long)height, MIN_SIDE, MIN_SIDE);
    if (width > INT32_MAX / height)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%s: %lld x %lld samples are 2^31 or more", name, (long long)width,
                       (long long)height);
    return bi_planet_set_layout(ctx, width, height, layout);
}

static bosc_status check_shape(bosc_ctx *ctx, bosc_planet_inset *i)
{
    struct bi_planet_view layout = {0};
    BI_TRY(bi_planet_set_inset_layout(ctx, "inset", i->width, i->height, &layout));
    const int64_t shorter = i->width < i->height ? i->width : i->height;
    if (i->border == 0) i->border = (int32_t)(shorter < BORDER_SHARE ? 1 : shorter / BORDER_SHARE);
    if (i->border < 0 || i->border > (shorter - 1) / 2)
        return bi_fail(ctx, BOSC_ERR_ARG, "inset: border %d is not in 0 to %lld, half the shorter side", (int)i->border,
                       (long long)((shorter - 1) / 2));
    if (i->stride == 0) i->stride = i->width;
    if (i->stride < i->width)
        return bi_fail(ctx, BOSC_ERR_ARG, "inset: stride %lld is less than the %lld heights of a row",
                       (long long)i->stride, (long long)i->width);
    if (i->stride > INT64_MAX / 8 / i->height)
        return bi_fail(ctx, BOSC_ERR_ARG, "inset: %lld rows of %lld heights are more than memory can hold",
                       (long long)i->height, (long long)i->stride);
    return BOSC_OK;
}

bosc_status bi_planet_check_inset(bosc_ctx *ctx, bosc_planet_inset *inset)
{
    BI_TRY(check_shape(ctx, inset));
    return check_bounds(ctx, inset);
}

static bosc_status check_inset(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_inset *inset,
                               bosc_planet_inset *full)
{
    if (!inset) return bi_fail(ctx, BOSC_ERR_ARG, "inset: NULL");
    BI_TRY(bi_check_size(ctx, "inset", "bosc_planet_inset", inset->size, sizeof *full));
    BI_TRY(bi_read_opts(ctx, "bosc_planet_inset", inset, full, sizeof *full));
    BI_TRY(bi_planet_check_values(ctx, "inset", &full->dtype, &full->scale, full->offset));
    BI_TRY(bi_planet_check_inset(ctx, full));
    if (!full->heights) return bi_fail(ctx, BOSC_ERR_ARG, "inset: heights is NULL");
    BI_TRY(bi_check_aligned(ctx, "inset: heights", full->heights, bosc_dtype_size(full->dtype)));
    if (planet->view.inset_count < BOSC_PLANET_INSETS) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_LIMIT, "planet: it has %d insets already", BOSC_PLANET_INSETS);
}

/* ---- samples and bounds ---- */

static bosc_status copy_heights(bosc_ctx *ctx, const bosc_planet *planet, const bosc_planet_inset *from, float *to)
{
    struct bi_planet_copy a = {.from = from->heights,
                               .to = to,
                               .to_stride = from->width,
                               .width = from->width,
                               .stride = from->stride,
                               .dtype = from->dtype,
                               .scale = from->scale,
                               .offset = from->offset,
                               .max_height = planet->opts.radius / 2};
    return bi_planet_copy_raster(ctx, "inset", &a, from->height);
}

/* Computes the bounds of cells, level by level: the layout is that of a raster of this size. *whole: of the last
 * level. Waits. */
static bosc_status find_bounds(bosc_ctx *ctx, const struct bi_planet_view *layout, struct bi_planet_inset *inset,
                               struct bi_planet_cell *cells, struct bi_planet_cell *whole)
{
    for (int32_t level = BI_PLANET_CELL; level <= inset->top; level++) {
        const int64_t across = bi_planet_cell_count(inset->width, level);
        const int64_t count = across * bi_planet_cell_count(inset->height, level);
        const struct bi_planet_inset_cells lowest = {*inset, cells};
        const struct bi_planet_cells other = {.view = *layout, .cells = cells, .columns = across, .level = level};
        if (level == BI_PLANET_CELL)
            BI_TRY_WITH_COST(ctx, 64, BI_PLANET_STEP(ctx, inset_cells, count, &lowest));
        else
            BI_TRY_WITH_COST(ctx, 4, BI_PLANET_STEP(ctx, cells, count, &other));
    }
    return bi_read_back(ctx, whole, cells + inset->first[inset->top], sizeof *whole);
}

/* Describes an inset to steps: its place, layout and memory. */
static struct bi_planet_inset describe(const struct bi_planet_inset_memory *memory, const struct bi_planet_view *layout)
{
    const double middle = (memory->west + memory->east) / 720 + 0.5;
    struct bi_planet_inset inset = {.heights = memory->heights.data,
                                    .cells = memory->cells.data,
                                    .width = layout->width,
                                    .height = layout->height,
                                    .top = layout->top,
                                    .middle_u = middle - bi_floor(middle),
                                    .middle_v = 0.5 - (memory->south + memory->north) / 360,
                                    .columns = (double)memory->width * 360 / (memory->east - memory->west),
                                    .rows = (double)memory->height * 180 / (memory->north - memory->south),
                                    .border = (double)memory->border};
    for (int l = BI_PLANET_CELL; l <= layout->top; l++) inset.first[l] = layout->first[l];
    return inset;
}

size_t bi_planet_insets_bytes(void) { return BOSC_PLANET_INSETS * sizeof(struct bi_planet_inset); }

/* Writes the description of inset k to the backend's array. The description must stay until the stream is done. */
static bosc_status write_description(bosc_ctx *ctx, const bosc_planet *planet, int32_t k,
                                     const struct bi_planet_inset *inset)
{
    struct bi_planet_inset *to = planet->insets.data;
    return ctx->backend->copy(ctx, to + k, inset, sizeof *inset);
}

/* ---- insets ---- */

/* Copies the inset to the memory of its number, and then makes it the planet's. */
static bosc_status lay_inset(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_inset *from)
{
    const int32_t k = planet->view.inset_count;
    struct bi_planet_inset_memory *memory = &planet->inset[k];
    struct bi_planet_view layout = {0};
    struct bi_planet_cell whole;
    /* 1. Memory, samples, bounds. */
    BI_TRY(bi_planet_set_layout(ctx, from->width, from->height, &layout));
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &planet->insets, bi_planet_insets_bytes()));
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &memory->heights, bi_planet_sample_bytes(&layout)));
    BI_TRY(bi_block_reserve(ctx, &planet->memory, &memory->cells, bi_planet_cell_bytes(&layout)));
    *memory = (struct bi_planet_inset_memory){.heights = memory->heights,
                                              .cells = memory->cells,
                                              .width = from->width,
                                              .height = from->height,
                                              .border = from->border,
                                              .west = from->west,
                                              .south = from->south,
                                              .east = from->east,
                                              .north = from->north};
    struct bi_planet_inset inset = describe(memory, &layout);
    BI_TRY(copy_heights(ctx, planet, from, memory->heights.data));
    BI_TRY(find_bounds(ctx, &layout, &inset, memory->cells.data, &whole));
    BI_TRY(write_description(ctx, planet, k, &inset));
    BI_TRY(ctx->backend->sync(ctx));
    /* 2. The planet has it. */
    planet->view.insets = planet->insets.data;
    planet->view.inset_count++;
    if (whole.low < planet->view.low) planet->view.low = whole.low;
    if (whole.high > planet->view.high) planet->view.high = whole.high;
    BI_TRY(bi_planet_reset(ctx, planet));
    return ctx->backend->sync(ctx);
}

/* Copies the inset of a planet to larger blocks, and exchanges them with its own; the caller frees the old blocks.
 * After a failure the larger ones may be left. Waits. */
static bosc_status move_inset(bosc_ctx *ctx, bosc_planet *planet, int32_t k, struct bi_block *heights,
                              struct bi_block *cells)
{
    struct bi_planet_inset_memory *memory = &planet->inset[k], moved = *memory;
    struct bi_planet_view layout = {0};
    /* 1. Samples and cells. */
    BI_TRY(bi_planet_set_layout(ctx, memory->width, memory->height, &layout));
    BI_TRY(ctx->backend->copy(ctx, heights->data, memory->heights.data, bi_planet_sample_bytes(&layout)));
    BI_TRY(ctx->backend->copy(ctx, cells->data, memory->cells.data, bi_planet_cell_bytes(&layout)));
    BI_TRY(ctx->backend->sync(ctx));
    /* 2. The description, once they are there. Then the blocks are the planet's, even if the wait fails. */
    moved.heights = *heights;
    moved.cells = *cells;
    const struct bi_planet_inset inset = describe(&moved, &layout);
    BI_TRY(write_description(ctx, planet, k, &inset));
    *heights = memory->heights;
    *cells = memory->cells;
    *memory = moved;
    return ctx->backend->sync(ctx);
}

bosc_status bi_planet_reserve_inset(bosc_ctx *ctx, bosc_planet *planet, int32_t k, const struct bi_planet_view *layout)
{
    struct bi_planet_inset_memory *memory = &planet->inset[k];
    size_t samples = bi_planet_sample_bytes(layout), cells = bi_planet_cell_bytes(layout);
    struct bi_block larger[2] = {{0}};
    if (samples <= memory->heights.bytes && cells <= memory->cells.bytes) return BOSC_OK;
    /* 1. Memory without contents. */
    if (k >= planet->view.inset_count) {
        BI_TRY(bi_block_reserve(ctx, &planet->memory, &memory->heights, samples));
        return bi_block_reserve(ctx, &planet->memory, &memory->cells, cells);
    }
    /* 2. Memory of an inset. Its old blocks, or after a failure the new ones, are freed. */
    if (samples < memory->heights.bytes) samples = memory->heights.bytes;
    if (cells < memory->cells.bytes) cells = memory->cells.bytes;
    bosc_status status = bi_block_reserve(ctx, &planet->memory, &larger[0], samples);
    if (status == BOSC_OK) status = bi_block_reserve(ctx, &planet->memory, &larger[1], cells);
    if (status == BOSC_OK) status = move_inset(ctx, planet, k, &larger[0], &larger[1]);
    for (int b = 0; b < 2; b++) bi_block_free(&planet->memory, &larger[b]);
    return status;
}

int64_t bi_planet_total_samples(const bosc_planet *planet)
{
    int64_t total = (int64_t)planet->view.width * planet->view.height;
    for (int32_t k = 0; k < planet->view.inset_count; k++) total += planet->inset[k].width * planet->inset[k].height;
    return total;
}

/* Lays the inset; after a failure the planet has the earlier ones, with their range of heights. */
static bosc_status lay_or_remove(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_inset *from)
{
    const struct bi_planet_view before = planet->view;
    bosc_status status;
    BI_WITH_SCRATCH(ctx, status = lay_inset(ctx, planet, from));
    if (status == BOSC_OK) return BOSC_OK;
    if (planet->view.inset_count != before.inset_count) planet->stale = true;
    planet->view = before;
    return status;
}

bosc_status bosc_planet_add_inset(bosc_ctx *ctx, bosc_planet *planet, const bosc_planet_inset *inset)
{
    bosc_planet_inset full;
    BI_ENTER(ctx);
    BI_TRY(bi_planet_check_raster(ctx, planet));
    BI_TRY(check_inset(ctx, planet, inset, &full));
    bi_progress_set_total(ctx, 3 * (double)full.width * (double)full.height + 1024);
    return lay_or_remove(ctx, planet, &full);
}
