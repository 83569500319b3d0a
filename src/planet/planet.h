/* The inside of a planet, the functions that its drivers share, and the room's table. */
#ifndef BI_PLANET_PLANET_H
#define BI_PLANET_PLANET_H

#include <boscage/planet.h>

#include "bisector/bisector.h"
#include "core/call.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    BI_PLANET_CELL = 3,     /* the smallest cells are squares of 2^3 samples. Smaller ones bound boxes tighter, and have
                             * four times the memory: all cells are 1/64 + 1/256 + ... = 1/48 of the samples */
    BI_PLANET_LEVELS = 32,  /* more than a raster of less than 2^31 samples has */
    BI_PLANET_NOISE = 4096, /* entries of the noise table: 64 KB. Noise repeats after as many lattice cells */
    BI_PLANET_FEW = 5,      /* samples along the sides of the largest box whose samples are read. Not measured */
    BI_PLANET_ROOTS = 8     /* faces of the octahedron */
};

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

struct bi_planet_inset; /* steps/inset.h */

/* The view of the surface that steps read. */
struct bi_planet_view {
    const float *heights;                 /* (height x width), or the slots of the cache */
    const double *poles;                  /* (2) north, south */
    const struct bi_planet_cell *cells;   /* of levels BI_PLANET_CELL to top, whose only cell covers the raster */
    int64_t first[BI_PLANET_LEVELS];      /* first cell of each level */
    const struct bi_planet_noise *noise;  /* (BI_PLANET_NOISE) */
    double radius, low, high;             /* low, high: range of heights */
    double amplitude, frequency;          /* of the first octave of detail, in periods of the unit sphere's radius */
    int32_t width, height, top, octaves;  /* width: 0 without a raster; octaves: 0 without detail */
    const struct bi_planet_inset *insets; /* (inset_count) */
    int32_t inset_count, reserved;
    /* For a raster read by tiles, see bi_planet_stored: */
    const int32_t *slots; /* (tiles) the slot in `heights`, or -1; NULL: the whole raster is in memory */
    int32_t tile_bits, tiles_across;
    uint8_t *done;       /* (items) 1: the item has run with all of its tiles */
    uint32_t *requested; /* (tiles) the first item that needs the tile; NULL: not recorded */
    bool *missed;        /* set if the current item misses a tile */
    uint32_t item;       /* the current item */
};

/* A triangle: positions of its corners in the order of the pool, and of the end of its parent's base that is no corner
 * of it. error: of its base, see bi_planet_base_error; parent_error: of its parent's base. */
struct bi_planet_leaf {
    double position[4][3];
    float error, parent_error;
    int32_t level, reserved;
};

/* An inset as it was added, and its memory. */
struct bi_planet_inset_memory {
    struct bi_block heights, cells;
    int64_t width, height, border;
    double west, south, east, north; /* outer edges in degrees */
};

struct bosc_planet {
    struct bi_memory memory, host;
    bosc_planet_opts opts; /* every field set, but for the wavelength */
    struct bi_planet_view view;
    struct bi_block heights, cells, poles, noise;
    struct bi_block insets;                                  /* the backend's array of struct bi_planet_inset */
    struct bi_planet_inset_memory inset[BOSC_PLANET_INSETS]; /* the first view.inset_count are in use */
    bosc_bisectors *pool;
    struct bi_planet_cache *cache; /* of a raster read by tiles, or NULL: see tiles.h */
    struct bi_block current, next; /* arrays of leaves: an update reads one and writes the other */
    bool stale;                    /* a failure has left the leaves out of date with the pool */
};

static inline const struct bi_bisector_view *bi_planet_pool(const bosc_planet *planet) { return &planet->pool->view; }

/* ---- handle.c ---- */

/* Copies the options with defaults filled in, except the wavelength. */
bosc_status bi_planet_check_opts(bosc_ctx *ctx, const bosc_planet_opts *opts, bosc_planet_opts *full);

/* BOSC_ERR_ARG if the context cannot reach the planet; check_raster: or it has no raster; check_mesh: or it is
 * stale. */
bosc_status bi_planet_check(bosc_ctx *ctx, const bosc_planet *planet);
bosc_status bi_planet_check_raster(bosc_ctx *ctx, const bosc_planet *planet);
bosc_status bi_planet_check_mesh(bosc_ctx *ctx, const bosc_planet *planet);

/* Checks an array of n elements of `size` bytes: present, aligned to `align`, and no larger than memory. */
bosc_status bi_planet_check_array(bosc_ctx *ctx, const char *n_name, int64_t n, const char *name, const void *array,
                                  size_t size, size_t align);

