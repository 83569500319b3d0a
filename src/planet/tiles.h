/* A raster that is read by tiles on demand: the cache of its tiles, and steps that read samples from it. */
#ifndef BI_PLANET_TILES_H
#define BI_PLANET_TILES_H

#include "planet/planet.h"
#include "planet/steps/steps.h"

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
struct bi_planet_rectangle {
    int64_t row, column, rows, columns;
};

/* The samples of a tile. */
struct bi_planet_rectangle bi_planet_tile_rectangle(const struct bi_planet_cache *cache, int64_t tile);

/* Converts `rows` rows of values in reach to samples. *bad: the first value out of range, or INT64_MAX. Waits. */
bosc_status bi_planet_copy_samples(bosc_ctx *ctx, struct bi_planet_copy *copy, int64_t rows, int64_t *bad);

/* The same for a raster of the caller's, copy->from, in any memory: a value out of range is an error that names it. */
bosc_status bi_planet_copy_raster(bosc_ctx *ctx, const char *name, struct bi_planet_copy *copy, int64_t rows);

/* Reads these tiles unless they are in the cache; at most as many as it has slots. Waits. */
bosc_status bi_planet_fetch_tiles(bosc_ctx *ctx, struct bi_planet_cache *cache, const int64_t *tiles, int64_t count);

/* Reads a rectangle of the raster to samples `to` in the backend's memory, with `stride` samples a row. values: host
 * memory for its values. Waits. */
bosc_status bi_planet_read_rectangle(bosc_ctx *ctx, const struct bi_planet_cache *cache,
                                     const struct bi_planet_rectangle *rectangle, void *values, float *to,
                                     int64_t stride);

/* Runs a step over n items that read samples from the cache. It takes rounds: each reads the tiles that the first
 * pending items need. args begins with a struct bi_planet_view. Waits. */
bosc_status bi_planet_run_tiled(bosc_ctx *ctx, struct bi_planet_cache *cache, bi_step_fn step, int64_t n, void *args);

/* Runs the step `name`, in rounds if the planet's raster is read by tiles. */
#define BI_PLANET_RUN(ctx, planet, name, n, args)                                                                     \
    ((planet)->cache                                                                                                  \
         ? bi_planet_run_tiled((ctx), (planet)->cache, (ctx)->ops->planet->steps->planet_##name##_tiled, (n), (args)) \
         : BI_PLANET_STEP((ctx), name, (n), (args)))

#endif
