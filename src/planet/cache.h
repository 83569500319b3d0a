/* A cache of tiles of a raster that is read on demand. */
#ifndef BI_PLANET_CACHE_H
#define BI_PLANET_CACHE_H

#include "planet/planet.h"

/* The host's blocks. By tile: its slot or -1 (SLOTS), a sort key (KEYS), the first item that needs it (REQUESTED). By
 * slot: its tile or -1 (TILES), the time of its last use (TIMES). The tiles of a round (CHOSEN); the values of one
 * (VALUES). */
enum {
    BI_CACHE_SLOTS,
    BI_CACHE_TILES,
    BI_CACHE_TIMES,
    BI_CACHE_KEYS,
    BI_CACHE_REQUESTED,
    BI_CACHE_CHOSEN,
    BI_CACHE_VALUES,
    BI_CACHE_BLOCKS
};

#define BI_CACHE_ARRAY(cache, type, which) ((type *)(cache)->blocks[which].data)

struct bi_planet_cache {
    struct bi_memory memory, host;
    bosc_planet_tiles source; /* every field set */
    double max_height;        /* absolute heights are below it */
    int64_t tiles, across;    /* tiles of the raster, and in a row of them */
    int64_t capacity;         /* slots */
    int32_t bits;             /* of a tile's side */
    bool slots_uploaded;      /* the backend has the current slots of tiles */
    int64_t time;
    struct bi_block samples, slots;          /* the backend's: (capacity x side x side), (tiles) */
    struct bi_block blocks[BI_CACHE_BLOCKS]; /* the host's */
};

/* Creates an empty cache of a source whose fields are all set. Absolute heights are below max_height. */
bosc_status bi_planet_cache_create(bosc_ctx *ctx, const bosc_planet_tiles *source, double max_height,
                                   struct bi_planet_cache **cache);
void bi_planet_cache_free(struct bi_planet_cache *cache);
int64_t bi_planet_cache_bytes(const struct bi_planet_cache *cache);

/* Sets the fields of a view that describe tiles. */
void bi_planet_cache_view(const struct bi_planet_cache *cache, struct bi_planet_view *view);

/* A rectangle of the raster: its first row and column, and its size. */
struct bi_planet_part {
    int64_t row, column, rows, columns;
};
struct bi_planet_part bi_planet_tile(const struct bi_planet_cache *cache, int64_t tile);

#endif
