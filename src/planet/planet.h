/* The inside of a planet, and the room's table. */
#ifndef BI_PLANET_PLANET_H
#define BI_PLANET_PLANET_H

#include <boscage/planet.h>

#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_PLANET_CELL = 3, BI_PLANET_LEVELS = 32, BI_PLANET_NOISE = 4096, BI_PLANET_ROOTS = 8 };

/* Bounds over the samples in a square of 2^level samples and their neighbours to the south and east: lowest and highest
 * sample, and the largest second differences along a row, down a column, and across both (twist). */
struct bi_planet_cell {
    float low, high, along, down, twist;
};

/* An entry of the permutation and gradient table of Perlin noise. */
struct bi_planet_noise {
    uint32_t next;
    float gradient[3];
};

/* The view of the surface that steps read. */
struct bi_planet_view {
    const float *heights;                /* (height x width), or the slots of the cache */
    const double *poles;                 /* (2) north, south */
    const struct bi_planet_cell *cells;  /* of levels BI_PLANET_CELL to top, whose only cell covers the raster */
    int64_t first[BI_PLANET_LEVELS];     /* first cell of each level */
    const struct bi_planet_noise *noise; /* (BI_PLANET_NOISE) */
    double radius, low, high;            /* low, high: range of heights */
    double amplitude, frequency;         /* of the first octave of detail, in periods of the unit sphere's radius */
    int32_t width, height, top, octaves; /* width: 0 without a raster; octaves: 0 without detail */
    /* For a raster read by tiles, see steps/sample.h: */
    const int32_t *slots; /* (tiles) the slot in `heights`, or -1; NULL: the whole raster is in memory */
    int32_t tile_bits, tiles_across;
    uint8_t *done;       /* (items) */
    uint32_t *requested; /* (tiles) the first item that needs the tile; NULL: not recorded */
    bool *missed;        /* set if the current item misses a tile */
    uint32_t item;
};

/* A triangle: positions of its corners in the order of the pool, and of the end of its parent's base that is no corner
 * of it. error: of its base, see bi_planet_base_error; parent_error: of its parent's base. */
struct bi_planet_leaf {
    double position[4][3];
    float error, parent_error;
    int32_t level, reserved;
};

struct bosc_planet {
    struct bi_memory memory, host;
    bosc_planet_opts opts; /* every field set, but for the wavelength */
    struct bi_planet_view view;
    struct bi_block heights, cells, poles, noise;
    bosc_bisectors *pool;
    struct bi_planet_cache *cache; /* of a raster read by tiles, or NULL: see tiles.h */
    struct bi_block current, next; /* arrays of leaves: an update reads one and writes the other */
    bool stale;                    /* a failure has left the leaves out of date with the pool */
};

struct bi_planet_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of operations on planets. */
struct bi_planet_ops {
    const struct bi_planet_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
