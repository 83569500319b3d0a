/* Inside a planet, and the room's table. */
#ifndef BI_PLANET_PLANET_H
#define BI_PLANET_PLANET_H

#include <boscage/planet.h>

#include "core/context.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BI_PLANET_CELL = 3, BI_PLANET_LEVELS = 32, BI_PLANET_NOISE = 4096, BI_PLANET_ROOTS = 8 };

/* What is known of the samples in a square of 2^level samples and those that border on it to the south and east: the
 * lowest and the highest, and the largest second differences: along a row, down a column, and across both. */
struct bi_planet_cell {
    float low, high, along, down, twist;
};

/* Lattice points of the detail are hashed through random numbers: each entry has the number of another one, and a
 * gradient. */
struct bi_planet_noise {
    uint32_t next;
    float gradient[3];
};

/* The surface, as steps read it. */
struct bi_planet_view {
    const float *heights;                /* (height x width), or of the tiles that are there */
    const double *poles;                 /* (2) north, south */
    const struct bi_planet_cell *cells;  /* of levels BI_PLANET_CELL to top, whose only cell is the raster */
    int64_t first[BI_PLANET_LEVELS];     /* cell of each level */
    const struct bi_planet_noise *noise; /* (BI_PLANET_NOISE) */
    double radius, low, high;            /* of heights */
    double amplitude, frequency;         /* of the first octave of detail, in periods of the unit sphere's radius */
    int32_t width, height, top, octaves; /* width: 0 without a raster; octaves: 0 without detail */
    /* Of a raster that is read by tiles: see steps/sample.h. */
    const int32_t *slots; /* of each tile its place in `heights`, or -1; NULL: the raster is there as a whole */
    int32_t tile_bits, tiles_across;
    uint8_t *done;    /* (items) */
    uint32_t *wanted; /* (tiles) the first item that wants it; NULL: not asked */
    bool *missed;     /* the item's */
    uint32_t item;
};

/* A triangle: its corners in the order of the pool, and the end of its parent's base that is none of them. Errors are
 * those of splitting at the base, its own and its parent's. */
struct bi_planet_leaf {
    double at[4][3];
    float error, parent_error;
    int32_t level, reserved;
};

struct bosc_planet {
    struct bi_memory memory, host;
    bosc_planet_opts opts; /* every field set, but for the wavelength */
    struct bi_planet_view view;
    struct bi_block heights, cells, poles, noise;
    bosc_bisectors *pool;
    struct bi_planet_cache *cache; /* of a raster that is read by tiles, or NULL: see tiles.h */
    struct bi_block now, next;     /* leaves: an update writes the others */
    bool stale;                    /* a failure left the pool without them */
};

struct bi_planet_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */

/* The table of planets that each backend gives. */
struct bi_planet_ops {
    const struct bi_planet_steps *steps;
};

#ifdef __cplusplus
}
#endif
#endif
