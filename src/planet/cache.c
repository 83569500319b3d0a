/* A cache of tiles: its memory, and the rectangles of tiles. */
#include "planet/cache.h"

#include <string.h>

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
    struct bi_planet_cache *c = bi_host_alloc(ctx, sizeof *c);
    if (!c) return BOSC_ERR_NOMEM;
    *c =
        (struct bi_planet_cache){.memory = ctx->memory, .host = ctx->host, .source = *source, .max_height = max_height};
    while (1 << c->bits < source->tile) c->bits++;
    c->across = (source->width + source->tile - 1) >> c->bits;
    c->tiles = c->across * ((source->height + source->tile - 1) >> c->bits);
    c->capacity = source->cache_bytes >> (2 * c->bits + 2);
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
    struct bi_memory host = c->host;
    bi_block_free(&c->memory, &c->samples);
    bi_block_free(&c->memory, &c->slots);
    for (int b = 0; b < BI_CACHE_BLOCKS; b++) bi_block_free(&c->host, &c->blocks[b]);
    bi_memory_release(&host, c, sizeof *c);
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

struct bi_planet_part bi_planet_tile(const struct bi_planet_cache *c, int64_t tile)
{
    const int64_t side = (int64_t)1 << c->bits;
    struct bi_planet_part p = {tile / c->across << c->bits, tile % c->across << c->bits, side, side};
    if (p.row + p.rows > c->source.height) p.rows = c->source.height - p.row;
    if (p.column + p.columns > c->source.width) p.columns = c->source.width - p.column;
    return p;
}
