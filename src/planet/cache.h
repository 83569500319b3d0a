/* A cache of the tiles of a raster that is read as it is needed. */
#ifndef BI_PLANET_CACHE_H
#define BI_PLANET_CACHE_H

#include "planet/planet.h"

/* The host's blocks. Of each tile: its slot or -1, a key to sort by, the first item that wants it. Of each slot: its
 * tile or -1, and when that was last wanted. The tiles chosen to be read; the values of one. */
enum {
    BI_CACHE_SLOTS,
    BI_CACHE_TILES,
    BI_CACHE_TIMES,
    BI_CACHE_KEYS,
    BI_CACHE_WANTED,
    BI_CACHE_CHOSEN,
    BI_CACHE_VALUES,
    BI_CACHE_BLOCKS
};

#define BI_CACHE_ARRAY(cache, type, which) ((type *)(cache)->blocks[which].data)

struct bi_planet_cache {
    struct bi_memory memory, host;
    bosc_planet_tiles source; /* every field set */
    double most;              /* heights are below it */
    int64_t tiles, across;    /* tiles of the raster, and in a row of them */
    int64_t capacity;         /* slots */
    int32_t bits;             /* of a tile's side */
    bool told;                /* the backend has the slots of tiles as the host has */
    int64_t time;
    struct bi_block samples, slots;          /* the backend's: (capacity x side x side), (tiles) */
    struct bi_block blocks[BI_CACHE_BLOCKS]; /* the host's */
};

/* An empty cache of a source whose fields are all set. Heights are more than -most and less than most. */
bosc_status bi_planet_cache_create(bosc_ctx *ctx, const bosc_planet_tiles *source, double most,
                                   struct bi_planet_cache **cache);
void bi_planet_cache_free(struct bi_planet_cache *cache);
int64_t bi_planet_cache_bytes(const struct bi_planet_cache *cache);

/* Sets what a view says of tiles. */
void bi_planet_cache_view(const struct bi_planet_cache *cache, struct bi_planet_view *view);

/* A part of the raster: where it begins, and its size. */
struct bi_planet_part {
    int64_t row, column, rows, columns;
};
struct bi_planet_part bi_planet_tile(const struct bi_planet_cache *cache, int64_t tile);

#endif
