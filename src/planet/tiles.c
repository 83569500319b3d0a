/* Reads the tiles of a raster on demand. A round runs a step on all pending items; an item that misses a tile records
 * all tiles it needs and stays pending. Then tiles are read for the first pending items, as many as there are slots.
 * Rounds end when no item is pending. Results do not depend on the contents of the cache. */
#include "planet/tiles.h"

#include <stdlib.h>
#include <string.h>

#include "base/bits.h"

/* ---- the cache ---- */

/* Reserves the blocks of an empty cache. */
static bosc_status reserve(bosc_ctx *ctx, struct bi_planet_cache *c)
{
    const size_t side = (size_t)1 << c->bits, tiles = (size_t)c->tiles, capacity = (size_t)c->capacity;
    const size_t bytes[BI_CACHE_BLOCKS] = {tiles * sizeof(int32_t),
                                           capacity * sizeof(int64_t),
                                           capacity * sizeof(int64_t),
                                           tiles * sizeof(uint64_t),
                                           tiles * sizeof(uint32_t),
                                           capacity * sizeof(int64_t),
                                           side * side * bosc_dtype_size(c->source.dtype)};
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->samples, capacity * side * side * sizeof(float)));
    BI_TRY(bi_block_reserve(ctx, &c->memory, &c->slots, tiles * sizeof(int32_t)));
    for (int b = 0; b < BI_CACHE_BLOCKS; b++) BI_TRY(bi_block_reserve(ctx, &c->host, &c->blocks[b], bytes[b]));
    memset(BI_CACHE_ARRAY(c, int32_t, BI_CACHE_SLOTS), 0xff, bytes[BI_CACHE_SLOTS]);
    memset(BI_CACHE_ARRAY(c, int64_t, BI_CACHE_TILES), 0xff, bytes[BI_CACHE_TILES]);
    memset(BI_CACHE_ARRAY(c, int64_t, BI_CACHE_TIMES), 0, bytes[BI_CACHE_TIMES]);
    return BOSC_OK;
}

bosc_status bi_planet_cache_create(bosc_ctx *ctx, const bosc_planet_tiles *source, double max_height,
                                   struct bi_planet_cache **cache)
{
    struct bi_planet_cache *c;
    BI_TRY(BI_NEW_HANDLE(ctx, &c, .source = *source, .max_height = max_height));
    c->bits = bi_bit_length((uint64_t)source->tile - 1);
    c->across = (source->width + source->tile - 1) >> c->bits;
    c->tiles = c->across * ((source->height + source->tile - 1) >> c->bits);
    c->capacity = source->cache_bytes >> (2 * c->bits + 2); /* 4 bytes a sample */
    if (c->capacity > c->tiles) c->capacity = c->tiles;
    bosc_status status = reserve(ctx, c);
    if (status == BOSC_OK)
        *cache = c;
    else
        bi_planet_cache_free(c);
    return status;
}

void bi_planet_cache_free(struct bi_planet_cache *c)
{
    if (!c) return;
    bi_block_free(&c->memory, &c->samples);
    bi_block_free(&c->memory, &c->slots);
    for (int b = 0; b < BI_CACHE_BLOCKS; b++) bi_block_free(&c->host, &c->blocks[b]);
    bi_memory_release(&c->host, c, sizeof *c);
}

int64_t bi_planet_cache_bytes(const struct bi_planet_cache *c)
{
    return c ? (int64_t)(c->samples.bytes + c->slots.bytes) : 0;
}

void bi_planet_cache_view(const struct bi_planet_cache *c, struct bi_planet_view *view)
{
    view->heights = c->samples.data;
    view->slots = c->slots.data;
    view->tile_bits = c->bits;
    view->tiles_across = (int32_t)c->across;
}

struct bi_planet_rectangle bi_planet_tile_rectangle(const struct bi_planet_cache *c, int64_t tile)
{
    const int64_t side = (int64_t)1 << c->bits;
    struct bi_planet_rectangle p = {tile / c->across << c->bits, tile % c->across << c->bits, side, side};
    if (p.row + p.rows > c->source.height) p.rows = c->source.height - p.row;
    if (p.column + p.columns > c->source.width) p.columns = c->source.width - p.column;
    return p;
}

/* ---- reading ---- */