/* Checks the size of a raster, and sets size and layout of cells in *view. */
bosc_status bi_planet_set_layout(bosc_ctx *ctx, int64_t width, int64_t height, struct bi_planet_view *view);

/* Number of cells of all levels. */
int64_t bi_planet_total_cells(const struct bi_planet_view *view);

/* Bytes of the samples, and of the cells, of a raster or an inset with this layout. */
size_t bi_planet_sample_bytes(const struct bi_planet_view *layout);
size_t bi_planet_cell_bytes(const struct bi_planet_view *layout);

/* Reserves the block for this many leaves; its contents are lost. */
bosc_status bi_planet_reserve_leaves(bosc_ctx *ctx, const bosc_planet *planet, struct bi_block *leaves, int64_t count);

/* ---- build.c ---- */

/* Checks a raster's type, scale and offset, and fills defaults in. name: the argument in messages. */
bosc_status bi_planet_check_values(bosc_ctx *ctx, const char *name, bosc_dtype *dtype, double *scale, double offset);

/* ---- change.c ---- */

/* Makes the octahedron the mesh. */
bosc_status bi_planet_reset(bosc_ctx *ctx, bosc_planet *planet);

/* Recomputes all leaves if they are stale. */
bosc_status bi_planet_refresh(bosc_ctx *ctx, bosc_planet *planet);

/* Outcome of a change: the mesh is as before, has new leaves, or would have too many. */
enum bi_planet_outcome { BI_PLANET_UNCHANGED, BI_PLANET_CHANGED, BI_PLANET_TOO_MANY };

/* Applies commands in reach. outcome: NULL, or the call waits for it. */
bosc_status bi_planet_change(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t command_count,
                             enum bi_planet_outcome *outcome);

/* Applies commands in reach that only split leaves. If the pool then has more than `max_leaves` leaves
 * (BI_PLANET_TOO_MANY), the planet is stale. */
bosc_status bi_planet_split(bosc_ctx *ctx, bosc_planet *planet, const uint8_t *commands, int64_t max_leaves,
                            enum bi_planet_outcome *outcome);

/* ---- inset.c ---- */

/* Number of samples of the raster and of all insets. */
int64_t bi_planet_total_samples(const bosc_planet *planet);

/* Checks the size of an inset, the argument `name`, and sets its layout. */
bosc_status bi_planet_set_inset_layout(bosc_ctx *ctx, const char *name, int64_t width, int64_t height,
                                       struct bi_planet_view *layout);

/* Checks size, border, stride and place of an inset, and fills defaults in. */
bosc_status bi_planet_check_inset(bosc_ctx *ctx, bosc_planet_inset *inset);

/* Bytes of the backend's array of insets, which has room for all. */
size_t bi_planet_insets_bytes(void);

/* Reserves memory for inset k with this layout; an inset that the planet has is kept, also after a failure. Waits. */
bosc_status bi_planet_reserve_inset(bosc_ctx *ctx, bosc_planet *planet, int32_t k, const struct bi_planet_view *layout);

/* ---- query.c ---- */

/* The farthest sample: its distance, its number, and its inset as in bosc_planet_stats. */
struct bi_planet_worst {
    float error;
    int64_t sample;
    int32_t inset;
};

/* Measures the distance of all samples from the mesh. errors (leaves, or NULL): the largest of each leaf, as bits of
 * f32. Waits. */
bosc_status bi_planet_measure_samples(bosc_ctx *ctx, const bosc_planet *planet, uint32_t *errors,
                                      struct bi_planet_worst *worst);

/* ---- the table ---- */

struct bi_planet_steps; /* one bi_step_fn for each line of steps.def: see steps/steps.h */
struct bi_planet_mark;
struct bi_planet_shape;
struct bi_planet_mesh;

/* The table of operations on planets. */
struct bi_planet_ops {
    const struct bi_planet_steps *steps;

    /* Fused operations, or NULL where steps and collectives serve. mark, derive: the steps, of a raster in memory.
     * mark: commands that change nothing may be left out. write_mesh: numbers the vertices of a whole mesh and writes
     * its arrays. */
    bosc_status (*mark)(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_mark *a);
    bosc_status (*derive)(bosc_ctx *ctx, int64_t leaves, const struct bi_planet_shape *a);
    bosc_status (*write_mesh)(bosc_ctx *ctx, int64_t leaves, struct bi_planet_mesh *a);
};

#ifdef __cplusplus
}
#endif
#endif