bosc_status bi_planet_copy_samples(bosc_ctx *ctx, struct bi_planet_copy *a, int64_t rows, int64_t *bad)
{
    *bad = INT64_MAX;
    BI_TRY(bi_scratch_of(ctx, 1, sizeof *a->bad, &a->bad));
    BI_TRY(ctx->backend->copy(ctx, a->bad, bad, sizeof *bad));
    BI_TRY(ctx->backend->sync(ctx));
    BI_TRY(BI_PLANET_STEP(ctx, copy, rows * a->width, a));
    return bi_read_back(ctx, bad, a->bad, sizeof *bad);
}

bosc_status bi_planet_copy_raster(bosc_ctx *ctx, const char *name, struct bi_planet_copy *a, int64_t rows)
{
    int64_t bad;
    bool staged = false;
    const size_t values = (size_t)((rows - 1) * a->stride + a->width);
    BI_TRY(bi_stage_in(ctx, a->from, values * bosc_dtype_size(a->dtype), &a->from, &staged));
    BI_TRY(bi_planet_copy_samples(ctx, a, rows, &bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "%s: row %lld, column %lld is NaN, or half the radius or more", name,
                   (long long)(bad / a->width), (long long)(bad % a->width));
}

static bosc_status copy_values(bosc_ctx *ctx, const struct bi_planet_cache *c, const struct bi_planet_rectangle *p,
                               const void *values, float *to, int64_t stride)
{
    struct bi_planet_copy a = {.to = to,
                               .to_stride = stride,
                               .width = p->columns,
                               .stride = p->columns,
                               .dtype = c->source.dtype,
                               .scale = c->source.scale,
                               .offset = c->source.offset,
                               .max_height = c->max_height};
    const size_t bytes = (size_t)(p->rows * p->columns) * bosc_dtype_size(c->source.dtype);
    int64_t bad;
    bool staged = false;
    BI_TRY(bi_stage_in(ctx, values, bytes, &a.from, &staged));
    BI_TRY(bi_planet_copy_samples(ctx, &a, p->rows, &bad));
    if (bad == INT64_MAX) return BOSC_OK;
    return bi_fail(ctx, BOSC_ERR_DATA, "heights: row %lld, column %lld is NaN, or half the radius or more",
                   (long long)(p->row + bad / p->columns), (long long)(p->column + bad % p->columns));
}

bosc_status bi_planet_read_rectangle(bosc_ctx *ctx, const struct bi_planet_cache *c,
                                     const struct bi_planet_rectangle *p, void *values, float *to, int64_t stride)
{
    const bosc_planet_tiles *s = &c->source;
    if (s->read(s->user, p->row, p->column, p->rows, p->columns, values) != 0)
        return bi_fail(ctx, BOSC_ERR_IO, "tiles: rows %lld to %lld, columns %lld to %lld cannot be read",
                       (long long)p->row, (long long)(p->row + p->rows - 1), (long long)p->column,
                       (long long)(p->column + p->columns - 1));
    BI_TRY_WITH_SCRATCH(ctx, copy_values(ctx, c, p, values, to, stride));
    return BOSC_OK;
}

static bosc_status read_tile(bosc_ctx *ctx, struct bi_planet_cache *c, int64_t tile, int64_t slot)
{
    const struct bi_planet_rectangle p = bi_planet_tile_rectangle(c, tile);
    float *to = (float *)c->samples.data + (slot << 2 * c->bits);
    return bi_planet_read_rectangle(ctx, c, &p, c->blocks[BI_CACHE_VALUES].data, to, (int64_t)1 << c->bits);
}

/* The least recently used slot. */
static int64_t oldest_slot(const struct bi_planet_cache *c)
{
    const int64_t *times = BI_CACHE_ARRAY(c, const int64_t, BI_CACHE_TIMES);
    int64_t oldest = 0;
    for (int64_t s = 1; s < c->capacity; s++)
        if (times[s] < times[oldest]) oldest = s;
    return oldest;
}

/* Reads the tiles missing in the cache, after marking the others as used. */
static bosc_status read_tiles(bosc_ctx *ctx, struct bi_planet_cache *c, const int64_t *tiles, int64_t count)
{
    int32_t *slots = BI_CACHE_ARRAY(c, int32_t, BI_CACHE_SLOTS);
    int64_t *held = BI_CACHE_ARRAY(c, int64_t, BI_CACHE_TILES), *times = BI_CACHE_ARRAY(c, int64_t, BI_CACHE_TIMES);
    c->time++; /* the tiles of this call have the latest time, so none of them replaces another */
    for (int64_t k = 0; k < count; k++)
        if (slots[tiles[k]] >= 0) times[slots[tiles[k]]] = c->time;
    for (int64_t k = 0; k < count; k++) {
        if (slots[tiles[k]] >= 0) continue;
        const int64_t slot = oldest_slot(c);
        if (held[slot] >= 0) slots[held[slot]] = -1;
        held[slot] = -1; /* until the tile is read, which may fail */
        times[slot] = 0;
        c->slots_uploaded = false;
        BI_TRY(read_tile(ctx, c, tiles[k], slot));
        held[slot] = tiles[k];
        times[slot] = c->time;
        slots[tiles[k]] = (int32_t)slot;
    }
    return BOSC_OK;
}

/* Copies the slots of tiles to the backend. */
static bosc_status upload_slots(bosc_ctx *ctx, struct bi_planet_cache *c)
{
    if (c->slots_uploaded) return BOSC_OK;
    BI_TRY(ctx->backend->copy(ctx, c->slots.data, c->blocks[BI_CACHE_SLOTS].data, (size_t)c->tiles * sizeof(int32_t)));
    BI_TRY(ctx->backend->sync(ctx));
    c->slots_uploaded = true;
    return BOSC_OK;
}

bosc_status bi_planet_fetch_tiles(bosc_ctx *ctx, struct bi_planet_cache *c, const int64_t *tiles, int64_t count)
{
    BI_TRY(read_tiles(ctx, c, tiles, count));
    return upload_slots(ctx, c);
}

/* ---- rounds ---- */

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Chooses the tiles of the next round, ordered by the first item that needs them; at most as many as there are
 * slots. */
static int64_t choose_tiles(struct bi_planet_cache *c)
{
    const uint32_t *requested = BI_CACHE_ARRAY(c, const uint32_t, BI_CACHE_REQUESTED);
    uint64_t *keys = BI_CACHE_ARRAY(c, uint64_t, BI_CACHE_KEYS);
    int64_t *chosen = BI_CACHE_ARRAY(c, int64_t, BI_CACHE_CHOSEN), count = 0;
    for (int64_t t = 0; t < c->tiles; t++)
        if (requested[t] != UINT32_MAX) keys[count++] = (uint64_t)requested[t] << 32 | (uint64_t)t;
    qsort(keys, (size_t)count, sizeof *keys, by_key);
    if (count > c->capacity) count = c->capacity;
    for (int64_t k = 0; k < count; k++) chosen[k] = (int64_t)(keys[k] & UINT32_MAX);
    return count;
}

/* Runs the step on pending items. *count: number of tiles chosen for the next round. */
static bosc_status try_items(bosc_ctx *ctx, struct bi_planet_cache *c, bi_step_fn step, int64_t n,
                             const struct bi_planet_view *args, int64_t *count)
{
    const size_t bytes = (size_t)c->tiles * sizeof *args->requested;
    BI_TRY(ctx->backend->fill(ctx, args->requested, 0xff, bytes));
    BI_TRY(step(ctx, n, args));
    BI_TRY(ctx->backend->copy(ctx, c->blocks[BI_CACHE_REQUESTED].data, args->requested, bytes));
    BI_TRY(ctx->backend->sync(ctx));
    *count = choose_tiles(c);
    return BOSC_OK;
}

/* Runs the step in rounds until no item requests a tile. */
static bosc_status run_rounds(bosc_ctx *ctx, struct bi_planet_cache *c, bi_step_fn step, int64_t n, void *args)
{
    struct bi_planet_view *view = args;
    int64_t count = 0;
    if (n >= UINT32_MAX)
        return bi_fail(ctx, BOSC_ERR_LIMIT, "%lld items at once, with a raster that is read by tiles", (long long)n);
    BI_TRY(bi_scratch_of(ctx, c->tiles, sizeof *view->requested, &view->requested));
    BI_TRY(bi_scratch_of(ctx, n, sizeof *view->done, &view->done));
    BI_TRY(ctx->backend->fill(ctx, view->done, 0, (size_t)n));
    do { /* the first round fetches nothing, but uploads the slots of the cache as it is */
        BI_TRY(bi_planet_fetch_tiles(ctx, c, BI_CACHE_ARRAY(c, const int64_t, BI_CACHE_CHOSEN), count));
        BI_TRY(try_items(ctx, c, step, n, view, &count));
    } while (count > 0);
    return BOSC_OK;
}

bosc_status bi_planet_run_tiled(bosc_ctx *ctx, struct bi_planet_cache *c, bi_step_fn step, int64_t n, void *args)
{
    if (n == 0) return BOSC_OK;
    BI_RETURN_WITH_SCRATCH(ctx, run_rounds(ctx, c, step, n, args));
}
